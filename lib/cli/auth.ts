/** The commands of `svc auth`. */
import type { LocalGroup } from "./local.ts";

/** The commands by name. */
export const commands: LocalGroup = {};
