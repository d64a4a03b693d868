/** Serves the operations of the group uiLists. */
import type { GroupHandlers } from "../handler.ts";
import { notYet } from "./not_yet.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"uiLists"> = notYet();
