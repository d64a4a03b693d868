/** Reads the arguments of operations on cases. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { isOfType, type ParamTypes, TYPE_NAMES } from "../../lib/operation/operation.ts";
import type { LocalAction } from "../application/model/application.ts";
import { caseOutcome, type ViewType } from "./views/case.ts";
import type { Submission } from "./content/content.ts";
import type { CaseWork } from "./case_work.ts";
import { createIssue, Invalid } from "../errors.ts";
import type { HandlerContext, Outcome } from "../http/handler.ts";

/** The decoded values of the operations that submit a form. */
export interface FormValues {
  /** Content of the fields. */
  data?: JsonObject;
  /** Changes of embedded pages and lists. */
  pageInstructions?: JsonValue[];
  /** Attachments to add. */
  attachments?: JsonValue[];
}

/** Reads a submission. */
export function readSubmission({ data, pageInstructions, attachments }: FormValues): Submission {
  return { content: data, pageInstructions, attachments };
}

/** Reads the view type: the part of the user interface to return besides the data. */
export function readViewType(
  context: HandlerContext,
  fallback: ViewType,
  choices: readonly ViewType[] = ["none", "form", "page"],
): ViewType {
  return choiceOf(context, "viewType", choices) ?? fallback;
}

/** A case that has changed, with what is next for the caller. */
export function changedCase(work: CaseWork, context: HandlerContext): Outcome {
  return caseOutcome(work, { viewType: readViewType(context, "none"), changed: true });
}

/** How an action can be shown that is read. */
export const FORM: readonly ViewType[] = ["form", "page"];

/** Reads a boolean query parameter that is not an option of the operation. */
export function readSwitch(context: HandlerContext, name: string, fallback: boolean): boolean {
  return (choiceOf(context, name, ["true", "false"]) ?? String(fallback)) === "true";
}

/** Reads a query parameter with choices that is not an option of the operation. Case is ignored: some clients write `file` for `File`. */
export function choiceOf<T extends string>(
  { query }: HandlerContext,
  name: string,
  choices: readonly T[],
): T | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const found = choices.find((choice) => choice.toLowerCase() === given.toLowerCase());
  if (found !== undefined) return found;
  const all = choices.join(", ").replace(/, (\w+)$/, " or $1");
  throw new Invalid(`${name} must be ${all}, not '${given}'`);
}

/** Checks what a client says of a refresh: all of them compute the whole form, and none fills in what is missing. */
export function checkRefresh(context: HandlerContext): void {
  choiceOf(context, "operation", ["showRow", "submitRow"]);
  readSwitch(context, "fillFormWithAI", false);
}

/** An action that can be performed on several cases. */
export function bulkInfo({ id, name, scope }: LocalAction): JsonObject {
  return { id, ID: id, name, type: scope };
}

/** Reads a submission from a body whose members are not options of the operation. */
export function submissionIn(body: JsonValue | undefined): Submission {
  return {
    content: memberIn(body, "content", "object"),
    pageInstructions: memberIn(body, "pageInstructions", "array"),
  };
}

/** Reads a member of a body that is not an option of the operation. Null counts as missing, as for options. */
export function memberIn<T extends keyof ParamTypes>(
  body: JsonValue | undefined,
  name: string,
  type: T,
): ParamTypes[T] | undefined {
  const value = isJsonObject(body) ? body[name] ?? undefined : undefined;
  if (value === undefined || isOfType(type, value)) return value;
  const place = { erroneousInputOutputIdentifier: name };
  throw new Invalid([createIssue(`${name}: must be ${TYPE_NAMES[type]}.`, place)]);
}

/** Things that a call may be about: it is one unit of work, and all others wait for the whole of it. */
const MOST = 1000;

/** Refuses a call that is about too many things. */
export function checkCount(count: number, things: string, most: number = MOST): void {
  if (count > most) throw new Invalid(`A call may have at most ${most} ${things}, not ${count}`);
}
