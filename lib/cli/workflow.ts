/** The commands of `svc workflow`. */
import type { LocalGroup } from "./local.ts";

/** The commands by name. */
export const commands: LocalGroup = {};
