/** The commands of `svc worker`. */
import type { LocalGroup } from "../local_command.ts";
import { drainCommand } from "./drain.ts";
import { listCommand } from "./list.ts";
import { pauseCommand } from "./pause.ts";
import { resumeCommand } from "./resume.ts";
import { startCommand } from "./start.ts";

/** The commands by name, in the order of the help. */
export const commands: LocalGroup = {
  start: startCommand,
  list: listCommand,
  pause: pauseCommand,
  resume: resumeCommand,
  drain: drainCommand,
};
