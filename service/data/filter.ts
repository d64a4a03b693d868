/** Builds filters from the conditions of data views and of requests. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { listTextForms } from "../../utils/text/text_forms.ts";
import { describeOperand, type Scalar, supportsComparator, toScalar } from "../application/expressions/comparisons.ts";
import { CONDITION_COMPARATORS, type DataView, type DataViewParameter } from "../application/model/data_view.ts";
import { type FieldType, VALUE_KINDS } from "../application/model/field.ts";
import { type DomainError, Invalid } from "../errors.ts";
import { type Comparator, COMPARATORS, type Filter } from "../store/query.ts";
import { findColumn, type NamedColumn } from "./columns.ts";
import { type Logic, parseLogic } from "./logic.ts";
import type { DataQuery, QueryCondition } from "./request.ts";

/** Maximum number of characters in a text to compare with. */
const MAX_TEXT = 10_000;

/** Builds the filter of a data view from its parameters and the caller. */
export function buildViewFilter(view: DataView, parameters: JsonObject, caller: string): Filter[] {
  const values = readParameters(view, parameters);
  return view.filter.flatMap(({ field, comparator, with: right }) => {
    const value = "caller" in right ? caller : "value" in right ? right.value : values.get(right.parameter);
    if (value === undefined) return [];
    return toFilter(view, { field, comparator, right: { values: [value] }, ignoreCase: false });
  });
}

/** Builds the filter of a request. */
export function buildRequestFilter(view: DataView, { conditions, logic }: DataQuery): Filter[] {
  const filters = new Map([...conditions].map(([name, condition]) => [name, toFilter(view, condition)]));
  if (logic === undefined) return [...filters.values()];
  const used = new Set<string>();
  const filter = applyLogic(parseLogic(logic), filters, used);
  const unused = [...filters.keys()].find((name) => !used.has(name));
  if (unused !== undefined) throw new Invalid(`The filter logic does not use the condition ${unused}.`);
  return [filter];
}

/** Reads the parameters of a data view and fills in their defaults. Throws Invalid if one is unknown, missing or wrong. */
export function readParameters({ id, parameters }: DataView, values: JsonObject): Map<string, Scalar> {
  const unknown = Object.keys(values).find((name) => !parameters.has(name));
  if (unknown !== undefined) {
    throw new Invalid(`${id} has no parameter ${unknown}${suggestAlternatives(unknown, parameters.keys())}`);
  }
  return new Map([...parameters.values()].flatMap((parameter): [string, Scalar][] => {
    const value = readParameter(id, parameter, values[parameter.name]);
    return value === undefined ? [] : [[parameter.name, value]];
  }));
}

function readParameter(
  viewId: string,
  { name, type, required, default: fallback }: DataViewParameter,
  given: JsonValue | undefined,
): Scalar | undefined {
  if (given === undefined || given === null || given === "") {
    if (required && fallback === undefined) throw new Invalid(`${viewId} needs the parameter ${name}.`);
    return fallback;
  }
  const value = toScalar(type, given);
  if (value === undefined) throw new Invalid(`The parameter ${name} must be of the type ${type}.`);
  return value;
}

function applyLogic(logic: Logic, filters: ReadonlyMap<string, Filter>, used: Set<string>): Filter {
  if ("and" in logic) return { and: logic.and.map((part) => applyLogic(part, filters, used)) };
  if ("or" in logic) return { or: logic.or.map((part) => applyLogic(part, filters, used)) };
  if ("not" in logic) return { not: applyLogic(logic.not, filters, used) };
  const filter = filters.get(logic.condition);
  if (!filter) {
    throw new Invalid(`The filter logic names ${logic.condition}, but there is no such condition.`);
  }
  used.add(logic.condition);
  return filter;
}

