/** Handles on the command line: full ones, short IDs such as `P-1`, and `-` for the last case. */
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import type { Operation } from "../../lib/operation/operation.ts";

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

/** Reports whether a text names a case where an assignment is expected: by a short ID, `-` or a full handle. */
export function isCaseName(text: string): boolean {
  return text === LAST_CASE || isShortId(text) || (!isAssignmentHandle(text) && /^[^!]+ [^!]+$/.test(text));
}

/** Reports whether the caller may perform an assignment. Services without this member show only the caller's own. */
export function canPerform({ canPerform = "true" }: { readonly canPerform?: unknown }): boolean {
  return String(canPerform) !== "false";
}

/** Reports whether an assignment has a saved draft, of an action or of any. Only the embedded service says so. */
export function hasDraft({ draftActions }: { readonly draftActions?: unknown }, action?: string): boolean {
  return Array.isArray(draftActions) &&
    (action === undefined ? draftActions.length > 0 : draftActions.includes(action));
}

/** Reports whether the status of a case says that it is resolved. */
export function isResolved(status: unknown): boolean {
  return /^Resolved/i.test(String(status));
}

/** Returns the handle of the case to which an assignment belongs. Other texts stay as they are. */
export function getCaseHandle(text: string): string {
  return isAssignmentHandle(text) ? text.replace(/^\S+ /, "").replace(/![^!]*$/, "") : text;
}

/** Returns the number of a case, by which people know it, or its handle if the handle does not end with a number. */
export function getShortId(caseId: string): string {
  const last = caseId.split(" ").at(-1) ?? "";
  return isShortId(last) ? last : caseId;
}

/**
 * Splits a short name of an attachment: `P-3/2`, `-/plan.pdf`, or `plan.pdf` for a file of the last case. Returns undefined
 * for an attachment ID.
 */
export function splitAttachmentName(text: string): { readonly caseName?: string; readonly name: string } | undefined {
  if (text.includes("!")) return undefined;
  const [, caseName = "", name = ""] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  if (isCaseName(caseName)) return { caseName, name };
  return /^[^/]+\.\w+$/.test(text) ? { name: text } : undefined;
}

/** Reports whether a text in place of a participant ID may be the name of a person. */
export function isPersonName(text: string): boolean {
  return /\p{L} \p{L}/u.test(text) || text.includes("@");
}

/** Returns the name of the argument of an operation that is an attachment ID. */
export function findAttachmentArgument({ args = [] }: Operation): string | undefined {
  return args.find(({ to }) => to === "path:attachmentID")?.name;
}

/** Reports whether a value of a call may have to be replaced by a full handle. */
export function needsHandles(operation: Operation, values: Values): boolean {
  const { caseId, assignmentId } = values;
  if (typeof assignmentId === "string" && isCaseName(assignmentId)) return true;
  if (hasShortName(operation, values)) return true;
  return isShort(caseId) || listCaseFlags(operation).some((name) => [values[name]].flat().some(isShort));
}

/** Reports whether a call names an attachment or a participant as lists for people do. */
export function hasShortName(operation: Operation, values: Values): boolean {
  const attachment = values[findAttachmentArgument(operation) ?? ""];
  if (typeof attachment === "string" && splitAttachmentName(attachment) !== undefined) return true;
  return typeof values.participantId === "string" && isPersonName(values.participantId);
}

/** Lists the names of the flags that can name cases. */
export function listCaseFlags({ flags = {} }: Operation): string[] {
  return Object.keys(flags).filter((name) => flags[name]?.namesCase);
}

function isShort(value: unknown): boolean {
  return typeof value === "string" && (value === LAST_CASE || isShortId(value));
}
