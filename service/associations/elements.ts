/** Requests with several elements. Each element succeeds or fails separately. */
import {
  isJsonObject,
  isNonEmptyString,
  type JsonObject,
  type JsonValue,
  stringOrUndefined,
} from "../../utils/json.ts";
import { checkCount } from "../cases/arguments.ts";
import { DomainError, Invalid } from "../errors.ts";
import { describeDetails, toStatus } from "../http/status.ts";
import type { Outcome } from "../http/handler.ts";

/** Applies a function to each element. The response contains the ID and the status of each, in order. */
export async function applyToEach<T>(
  elements: readonly T[],
  apply: (element: T) => Promise<string>,
  getId: (element: T) => string,
): Promise<Outcome> {
  checkCount(elements.length, "elements");
  const body: JsonObject[] = [];
  for (const element of elements) {
    try {
      body.push({ ID: await apply(element), status: String(toStatus("created")) });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      body.push({ ID: getId(element), status: String(toStatus(error)), errorDetails: describeDetails(error) });
    }
  }
  return { body };
}

/** Reads the elements of a body, e.g. its `users`. */
export function readElements(body: JsonValue | undefined, name: string): JsonObject[] {
  const list = isJsonObject(body) ? body[name] : undefined;
  if (Array.isArray(list) && list.every(isJsonObject)) return list;
  throw new Invalid(`${name} must be an array of objects`);
}

/** Reads the ID of an element. Throws Invalid if it is missing. */
export function requireId({ ID }: JsonObject): string {
  if (isNonEmptyString(ID)) return ID;
  throw new Invalid("ID is missing");
}

/** Returns the ID of an element for the response, even if it is missing or wrong. */
export function getElementId({ ID }: JsonObject): string {
  return stringOrUndefined(ID) ?? "";
}
