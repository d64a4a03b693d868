/** Serves the operations of the group tags. */
import type { GroupHandlers } from "../handler.ts";
import { notYet } from "./not_yet.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"tags"> = notYet();
