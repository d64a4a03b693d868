/** The conditions of a request and of a data view as one filter, each value of its field's type. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { DataView, DataViewParameter, FieldType } from "../application/model/application.ts";
import { comparesBy, neededFor, type Scalar, toScalar } from "../application/expressions/comparisons.ts";
import { kindOf } from "../application/model/kinds.ts";
import { COMPARATORS as WORDS } from "../application/schema/words.ts";
import { ServiceError } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { COMPARATORS, type Filter } from "../store/query.ts";
import { columnOf, type NamedColumn } from "./columns.ts";
import { type Logic, parseLogic } from "./logic.ts";
import type { Condition, DataQuery } from "./request.ts";

/** Characters of a text to compare with. */
const TEXT_LIMIT = 10_000;

/** The conditions that a data view has of its own, with its parameters and the caller filled in. */
export function viewFilter(view: DataView, parameters: JsonObject, caller: string): Filter[] {
  const values = parameterValues(view, parameters);
  return view.filter.flatMap(({ field, comparator, with: right }) => {
    const value = "caller" in right ? caller : "value" in right ? right.value : values.get(right.parameter);
    if (value === undefined) return [];
    return toFilter(view, { field, comparator, right: { values: [value] }, ignoreCase: false });
  });
}

/** The conditions of a request. */
export function queryFilter(view: DataView, { conditions, logic }: DataQuery): Filter[] {
  const filters = new Map([...conditions].map(([name, condition]) => [name, toFilter(view, condition)]));
  if (logic === undefined) return [...filters.values()];
  const used = new Set<string>();
  const filter = resolve(parseLogic(logic), filters, used);
  const unused = [...filters.keys()].find((name) => !used.has(name));
  if (unused !== undefined) throw new ServiceError(400, `The filter logic does not use the condition ${unused}.`);
  return [filter];
}

/** The values of a data view's parameters, defaults included; 400 for one that is unknown, missing or unfit. */
function parameterValues(view: DataView, given: JsonObject): Map<string, Scalar> {
  const values = new Map<string, Scalar>();
  for (const name of Object.keys(given)) {
    if (!view.parameters.has(name)) {
      throw new ServiceError(
        400,
        `${view.id} has no parameter ${name}${suggestAlternatives(name, view.parameters.keys())}`,
      );
    }
  }
  for (const parameter of view.parameters.values()) {
    const value = parameterValue(view, parameter, given[parameter.name]);
    if (value !== undefined) values.set(parameter.name, value);
  }
  return values;
}

function parameterValue(
  view: DataView,
  parameter: DataViewParameter,
  given: JsonValue | undefined,
): Scalar | undefined {
  const { name, type, required } = parameter;
  if (given === undefined || given === null || given === "") {
    if (required && parameter.default === undefined) {
      throw new ServiceError(400, `${view.id} needs the parameter ${name}.`);
    }
    return parameter.default;
  }
  const value = toScalar(type, given);
  if (value === undefined) throw new ServiceError(400, `The parameter ${name} must be of the type ${type}.`);
  return value;
}

function resolve(logic: Logic, filters: ReadonlyMap<string, Filter>, used: Set<string>): Filter {
  if ("and" in logic) return { and: logic.and.map((part) => resolve(part, filters, used)) };
  if ("or" in logic) return { or: logic.or.map((part) => resolve(part, filters, used)) };
  if ("not" in logic) return { not: resolve(logic.not, filters, used) };
  const filter = filters.get(logic.condition);
  if (!filter) throw new ServiceError(400, `The filter logic names ${logic.condition}, which is no condition.`);
  used.add(logic.condition);
  return filter;
}

function toFilter(view: DataView, condition: Condition): Filter {
  const column = columnOf(view, condition.field);
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
      if (kindOf(column.field.type) !== "boolean") throw unfit(condition, "a field that is true or false");
      return { left: column.place, comparator: "EQ", right: { value: comparator === "IS_TRUE" } };
    case "IN":
      return oneOf(column, condition);
    case "NOT_IN":
      return { not: oneOf(column, condition) };
    case "NEQ":
      return { not: compared(column, condition, "EQ", view) };
    default:
      return comparator.startsWith("NOT_")
        ? { not: compared(column, condition, comparator.slice("NOT_".length), view) }
        : compared(column, condition, comparator, view);
  }
}

function oneOf(column: NamedColumn, condition: Condition): Filter {
  if ("field" in condition.right) throw unfit(condition, "values");
  const values = condition.right.values.map((value) => scalarOf(column, value, condition));
  return { field: column.place, in: values, ignoreCase: condition.ignoreCase };
}

function compared(column: NamedColumn, condition: Condition, name: string, view: DataView): Filter {
  const kind = kindOf(column.field.type);
  const comparator = COMPARATORS.find((one) => one === name);
  if (!comparator || !comparesBy(column.field.type, comparator)) {
    const { type } = column.field;
    const given = `${condition.comparator} is no comparator for ${condition.field}, a field of the type ${type}`;
    throw new ServiceError(400, `${given}; available: ${comparatorsFor(type).join(", ")}`);
  }
  const { right, ignoreCase } = condition;
  if ("field" in right) {
    const other = columnOf(view, right.field);
    if (kindOf(other.field.type) !== kind || kind === "embedded") {
      throw unfit(condition, `a field that compares as ${kind}`);
    }
    return { left: column.place, comparator, right: { field: other.place }, ignoreCase };
  }
  if (right.values.length !== 1) throw unfit(condition, "one value");
  return { left: column.place, comparator, right: { value: scalarOf(column, right.values[0], condition) }, ignoreCase };
}

/** What values of a type can be compared by, but for most opposites: those are the same after `NOT_`. */
function comparatorsFor(type: FieldType): string[] {
  const fitting = WORDS.filter((one) => !one.startsWith("NOT_") && comparesBy(type, one));
  return kindOf(type) === "embedded" ? ["IS_NULL", "IS_NOT_NULL"] : [...fitting, "IN", "IS_NULL"];
}

function scalarOf({ field }: NamedColumn, value: JsonValue | undefined, condition: Condition): Scalar {
  const scalar = toScalar(field.type, value);
  if (scalar === undefined) throw unfit(condition, neededFor(field.type));
  if (typeof scalar === "string" && scalar.length > TEXT_LIMIT) {
    throw unfit(condition, `a text of at most ${TEXT_LIMIT} characters`);
  }
  return scalar;
}

function unfit({ field, comparator }: Condition, needed: string): ServiceError {
  return new ServiceError(400, `The condition ${field} ${comparator} needs ${needed}.`);
}
