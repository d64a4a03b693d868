/** Actions on several cases at once. */
import type { JsonObject } from "../../utils/json.ts";
import type { CaseType, LocalAction } from "../application/model/application.ts";
import { DomainError, Invalid, NotFound } from "../errors.ts";
import { describeDetails, toStatus } from "../http/status.ts";
import { checkCount } from "../cases/arguments.ts";
import { type EngineContext, findCase } from "../cases/case_work.ts";
import type { Submission } from "../cases/content/fill_form.ts";
import { performLocal } from "../cases/actions.ts";
import { listLocalActions } from "../cases/flow.ts";

/** An action to perform on several cases. */
export interface BulkAction {
  readonly action: string;
  readonly submission: Submission;
  /** Entity tag that each case must have. Other cases are not changed. */
  readonly ifMatch?: string;
}

/** Lists the bulk actions of a case type. Those of stages are left out. */
export function findBulkActions(type: CaseType): LocalAction[] {
  return [...type.actions.values()].filter(({ bulk }) => bulk);
}

/** Checks the cases of a bulk call. Throws `Invalid` for an empty list, too many cases, or a repeated case. */
export function checkCases(caseIds: readonly string[], things: string = "cases", most?: number): void {
  if (caseIds.length === 0) throw new Invalid("At least one case is needed");
  checkCount(caseIds.length, things, most);
  const seen = new Set<string>();
  for (const id of caseIds) {
    if (seen.has(id)) throw new Invalid(`The case ${id} is named more than once`);
    seen.add(id);
  }
}

/** Lists the bulk actions that several cases have in common. */
export async function listCommonActions(context: EngineContext, caseIds: readonly string[]): Promise<LocalAction[]> {
  checkCases(caseIds);
  let common: LocalAction[] | undefined;
  for (const caseId of caseIds) {
    const work = await findCase(context, caseId);
    if (work === undefined) throw new NotFound(`Case ${caseId} not found`);
    const actions = listLocalActions(work).filter(({ bulk }) => bulk);
    const ids = new Set(actions.map(({ id }) => id));
    common = common === undefined ? actions : common.filter(({ id }) => ids.has(id));
  }
  return common ?? [];
}

/** Performs an action on several cases. A failure does not stop the others. */
export async function performOnAll(
  context: EngineContext,
  caseIds: readonly string[],
  bulk: BulkAction,
): Promise<JsonObject[]> {
  checkCases(caseIds, "cases unless it is done in the background");
  const results: JsonObject[] = [];
  for (const caseId of caseIds) results.push(await performOnOne(context, caseId, bulk));
  return results;
}

/** Performs an action on a case and describes the result. A failed action changes nothing. */
export async function performOnOne(
  context: EngineContext,
  caseId: string,
  { action, submission, ifMatch }: BulkAction,
): Promise<JsonObject> {
  try {
    const { stored, type } = await context.tx.attempt(() => {
      return performLocal(context, { caseId, action, ifMatch, bulk: true }, submission);
    });
    return { ID: caseId, BusinessID: stored.businessId, Name: type.name, status: toStatus("done") };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { ID: caseId, status: toStatus(error), message: error.message, errorDetails: describeDetails(error) };
  }
}
