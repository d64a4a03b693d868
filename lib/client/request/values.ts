/** Checks the values of a call before anything is sent. */
import { getErrorMessage, SvcError } from "../../errors.ts";
import { formatMemberPath, hasToJson } from "../../../utils/json.ts";
import {
  findExclusive,
  isOfType,
  listParams,
  type Operation,
  type Param,
  type ParamTypes,
  REQUEST_OPTIONS,
  takesTag,
  toKebab,
  TYPE_NAMES,
} from "../../operation/operation.ts";
import { lowerFirst, truncate } from "../../../utils/text/wording.ts";

/** Values of a call by parameter name: positional arguments and flags. */
export type Values = Readonly<Record<string, unknown>>;

/** A value that has the type of its parameter. */
export type CheckedValue = ParamTypes[keyof ParamTypes];

/** Maximum number of characters of a value in a message. */
const MAX_VALUE = 60;

/** Returns the given values and the defaults. Throws `INVALID_ARGS` for an invalid value. */
export function checkValues(operation: Operation, values: Values): Map<string, CheckedValue> {
  const checked = new Map<string, CheckedValue>();
  for (const [name, param] of listParams(operation)) {
    const value = toValue(param, values[name] === undefined ? param.default : values[name]);
    const called = () => nameParam(operation, name);
    if (value === undefined) {
      if (param.required) throw invalid(`${called()} is required.`, describeParam(operation, param));
      continue;
    }
    if (param.rejected !== undefined) throw invalid(param.rejected, `Leave out ${called()}.`);
    if (!isOfType(param.type, value)) throw invalid(`${called()} must be ${TYPE_NAMES[param.type]}.`);
    if (param.choices !== undefined && !param.choices.some((choice) => choice === value)) {
      const given = truncate(JSON.stringify(value), MAX_VALUE);
      throw invalid(`${called()} must be one of ${param.choices.join(", ")}, not ${given}.`);
    }
    if (typeof value === "object" && param.type !== "file") checkJson(value, called());
    checked.set(name, value);
  }
  checkTogether(operation, checked);
  addImplied(operation, checked);
  checkNames(operation, values);
  return checked;
}

/** Converts a value with a `toJSON` method, such as a date. */
function toValue({ type }: Param, value: unknown): unknown {
  return type !== "file" && typeof value === "object" && value !== null && hasToJson(value) ? value.toJSON() : value;
}

function describeParam({ interactive }: Operation, { help }: Param): string {
  return `It is the ${lowerFirst(help)}.` + (interactive ? " At a terminal, --interactive asks for it." : "");
}

/** Returns a hint for a 404 of the service: the identifiers to check. */
export function describeNotFound(operation: Operation): string | undefined {
  const params = listParams(operation);
  const record = operation.tagFrom?.scalarsOf;
  const known = params.filter(([name, { to, identifies }]) => to.startsWith("path:") || identifies || name === record);
  const identifiers = known.length > 0 ? known : params.filter(([, { required }]) => required);
  const named = identifiers.map(([name, { help }]) => `${nameParam(operation, name)} (${lowerFirst(help)})`);
  const { variant } = operation;
  const hints = [
    ...variant === undefined ? [] : [`Only the ${variant} deployment variant serves it.`],
    ...named.length === 0 ? [] : [`Check ${named.join(" and ")}.`],
  ];
  return hints.length === 0 ? undefined : hints.join(" ");
}

function checkTogether(operation: Operation, given: ReadonlyMap<string, unknown>): void {
  const exclusive = findExclusive(listParams(operation), (name) => given.has(name));
  if (exclusive !== undefined) {
    const [name, other] = exclusive.map(flag);
    throw invalid(
      `${name} and ${other} are mutually exclusive.`,
      operation.flags?.[exclusive[0]]?.to === "body:*"
        ? `Put it all into ${name}, or leave ${name} out.`
        : "Leave out one of them.",
    );
  }
  const { atLeastOne } = operation;
  if (atLeastOne && !atLeastOne.some((name) => given.has(name))) {
    throw invalid(`At least one of ${atLeastOne.map(flag).join(", ")} is required.`);
  }
}

/** Adds the values that other values need in the request. */
function addImplied({ flags = {} }: Operation, given: Map<string, CheckedValue>): void {
  for (const [name, { implies = {} }] of Object.entries(flags)) {
    if (!given.has(name)) continue;
    for (const [other, value] of Object.entries(implies)) if (!given.has(other)) given.set(other, value);
  }
}

/** Names a value that was passed in an object where it does not belong. No parameter has such a name. */
export function misplaced(object: "params" | "options", name: string): string {
  return `${object}.${name}`;
}

function checkNames(operation: Operation, values: Values): void {
  const known = new Set(listParams(operation).map(([name]) => name));
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || known.has(name)) continue;
    if (name !== "ifMatch" || !takesTag(operation)) throw unknownName(operation, name);
    if (!isHeaderValue(value)) throw invalid("--if-match must be an entity tag, as the service gave it.");
  }
}

