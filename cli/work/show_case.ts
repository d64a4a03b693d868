/** `svc show`: a case with the labels of its fields and its recent history. */
import type { Reply } from "../../lib/client/response/reply.ts";
import type { OperationRef } from "../../lib/operation/operation.ts";
import assignments from "../../lib/resources/assignments.ts";
import caseForms from "../../lib/resources/case_forms.ts";
import cases from "../../lib/resources/cases.ts";
import { filterObjects, isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation, getSurface, loadRenderer, wantsPage, writeResult } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { getCaseHandle, isAssignmentHandle, isResolved } from "../handles/handles.ts";
import { readIfServed } from "../handles/if_served.ts";
import { resolveCaseId } from "../handles/resolve_handles.ts";
import { printReply } from "../render/print_result.ts";
import { isCaseBody } from "../view/case_page.ts";
import { renderCaseSummary } from "../view/case_summary.ts";
import { readHistory } from "./history.ts";
import { readRecentNotes } from "./read_messages.ts";

/** The view of a case with all fields that are shown. */
const DETAILS = "pyDetails";

/**
 * Shows a case, or an assignment with its case. Reads only the case, because opening an assignment or an action locks the
 * case in some services. The page for people has more than the response with the case.
 */
export async function showCase(context: CommandContext, id: string): Promise<void> {
  const caseId = await resolveCaseId(context, getCaseHandle(id));
  const read = callOperation(context, { name: "cases.get", operation: cases.get }, { caseId });
  const assignmentId = isAssignmentHandle(id) ? id : undefined;
  if (!wantsPage(context)) {
    const [reply] = await Promise.all([read, loadRenderer(context.globals)]);
    const ref: OperationRef = assignmentId === undefined
      ? { name: "cases.get", operation: cases.get }
      : { name: "assignments.get", operation: assignments.get };
    return await printReply(context, ref, { caseId, assignmentId }, reply);
  }
  await showCasePage(context, caseId, await read, assignmentId);
}

/** Shows the page of a case for people, or of an assignment, from the response with the case. */
export async function showCasePage(
  context: CommandContext,
  caseId: string,
  reply: Reply,
  assignmentId: string | undefined,
): Promise<void> {
  const body = reply.readPrintable();
  const isCase = body !== undefined && isCaseBody(body);
  const [details, history, notes, children] = await Promise.all([
    readIfServed(() => readDetails(context, caseId)),
    readIfServed(() => readHistory(context, caseId)),
    readRecentNotes(context, caseId),
    isCase && isWaiting(body.data.caseInfo) ? readIfServed(() => readOpenChildren(context, caseId)) : undefined,
  ]);
  rememberCase(context, reply.head, caseId);
  if (!isCase) return await context.print(body);
  const shown = assignmentId === undefined ? body : { ...body, id: assignmentId };
  const rows = context.io.stdout.rows?.();
  const around = { page: details, history: history ?? [], notes, children };
  await writeResult(
    context,
    renderCaseSummary(shown, around, getSurface(context.io), rows === undefined ? undefined : rows - 1),
  );
}

/** Reports whether a case that is not resolved has no open work. Then it waits for a child case, or for a person. */
function isWaiting({ assignments, status }: JsonObject): boolean {
  return filterObjects(assignments).length === 0 && !isResolved(status);
}

async function readOpenChildren(context: CommandContext, caseId: string): Promise<JsonObject[]> {
  const ref = { name: "cases.list-descendants", operation: cases.listDescendants };
  const { body } = await callOperation(context, ref, { caseId });
  return filterObjects(isJsonObject(body) ? body.childCases : undefined).filter(({ status }) => !isResolved(status));
}

/** Reads the view that declares the fields of a case. */
async function readDetails(context: CommandContext, caseId: string): Promise<JsonObject | undefined> {
  const ref = { name: "cases.get-view", operation: caseForms.getView };
  const body = (await callOperation(context, ref, { caseId, view: DETAILS })).readPrintable();
  return isJsonObject(body) ? body : undefined;
}