function toFilter(view: DataView, condition: QueryCondition): Filter {
  const column = findColumn(view, condition.field);
  const comparator = condition.comparator.toUpperCase();
  switch (comparator) {
    case "IS_NULL":
    case "ISNULL":
      return { isNull: column.place };
    case "IS_NOT_NULL":
    case "ISNOTNULL":
      return { not: { isNull: column.place } };
    case "IS_TRUE":
    case "IS_FALSE":
      if (VALUE_KINDS[column.field.type] !== "boolean") throw unfit(condition, "a field that is true or false");
      return { left: column.place, comparator: "EQ", right: { value: comparator === "IS_TRUE" } };
    case "IN":
      return matchAny(column, condition);
    case "NOT_IN":
      return { not: matchAny(column, condition) };
    case "NEQ":
      return { not: compare(column, condition, "EQ", view) };
    default:
      return comparator.startsWith("NOT_")
        ? { not: compare(column, condition, comparator.slice("NOT_".length), view) }
        : compare(column, condition, comparator, view);
  }
}

function matchAny(column: NamedColumn, condition: QueryCondition): Filter {
  if ("field" in condition.right) throw unfit(condition, "values");
  const values = condition.right.values.flatMap((value) => listForms(readOperand(column, value, condition)));
  return { field: column.place, in: values, ignoreCase: condition.ignoreCase };
}

function compare(column: NamedColumn, condition: QueryCondition, name: string, view: DataView): Filter {
  const { type } = column.field;
  const { field, right, ignoreCase } = condition;
  const comparator = COMPARATORS.find((one) => one === name);
  if (comparator === undefined || !supportsComparator(type, comparator)) {
    const reason = `${condition.comparator} is not a comparator for ${field}, a field of the type ${type}`;
    throw new Invalid(`${reason}; available: ${listComparators(type).join(", ")}`);
  }
  if ("field" in right) {
    const other = findColumn(view, right.field);
    const kind = VALUE_KINDS[type];
    if (VALUE_KINDS[other.field.type] !== kind || kind === "embedded") {
      throw unfit(condition, `a field that compares as ${kind}`);
    }
    return { left: column.place, comparator, right: { field: other.place }, ignoreCase };
  }
  if (right.values.length !== 1) throw unfit(condition, "one value");
  const value = readOperand(column, right.values[0], condition);
  const forms = isRange(comparator) ? [value] : listForms(value);
  if (forms.length > 1 && comparator === "EQ") return { field: column.place, in: forms, ignoreCase };
  const comparisons = forms.map((value): Filter => ({ left: column.place, comparator, right: { value }, ignoreCase }));
  const [only] = comparisons;
  return comparisons.length === 1 && only !== undefined ? only : { or: comparisons };
}

/** Lists the forms in which a value can be stored. */
function listForms(value: Scalar): readonly Scalar[] {
  return typeof value === "string" ? listTextForms(value) : [value];
}

function isRange(comparator: Comparator): boolean {
  return ["GT", "GTE", "LT", "LTE"].includes(comparator);
}

/** Lists the comparators of a type. Most opposites are left out: they begin with `NOT_`. */
function listComparators(type: FieldType): string[] {
  const supported = CONDITION_COMPARATORS.filter((name) => !name.startsWith("NOT_") && supportsComparator(type, name));
  return VALUE_KINDS[type] === "embedded" ? ["IS_NULL", "IS_NOT_NULL"] : [...supported, "IN", "IS_NULL"];
}

function readOperand({ field }: NamedColumn, value: JsonValue | undefined, condition: QueryCondition): Scalar {
  const scalar = toScalar(field.type, value);
  if (scalar === undefined) throw unfit(condition, describeOperand(field.type));
  if (typeof scalar === "string" && scalar.length > MAX_TEXT) {
    throw unfit(condition, `a text of at most ${MAX_TEXT} characters`);
  }
  return scalar;
}

function unfit({ field, comparator }: QueryCondition, needed: string): DomainError {
  return new Invalid(`The condition ${field} ${comparator} needs ${needed}.`);
}
