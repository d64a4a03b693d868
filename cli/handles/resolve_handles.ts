/** Finds the full handles of cases and assignments. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { getProfileName } from "../../lib/auth/settings.ts";
import { SvcError } from "../../lib/errors.ts";
import type { AssignmentInfo } from "../../lib/resources/cases.ts";
import cases from "../../lib/resources/cases.ts";
import work, { type WorkFindAnswer } from "../../lib/resources/work.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { readLastCase } from "./cursor.ts";
import { getShortId, isAssignmentHandle, isShortId, LAST_CASE } from "./handles.ts";
import { isUnsupported } from "./is_unsupported.ts";

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
  const found = await findByNumber(context, text);
  if (found === undefined) return matchLastCase(context, text) ?? text;
  const [only, ...others] = found;
  if (only === undefined) {
    throw new SvcError("NOT_FOUND", `Case ${text.toUpperCase()} was not found, or you have no access to it.`, {
      hint: "Run 'svc find <text>' to search for a case.",
    });
  }
  if (others.length === 0) return only.ID;
  const names = found.map(({ ID, label }) => `${shellQuote(ID)} (${label})`).join(", ");
  throw new SvcError("INVALID_ARGS", `${text} is the number of ${found.length} cases: ${names}.`, {
    hint: "Write the full handle in quotes.",
  });
}

/** Returns the handle of an assignment that is named by its handle, or by a case in which the caller has one. */
export async function resolveAssignmentId(context: CommandContext, text: string): Promise<string> {
  if (isAssignmentHandle(text)) return text;
  const caseId = await resolveCaseId(context, text);
  const open = await readAssignments(context, caseId);
  if (open === undefined) return text;
  const [only, ...others] = selectOwn(open);
  if (only === undefined) {
    throw new SvcError("NOT_FOUND", `${caseId} has no open assignment.`, {
      hint: { commands: [{ args: ["show", getShortId(caseId)], purpose: "to see its status" }] },
    });
  }
  if (others.length === 0) return only.ID;
  const names = [only, ...others].map(({ ID, name }) => `${shellQuote(ID)} (${name})`).join(", ");
  const count = pluralize(others.length + 1, "open assignment");
  throw new SvcError("INVALID_ARGS", `${caseId} has ${count}: ${names}.`, { hint: "Write the handle of one of them." });
}

/** Finds the cases with a number. Returns undefined if the service cannot find them. */
async function findByNumber(context: CommandContext, text: string): Promise<WorkFindAnswer["cases"] | undefined> {
  const ref = { name: "work.find", operation: work.find };
  try {
    const reply = await callOperation(context, ref, { businessId: text });
    return checkAnswer(work.find.answer, reply).cases;
  } catch (error) {
    if (error instanceof SvcError && isUnsupported(error)) return undefined;
    throw error;
  }
}

/** Returns the last case if it has the number. */
function matchLastCase(context: CommandContext, text: string): string | undefined {
  const last = readLastCase(context.globals);
  return last !== undefined && getShortId(last).toLowerCase() === text.toLowerCase() ? last : undefined;
}

/** Reads the open assignments of a case. Returns undefined if there is no such case. */
async function readAssignments(context: CommandContext, caseId: string): Promise<AssignmentInfo[] | undefined> {
  const ref = { name: "cases.get", operation: cases.get };
  try {
    const reply = await callOperation(context, ref, { caseId });
    return checkAnswer(cases.get.answer, reply).data.caseInfo.assignments ?? [];
  } catch (error) {
    if (error instanceof SvcError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** Selects the assignments in the worklist of the caller; otherwise those that the caller may take; otherwise all. */
function selectOwn(open: readonly AssignmentInfo[]): readonly AssignmentInfo[] {
  const takeable = open.filter(({ canPerform }) => canPerform === "true");
  const own = takeable.filter(({ assigneeInfo }) => assigneeInfo?.type === "worklist");
  return [own, takeable, open].find((some) => some.length > 0) ?? [];
}
