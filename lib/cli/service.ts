/** The commands of `svc service`. */
import type { LocalGroup } from "./local.ts";

/** The commands by name. */
export const commands: LocalGroup = {};
