/** The commands without a group, with which people work on cases, in the order of the help. */
import type { LocalGroup } from "../local_command.ts";
import { doCommand } from "./do.ts";
import { edit } from "./edit.ts";
import { find } from "./find.ts";
import { history } from "./history.ts";
import { inbox } from "./inbox.ts";
import { next } from "./next.ts";
import { note } from "./note.ts";
import { notes } from "./notes.ts";
import { show } from "./show.ts";

/** The commands by name. */
export const commands: LocalGroup = { inbox, next, do: doCommand, show, history, edit, find, note, notes };