function unknownName(operation: Operation, name: string): SvcError {
  const option = REQUEST_OPTIONS.find((option) => misplaced("params", option) === name);
  if (option !== undefined) {
    return invalid(
      `${option} is a request option, not a parameter of this operation.`,
      `Pass it in the last argument, after the parameters: { ${option} }.`,
    );
  }
  const param = listParams(operation).find(([param]) => misplaced("options", param) === name)?.[0];
  if (param === undefined) {
    return invalid(`${flag(name.replace(/^options\./, ""))} is not an option of this operation.`);
  }
  return operation.args?.some((arg) => arg.name === param)
    ? invalid(`${param} is an argument of this operation, not an option.`, "Leave it out of the options.")
    : invalid(`${param} is a parameter of this operation, not a request option.`, "Pass it in the argument before.");
}

/** Reports whether a value can be sent in a header: printable ASCII, and bytes beyond it as Latin-1 characters. */
function isHeaderValue(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e\x80-\xff]+$/.test(value);
}

/** Returns the name of a parameter for messages, as on the command line. */
export function nameParam({ args = [] }: Operation, name: string): string {
  return args.some((arg) => arg.name === name) ? name : flag(name);
}

function flag(name: string): string {
  return "--" + toKebab(name);
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}

/** Throws `INVALID_ARGS` unless a value can cancel a call. */
export function checkSignal(signal: unknown): asserts signal is AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw new SvcError("INVALID_ARGS", "signal must be an AbortSignal.", {
    hint: "Pass the signal of an AbortController.",
  });
}

/** Returns a value as JSON text. Throws `INVALID_ARGS` for a value that JSON cannot represent. */
export function jsonText(value: unknown): string {
  return rejectOthers(() => JSON.stringify(value));
}

/** Throws `INVALID_ARGS` for a value that JSON would change silently. */
export function checkJson(value: unknown, name?: string): void {
  rejectOthers(() => expectJson(value, name));
}

function rejectOthers<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const [reason = ""] = getErrorMessage(cause).split("\n");
    throw new SvcError("INVALID_ARGS", `A value is not JSON: ${reason.replace(/\.$/, "")}.`, {
      cause,
      hint: "Use texts, finite numbers, true, false, null, arrays and objects. An object must not contain itself.",
    });
  }
}

/**
 * Throws a `TypeError` for a value that `JSON.stringify` would change silently: to `null` (`NaN`, an invalid date) or to
 * `{}` (a map, an error, a promise). Objects with a `toJSON` method are accepted.
 */
export function expectJson(value: unknown, name: string = ""): void {
  const loss = findLoss(value, new Set());
  if (loss === undefined) return;
  const place = (name + loss.path).replace(/^\./, "") || "it";
  throw new TypeError(`${place} is ${loss.what}`);
}

/** A value that JSON would change. The path is built on the way back, because only an error needs it. */
interface Loss {
  readonly path: string;
  readonly what: string;
}

/** Maximum depth that is checked. Deeper data would overflow the stack. */
const MAX_LEVELS = 1000;

function findLoss(value: unknown, above: Set<object>): Loss | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { path: "", what: String(value) };
  if (typeof value !== "object" || value === null || above.size > MAX_LEVELS) return undefined;
  if (above.has(value)) return { path: "", what: "an object that holds it" };
  if (hasToJson(value)) return isInvalidDate(value) ? { path: "", what: "an invalid date" } : undefined;
  if (isEmptied(value)) return { path: "", what: `of the class ${value.constructor?.name}` };
  above.add(value);
  const loss = Array.isArray(value) ? findArrayLoss(value, above) : findMemberLoss(value, above);
  above.delete(value);
  return loss;
}

function findArrayLoss(array: readonly unknown[], above: Set<object>): Loss | undefined {
  for (let i = 0; i < array.length; i++) {
    const loss = findLoss(array[i], above);
    if (loss !== undefined) return { ...loss, path: `[${i}]${loss.path}` };
  }
  return undefined;
}

function findMemberLoss(object: object, above: Set<object>): Loss | undefined {
  for (const name of Object.keys(object)) {
    const loss = findLoss(Reflect.get(object, name), above);
    if (loss !== undefined) return { ...loss, path: formatMemberPath(name) + loss.path };
  }
  return undefined;
}

function isInvalidDate(value: object): boolean {
  return value instanceof Date && Number.isNaN(value.getTime());
}

/** Reports whether JSON loses the content of an object, because it is not in its members. */
function isEmptied(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return false;
  if (value instanceof Error || value instanceof Map || value instanceof Set) return true;
  return Object.keys(value).length === 0 && JSON.stringify(value) === "{}";
}
