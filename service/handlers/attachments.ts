/** Serves the operations of the group attachments. */
import type { GroupHandlers } from "../handler.ts";
import { notYet } from "./not_yet.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"attachments"> = notYet();
