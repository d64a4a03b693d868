/** Checks of parameter values, for the client before it sends and for the service after it receives. */
import { SvcError } from "../errors.ts";
import { isJsonObject, isNonEmptyString } from "../../utils/json.ts";
import type { FileInput, ParamTypes } from "./operation.ts";

/** Descriptions of the types, for the sentence "--flag must be …". */
export const TYPE_NAMES: { readonly [T in keyof ParamTypes]: string } = {
  string: "text",
  integer: "a whole number, 0 or more",
  boolean: "true or false",
  object: "a JSON object",
  array: "a JSON array",
  list: "a list of non-empty texts",
  calculation: 'a calculation request: {"calculations":{"fields":[{"name":".Total","context":"content"}]}}',
  file: "a file",
};

const CHECKS: { readonly [T in keyof ParamTypes]: (value: unknown) => value is ParamTypes[T] } = {
  string: (value): value is string => typeof value === "string",
  integer: isWhole,
  boolean: (value): value is boolean => typeof value === "boolean",
  object: isJsonObject,
  array: (value): value is ParamTypes["array"] => Array.isArray(value),
  list: (value): value is string[] => Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString),
  calculation: (value): value is ParamTypes["calculation"] =>
    isJsonObject(value) && isJsonObject(value.calculations) && areNamed(value.calculations.fields) &&
    (value.calculations.whens === undefined || areNamed(value.calculations.whens)),
  file: (value): value is FileInput =>
    value instanceof Object && "name" in value && typeof value.name === "string" &&
    "size" in value && isWhole(value.size) && "stream" in value && typeof value.stream === "function",
};

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function areNamed(value: unknown): boolean {
  return Array.isArray(value) &&
    value.every((one) => isJsonObject(one) && typeof one.name === "string" && typeof one.context === "string");
}

/** Reports whether a value has a type. */
export function isOfType<T extends keyof ParamTypes>(type: T, value: unknown): value is ParamTypes[T] {
  return CHECKS[type](value);
}

/** Throws `INVALID_ARGS` unless a value can cancel a call. */
export function checkSignal(signal: unknown): asserts signal is AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw new SvcError("INVALID_ARGS", "signal must be an AbortSignal.", {
    hint: "Pass the signal of an AbortController.",
  });
}
