import type { LocalGroup } from "../local_command.ts";
import { recordCommand } from "./record.ts";

/** The commands of `svc support`, in the order of the help. */
export const commands: LocalGroup = { record: recordCommand };
