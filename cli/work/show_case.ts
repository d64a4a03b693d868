/** `svc show`: a case with the labels of its form and its recent history. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import type { Operation } from "../../lib/operation/operation.ts";
import assignments from "../../lib/resources/assignments.ts";
import cases, { type CaseAnswer } from "../../lib/resources/cases.ts";
import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callAndPrint } from "../commands/operations.ts";
import { callOperation, getSurface, wantsPage, writeResult } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { resolveCaseId } from "../handles/resolve_handles.ts";
import { buildCasePage, isCaseBody } from "../view/case_page.ts";
import { layOutPage } from "../view/page.ts";
import { EDIT_DETAILS } from "./edit_details.ts";
import { type HistoryEntry, readHistory } from "./history.ts";

/** Shows a case. The page for people has more than the response with the case. */
export async function showCase(context: CommandContext, id: string): Promise<void> {
  const caseId = await resolveCaseId(context, id);
  const ref = { name: "cases.get", operation: cases.get };
  if (!wantsPage(context)) return await callAndPrint(context, ref, { caseId });
  const reply = await callOperation(context, ref, { caseId });
  const [form, history] = await Promise.all([
    readForm(context, caseId, checkAnswer(cases.get.answer, reply)),
    readIfServed<HistoryEntry[]>(() => readHistory(context, caseId), []),
  ]);
  rememberCase(context, reply.head, caseId);
  const body = reply.readPrintable();
  if (body === undefined || !isCaseBody(body)) return await context.print(body);
  const surface = getSurface(context.io);
  await writeResult(context, layOutPage(buildCasePage(body, { form, history }), surface));
}

/** Reads a form that declares the fields of a case. */
async function readForm(
  context: CommandContext,
  caseId: string,
  { data: { caseInfo } }: CaseAnswer,
): Promise<JsonValue | undefined> {
  const read = async (name: string, operation: Operation, values: Values) => {
    const reply = await callOperation(context, { name, operation }, values);
    const body = reply.readPrintable();
    return isJsonObject(body) ? body.uiResources : undefined;
  };
  if (caseInfo.availableActions?.some(({ ID }) => ID === EDIT_DETAILS)) {
    const values = { caseId, action: EDIT_DETAILS };
    return await readIfServed(() => read("cases.get-action", cases.getAction, values), undefined);
  }
  const own = caseInfo.assignments?.find(({ canPerform }) => canPerform === "true");
  const [action] = own?.actions ?? [];
  if (own === undefined || action === undefined) return undefined;
  const values = { assignmentId: own.ID, action: action.ID };
  return await readIfServed(() => read("assignments.get-action", assignments.getAction, values), undefined);
}

/** Returns a replacement for what the service refuses to serve. The page of the case is useful without it. */
async function readIfServed<T>(read: () => Promise<T>, replacement: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SvcError && error.status !== undefined && error.status < 500) return replacement;
    throw error;
  }
}
