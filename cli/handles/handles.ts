/** Handles on the command line: full ones, short IDs such as `P-1`, and `-` for the last case. */
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";

/** Stands for the last case. */
export const LAST_CASE = "-";

/** A call with the handles that it was made with. */
export interface HandledCall {
  /** The response. */
  readonly reply: Reply;
  /** The values, with full handles. */
  readonly values: Values;
}

/** Reports whether a text has the form of a short ID. */
export function isShortId(text: string): boolean {
  return /^[a-z][a-z\d]*-\d+$/i.test(text);
}

/** Reports whether a text is the full handle of an assignment. */
export function isAssignmentHandle(text: string): boolean {
  return /^ASSIGN-/i.test(text);
}

/** Reports whether a value of a call may have to be replaced by a full handle. */
export function needsHandles({ caseId, assignmentId }: Values): boolean {
  if (typeof assignmentId === "string") return !isAssignmentHandle(assignmentId);
  return typeof caseId === "string" && (caseId === LAST_CASE || isShortId(caseId));
}
