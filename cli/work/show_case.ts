/** `svc show`: a case with the labels of its fields and its recent history. */
import type { Reply } from "../../lib/client/response/reply.ts";
import type { OperationRef } from "../../lib/operation/operation.ts";
import assignments from "../../lib/resources/assignments.ts";
import caseForms from "../../lib/resources/case_forms.ts";
import cases from "../../lib/resources/cases.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation, getSurface, loadRenderer, wantsPage, writeResult } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { getCaseHandle, isAssignmentHandle } from "../handles/handles.ts";
import { readIfServed } from "../handles/if_served.ts";
import { resolveCaseId } from "../handles/resolve_handles.ts";
import { printReply } from "../render/print_result.ts";
import { buildCasePage, isCaseBody } from "../view/case_page.ts";
import { layOutPage } from "../view/page.ts";
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
  await showPage(context, caseId, await read, assignmentId);
}

async function showPage(
  context: CommandContext,
  caseId: string,
  reply: Reply,
  assignmentId: string | undefined,
): Promise<void> {
  const [details, history, notes] = await Promise.all([
    readIfServed(() => readDetails(context, caseId)),
    readIfServed(() => readHistory(context, caseId)),
    readRecentNotes(context, caseId),
  ]);
  rememberCase(context, reply.head, caseId);
  const body = reply.readPrintable();
  if (body === undefined || !isCaseBody(body)) return await context.print(body);
  const shown = assignmentId === undefined ? body : { ...body, id: assignmentId };
  const page = buildCasePage(shown, { page: details, history: history ?? [], notes });
  await writeResult(context, layOutPage(page, getSurface(context.io)));
}

/** Reads the view that declares the fields of a case. */
async function readDetails(context: CommandContext, caseId: string): Promise<JsonObject | undefined> {
  const ref = { name: "cases.get-view", operation: caseForms.getView };
  const body = (await callOperation(context, ref, { caseId, view: DETAILS })).readPrintable();
  return isJsonObject(body) ? body : undefined;
}
