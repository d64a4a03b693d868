/** Finds the full handles of cases and assignments. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { getProfileName } from "../../lib/auth/settings.ts";
import { SvcError } from "../../lib/errors.ts";
import type { AssignmentInfo } from "../../lib/resources/cases.ts";
import cases from "../../lib/resources/cases.ts";
import work from "../../lib/resources/work.ts";
import { isNonEmptyString } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { readLastCase } from "./cursor.ts";
import { canPerform, getShortId, isCaseName, isShortId, LAST_CASE } from "./handles.ts";
import { readIfEmbedded, readIfServed, readIfSkipped } from "./if_served.ts";

/** Returns the handle of the last case. Throws `INVALID_ARGS` if it is unknown. */
export function getLastCase(context: CommandContext): string {
  const caseId = readLastCase(context.globals);
  if (caseId !== undefined) return caseId;
  const profile = JSON.stringify(getProfileName(context.globals));
  throw new SvcError("INVALID_ARGS", `There is no last case for -: the profile ${profile} has not used a case yet.`, {
    hint: "Name a case once, e.g. svc show P-1. 'svc inbox' lists your work.",
  });
}

/** Returns the handle of a case that is named by its handle, its short ID, or `-`. An unknown short ID stays as it is. */
export async function resolveCaseId(context: CommandContext, text: string): Promise<string> {
  if (text === LAST_CASE) return getLastCase(context);
  if (!isShortId(text)) return text;
  const readOwn = () => findByNumber(context, text);
  const found = await readIfEmbedded(context, readOwn) ?? await findElsewhere(context, text) ??
    await readIfSkipped(context, readOwn);
  if (found === undefined) return text;
  const [only, ...others] = found;
  if (only === undefined) {
    throw new SvcError("NOT_FOUND", `Case ${text.toUpperCase()} was not found, or you have no access to it.`, {
      hint: "Run 'svc find <text>' to search for a case.",
    });
  }
  if (others.length === 0) return only.ID;
  const names = found.map(({ ID, label }) => shellQuote(ID) + (isNonEmptyString(label) ? ` (${label})` : ""));
  throw new SvcError("INVALID_ARGS", `${text} is the number of ${found.length} cases: ${names.join(", ")}.`, {
    hint: "Write the full handle in quotes.",
  });
}

/**
 * Returns the handle of an assignment that is named by its handle, or by a case in which the caller has one. The name of a
 * case is never sent in place of an assignment: the case is read.
 */
export async function resolveAssignmentId(context: CommandContext, text: string): Promise<string> {
  if (!isCaseName(text)) return text;
  const caseId = await resolveCaseId(context, text);
  const open = await selectOwn(context, await readAssignments(context, caseId));
  const [only, ...others] = open;
  if (only === undefined) {
    throw new SvcError("NOT_FOUND", `${caseId} has no open assignment.`, {
      hint: { commands: [{ args: ["show", getShortId(caseId)], purpose: "to see its status" }] },
    });
  }
  if (others.length === 0) return only.ID;
  const names = open.map(({ ID, name }) => `${shellQuote(ID)} (${name})`).join(", ");
  const count = pluralize(open.length, "open assignment");
  throw new SvcError("INVALID_ARGS", `${caseId} has ${count}: ${names}.`, { hint: "Write the handle of one of them." });
}

/** A case with its handle. */
interface FoundCase {
  readonly ID: string;
  readonly label?: unknown;
}

/** Finds the cases with a number. Only the embedded service can. */
async function findByNumber(context: CommandContext, text: string): Promise<readonly FoundCase[]> {
  const reply = await callOperation(context, { name: "work.find", operation: work.find }, { businessId: text });
  return checkAnswer(work.find.answer, reply).cases;
}

/** Finds cases with a number: the last case, one of the worklist, or those of the data views that list cases. */
async function findElsewhere(context: CommandContext, text: string): Promise<readonly FoundCase[] | undefined> {
  const hasNumber = (id: unknown): id is string =>
    isNonEmptyString(id) && getShortId(id).toLowerCase() === text.toLowerCase();
  const last = readLastCase(context.globals);
  if (hasNumber(last)) return [{ ID: last }];
  const { readWorklist } = await import("./worklist.ts");
  const worklist = await readIfServed(() => readWorklist(context));
  const own = worklist?.assignments.map(({ caseID }) => caseID).find(hasNumber);
  if (own !== undefined) return [{ ID: own }];
  const { searchCaseViews } = await import("./case_views.ts");
  const found = await searchCaseViews(context, { number: text });
  return found === undefined || found.cases.length === 0 ? undefined : found.cases;
}

/** Reads the open assignments of a case. */
async function readAssignments(context: CommandContext, caseId: string): Promise<AssignmentInfo[]> {
  const ref = { name: "cases.get", operation: cases.get };
  try {
    const reply = await callOperation(context, ref, { caseId });
    return checkAnswer(cases.get.answer, reply).data.caseInfo.assignments ?? [];
  } catch (error) {
    throw error instanceof SvcError ? adviseOnShortId(error, caseId) : error;
  }
}

/** Replaces the hint for a case that was not found by its short ID. */
export function adviseOnShortId(error: SvcError, text: string): SvcError {
  if (error.code !== "NOT_FOUND" || !isShortId(text)) return error;
  return error.with({ hint: `This service does not find short IDs such as ${text}. Write the full handle in quotes.` });
}

/** Selects the assignments in the worklist of the caller; otherwise those that the caller may take; otherwise all. */
async function selectOwn(context: CommandContext, open: readonly AssignmentInfo[]): Promise<readonly AssignmentInfo[]> {
  const takeable = open.filter(canPerform);
  const own = takeable.filter(({ assigneeInfo }) => assigneeInfo?.type === "worklist");
  const [best = []] = [own, takeable, open].filter((some) => some.length > 0);
  return best === own && own.length > 1 ? await selectFromWorklist(context, own) : best;
}

/** Some services let a caller perform the assignments of others. The worklist shows which ones are the caller's own. */
async function selectFromWorklist(
  context: CommandContext,
  candidates: readonly AssignmentInfo[],
): Promise<readonly AssignmentInfo[]> {
  const { readWorklist } = await import("./worklist.ts");
  const worklist = await readIfServed(() => readWorklist(context));
  const own = candidates.filter(({ ID }) => worklist?.assignments.some((one) => one.ID === ID));
  return own.length > 0 ? own : candidates;
}
