/** The commands without a group, with which people work on cases, in the order of the help. */
import type { LocalGroup } from "../local_command.ts";
import { note } from "./note.ts";
import { show } from "./show.ts";

/** The commands by name. */
export const commands: LocalGroup = { show, note };
