/** Computes without saving: forms from changed content, and calculated fields. */
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { CalculationRequest } from "../../../lib/operation/operation.ts";
import type { View } from "../../application/model/application.ts";
import type { Field } from "../../application/model/field.ts";
import { Invalid } from "../../errors.ts";
import { calculate } from "./content.ts";
import { fillForm, type Submission } from "./fill_form.ts";
import type { CaseWork } from "../case_work.ts";

/** The row of an embedded list that a caller shows. */
export interface InterestPage {
  /** Reference, e.g. `.Documents(1)`. */
  readonly interestPage?: string;
  /** ID of the inner action. */
  readonly interestPageActionId?: string;
}

/** A row of an embedded list, from 0. */
export interface RowPlace {
  readonly list: string;
  readonly row: number;
}

/** Computes the content of a form after a submission, with its calculated fields. Stores nothing. */
export function computeForm(work: CaseWork, view: View, current: JsonObject, submission: Submission): JsonObject {
  const content = cloneJson(fillForm(view, current, submission, { complete: false }).content);
  calculate(work.type.fields, content, { ...work.scope(), fields: content });
  return content;
}

/**
 * Selects the requested fields of a content, at their places in it. Omits unknown fields. Throws `Invalid` for a context
 * that does not exist, and for conditions, which an application cannot define.
 */
export function pickRequestedFields({ calculations }: CalculationRequest, view: View, content: JsonObject): JsonObject {
  if (calculations.whens !== undefined && calculations.whens.length > 0) {
    throw new Invalid("The application defines no conditions: leave out calculations.whens");
  }
  const fields = new Map(Array.from(view.fields, ([name, { field }]) => [name, field]));
  const requested: JsonObject = {};
  for (const { name, context } of calculations.fields) {
    const [, path = "", field = ""] = name.match(/^\.?(?:(.*)\.)?(\w+)$/) ?? [];
    const place = findPlace(path === "" ? context : `${context}.${path}`, fields, content);
    const value = place.content[field];
    if (place.fields.has(field) && value !== undefined) place.findIn(requested)[field] = value;
  }
  return requested;
}

/** The content of a case, or a page or row in it. */
interface Place {
  readonly fields: ReadonlyMap<string, Field>;
  readonly content: JsonObject;
  /** Returns the object at the same place of another content. Creates the pages and rows up to it. */
  findIn(other: JsonObject): JsonObject;
}

/** Finds the place that a context names, e.g. `content`, `content.Address` or `content.Documents(1)`. */
function findPlace(context: string, fields: Place["fields"], content: JsonObject): Place {
  const [root, ...steps] = context.replace(/^caseInfo\./, "").split(".");
  let place: Place | undefined = root === "content" ? { fields, content, findIn: (other) => other } : undefined;
  for (const step of steps) place = place && enter(step, place);
  if (place === undefined) throw new Invalid(`The context '${context}' is neither the content nor a page or row of it`);
  return place;
}

/** Enters a page or a row, e.g. `Address`, `Documents(1)` or `Rooms(Kitchen)`. Returns undefined if it does not exist. */
function enter(step: string, { fields, content, findIn }: Place): Place | undefined {
  const [, name = "", index] = step.match(/^(\w+)(?:\(([\w-]+)\))?$/) ?? [];
  const { embedded, type } = fields.get(name) ?? {};
  const value = content[name];
  const inner = index === undefined ? value : readIndexed(value, index);
  const fitsType = (index === undefined) === (type === "Page");
  if (embedded === undefined || !fitsType || !isJsonObject(inner)) return undefined;
  return {
    fields: embedded.fields,
    content: inner,
    findIn(other) {
      const outer = findIn(other);
      if (index === undefined) return toObject(outer[name] ??= {});
      if (type === "PageGroup") return toObject(toObject(outer[name] ??= {})[index] ??= {});
      const rows = outer[name] ??= [];
      if (!Array.isArray(rows)) return {};
      while (rows.length < Number(index)) rows.push({});
      return toObject(rows[Number(index) - 1]);
    },
  };
}

/** Reads a row by its number, starting at 1, or a page in a page group by its name. */
function readIndexed(value: JsonValue | undefined, index: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(index) - 1];
  return isJsonObject(value) && Object.hasOwn(value, index) ? value[index] : undefined;
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Finds the row that an interest page names. Throws `Invalid` if it does not exist. */
export function findInterestRow(
  { interestPage: page, interestPageActionId: action }: InterestPage,
  content: JsonObject,
): RowPlace | undefined {
  if (action !== undefined) {
    throw new Invalid("interestPageActionID: rows of this service have no actions. Send interestPage alone");
  }
  if (page === undefined) return undefined;
  const [, list, position] = page.match(/^\.?(\w+)\((\d+)\)$/) ?? [];
  const rows = list === undefined ? undefined : content[list];
  const row = Number(position) - 1;
  if (list !== undefined && Array.isArray(rows) && row in rows) return { list, row };
  throw new Invalid(`interestPage '${page}' is not a row of an embedded list`);
}
