/** The commands of `svc worker`. */
import type { LocalGroup } from "../local_command.ts";
import { startCommand } from "./start.ts";

/** The commands by name, in the order of the help. */
export const commands: LocalGroup = {
  start: startCommand,
};
