/** Calls about several things, each of which succeeds or fails by itself. */
import { isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { ServiceError } from "../errors.ts";
import type { Outcome } from "../http/handler.ts";
import { checkCount } from "../cases/largest_call.ts";

/** Does something with each element; the answer names each with its status, in the order of the elements. */
export async function eachElement<T>(
  elements: readonly T[],
  work: (element: T) => Promise<string>,
  idOf: (element: T) => string,
): Promise<Outcome> {
  checkCount(elements.length, "elements");
  const body: JsonObject[] = [];
  for (const element of elements) {
    try {
      body.push({ ID: await work(element), status: "201" });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { errorDetails } = error.toBody();
      body.push({ ID: idOf(element), status: String(error.status), errorDetails });
    }
  }
  return { body };
}

/** The elements of a body, e.g. all of its `users`: a command line gives one, other clients give several. */
export function elementsIn(body: JsonValue | undefined, name: string): JsonObject[] {
  const list = isJsonObject(body) ? body[name] : undefined;
  if (Array.isArray(list) && list.every(isJsonObject)) return list;
  throw new ServiceError(400, `${name} must be an array of objects`);
}

/** A text of an element, which it must have. */
export function textOf(element: JsonObject, name: string): string {
  const value = element[name];
  if (isNonEmptyString(value)) return value;
  throw new ServiceError(400, `${name} is needed`);
}

/** The ID by which an element is answered, whether or not it is one. */
export function idOf({ ID }: JsonObject): string {
  return typeof ID === "string" ? ID : "";
}
