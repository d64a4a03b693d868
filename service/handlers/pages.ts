/** Serves the operations of the group pages. */
import type { GroupHandlers } from "../handler.ts";
import { notYet } from "./not_yet.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"pages"> = notYet();
