/** Computes without saving: forms from changed content, calculated fields, and conditions. */
import { cloneJson, isJsonObject, type JsonObject } from "../../../utils/json.ts";
import type { CalculationRequest } from "../../../lib/operation/operation.ts";
import type { Condition, Field, Scope, View } from "../../application/model/application.ts";
import { Invalid } from "../../errors.ts";
import type { CaseWork } from "../case_work.ts";
import { calculateIncomplete, pickFitting, tryCompute } from "./content.ts";
import { fillForm, type Submission } from "./fill_form.ts";
import { createRoot, findPlace, type Place } from "./place.ts";

/**
 * Computes the content of a form after a submission, with its calculated fields. The form may be incomplete, and keeps
 * values that do not fit their fields. Stores nothing.
 */
export function computeForm(
  work: CaseWork,
  view: View,
  current: JsonObject,
  submission: Submission,
  { keepsText }: { readonly keepsText?: boolean } = {},
): JsonObject {
  const content = cloneJson(fillForm(view, current, submission, { complete: false, lenient: true, keepsText }).content);
  calculateIncomplete(work.type.fields, content, work.scope());
  return content;
}

/** Returns the place of a form's content. */
export function createFormRoot({ type }: CaseWork, view: View, content: JsonObject): Place {
  const fields = new Map(Array.from(view.fields, ([name, { field }]): [string, Field] => [name, field]));
  return createRoot({ classId: type.id, fields, views: [view, ...type.views.values()], view }, content);
}

/** Requested values of a form, at their places in its content. */
export interface RequestedValues {
  readonly content: JsonObject;
  /** Results of conditions. */
  readonly conditions: JsonObject;
}

/**
 * Selects the requested fields of a form, and evaluates the requested conditions. Omits those that the form does not know.
 * Throws `Invalid` for a context that does not exist.
 */
export function pickRequested(
  { calculations: { fields = [], whens = [] } }: CalculationRequest,
  work: CaseWork,
  root: Place,
): RequestedValues {
  const content: JsonObject = {};
  for (const { place, name } of fields.map((requested) => findRequested(requested, root))) {
    const value = place.content[name];
    if (place.fields.has(name) && value !== undefined) place.findIn(content)[name] = value;
  }
  const conditions: JsonObject = {};
  const scopes = new Map<string, Scope>();
  for (const { place, name } of whens.map((requested) => findRequested(requested, root))) {
    const holds = findCondition(name, place);
    if (holds === undefined) continue;
    const scope = scopes.get(place.path) ?? createScope(work, place, place === root);
    scopes.set(place.path, scope);
    const result = tryCompute(() => holds(scope));
    if (result !== undefined) addResult(place.findIn(conditions), name, result);
  }
  return { content, conditions };
}

function findRequested(
  { name: path, context }: { readonly name: string; readonly context: string },
  root: Place,
): { place: Place; name: string } {
  const [isKnown, base = ""] = context.match(/^(?:caseInfo\.)?content(\..+)?$/) ?? [];
  const [, inner = "", name = ""] = path.match(/^\.?(?:(.*)\.)?(\w+)$/) ?? [];
  const place = isKnown && findPlace(inner === "" ? base : `${base}.${inner}`, root);
  if (place) return { place, name };
  throw new Invalid(`The context '${context}' is neither the content nor a page or row of it`);
}

function findCondition(name: string, { views }: Place): Condition | undefined {
  return views.map(({ whens }) => whens?.get(name)).find((condition) => condition !== undefined);
}

/** Creates the scope of conditions about a place, which can use all values that fit their fields. */
function createScope(work: CaseWork, { fields, content }: Place, isRoot: boolean): Scope {
  return { ...work.scope(), fields: pickFitting(isRoot ? work.type.fields : fields, content) };
}

/** Adds the result of a condition to the page of `context_data` to which it belongs. */
function addResult(page: JsonObject, name: string, result: boolean): void {
  const { summary_of_when_conditions__: known } = page;
  page.summary_of_when_conditions__ = { ...(isJsonObject(known) && known), [name]: result };
}
