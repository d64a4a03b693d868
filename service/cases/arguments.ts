/** Reads the arguments of operations on cases. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { truncate } from "../../utils/text/wording.ts";
import { isOfType, type ParamTypes, TYPE_NAMES } from "../../lib/operation/operation.ts";
import type { LocalAction } from "../application/model/application.ts";
import { type CaseOptions, createCaseOutcome, type ViewType } from "./views/case.ts";
import type { Submission } from "./content/fill_form.ts";
import type { CaseWork } from "./case_work.ts";
import { createIssue, Invalid } from "../errors.ts";
import type { HandlerContext, Outcome } from "../http/handler.ts";
import { RequestError } from "../http/status.ts";
import { type RefreshRequest, ROW_OPERATIONS } from "./refresh.ts";

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

const VIEW_TYPES: readonly ViewType[] = ["none", "form", "page"];

/** Reads the view type: the part of the user interface to return besides the data. */
export function readViewType({ query }: HandlerContext, fallback: ViewType): ViewType {
  const given = query.get("viewType");
  return VIEW_TYPES.find((one) => one === given) ?? fallback;
}

/** Reads the view type and the name of the page. */
export function readPage(
  context: HandlerContext,
  fallback: ViewType,
): Pick<CaseOptions, "viewType" | "pageName"> {
  return { viewType: readViewType(context, fallback), pageName: context.query.get("pageName") || undefined };
}

/** Creates the outcome of a change, with the next assignment of the caller. */
export function createChangedOutcome(work: CaseWork, context: HandlerContext): Outcome {
  return createCaseOutcome(work, { viewType: readViewType(context, "none"), changed: true });
}

/** Reads a boolean query parameter that is not an option of the operation. */
export function readSwitch({ query }: HandlerContext, name: string, fallback: boolean): boolean {
  return (query.get(name) ?? String(fallback)) === "true";
}

/** The decoded values of the operations that refresh a form. */
export interface RefreshValues extends FormValues {
  interestPage?: string;
  interestPageActionId?: string;
  contextData?: boolean;
  fillFormWithAi?: boolean;
}

/** Reads a refresh. `refreshFor` has no effect: a refresh always computes the whole form. */
export function readRefresh(values: RefreshValues, context: HandlerContext): RefreshRequest {
  const { interestPage, interestPageActionId: rowAction, contextData = false, fillFormWithAi = false } = values;
  const operation = ROW_OPERATIONS.find((one) => one === context.query.get("operation"));
  if (fillFormWithAi) {
    throw new RequestError("Unavailable", "This service has no AI to fill in forms. Leave out fillFormWithAI.");
  }
  const needs = operation === undefined ? "interestPageActionID" : `operation=${operation}`;
  if (interestPage === undefined && (rowAction ?? operation) !== undefined) {
    throw new Invalid(`${needs} needs interestPage, the row of an embedded list, such as .Stops(1)`);
  }
  if (operation !== undefined && rowAction === undefined) {
    throw new Invalid(`${needs} needs interestPageActionID, the action of the row`);
  }
  return { submission: readSubmission(values), interestPage, rowAction, operation, contextOnly: contextData };
}

/** Describes a bulk action. */
export function describeBulkAction({ id, name, scope }: LocalAction): JsonObject {
  return { id, ID: id, name, type: scope };
}

/** Reads a submission from a body whose members are not options of the operation. */
export function readBodySubmission(body: JsonValue | undefined): Submission {
  return {
    content: readMember(body, "content", "object"),
    pageInstructions: readMember(body, "pageInstructions", "array"),
  };
}

/** Reads a member of a body that is not an option of the operation. Null counts as missing, as for options. */
export function readMember<T extends keyof ParamTypes>(
  body: JsonValue | undefined,
  name: string,
  type: T,
): ParamTypes[T] | undefined {
  const value = isJsonObject(body) ? body[name] ?? undefined : undefined;
  if (value === undefined || isOfType(type, value)) return value;
  const place = { erroneousInputOutputIdentifier: name };
  throw new Invalid([createIssue(`${name}: must be ${TYPE_NAMES[type]}.`, place)]);
}

/** Checks the members of a body. Throws `Invalid` for an unknown one, which would be lost. */
export function checkMembers(body: JsonValue | undefined, known: readonly string[]): void {
  const unknown = isJsonObject(body) ? Object.keys(body).find((name) => !known.includes(name)) : undefined;
  if (unknown === undefined) return;
  const place = { erroneousInputOutputIdentifier: unknown };
  const message = `The body has no member '${truncate(unknown, 50)}'; it may have ${known.join(", ")}.`;
  throw new Invalid([createIssue(message, place)]);
}

/** Maximum number of elements in a call. A call is one unit of work, for which all others wait. */
const MAX_ELEMENTS = 1000;

/** Checks the number of elements in a call. Throws `Invalid` if there are too many. */
export function checkCount(count: number, things: string, most: number = MAX_ELEMENTS): void {
  if (count > most) throw new Invalid(`A call may have at most ${most} ${things}, not ${count}`);
}
