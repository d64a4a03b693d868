/** Checks responses against the answers that operations promise. */
import { SvcError, type SvcErrorOptions } from "../../errors.ts";
import type { Answer, AnswerType, Content, JsonAnswer } from "../../operation/answer.ts";
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isObjectList,
  type JsonObject,
  type JsonValue,
  stringOrUndefined,
} from "../../../utils/json.ts";
import { findMismatch, type Shape } from "../../../utils/shape.ts";

/** The parts of a response that make an answer. */
export interface AnswerParts {
  /** Body. */
  readonly body: JsonValue | undefined;
  /** Body that is content. */
  readonly content?: Content | undefined;
  /** Entity tag. */
  readonly etag?: string | undefined;
  /** Head of the response, for errors. */
  readonly head?: Pick<SvcErrorOptions, "operation" | "status" | "requestId"> | undefined;
}

/**
 * Returns the answer in a response. Throws `INVALID_RESPONSE` if it does not have the shape that the operation promises.
 * The requested ID fills in for services that do not repeat it.
 */
export function checkAnswer<A extends Answer>(
  answer: A,
  parts: AnswerParts,
  requestedId?: unknown,
): Answer extends A ? unknown : AnswerType<A>;
export function checkAnswer(answer: Answer, parts: AnswerParts, requestedId?: unknown): unknown {
  if (answer === "nothing") return undefined; // Some services send a sentence.
  if (answer === "content") {
    if (parts.content === undefined) throw invalidAnswer("no content", parts);
    return parts.content;
  }
  const { body, etag } = parts;
  switch (answer) {
    case "text":
      if (typeof body !== "string") throw invalidAnswer("no text", parts);
      return body;
    case "any":
      if (body === undefined) throw invalidAnswer("no body", parts);
      return body;
  }
  const value = completeAnswer(answer, addIds(answer, placeList(answer, body)), etag, requestedId);
  const mismatch = findMismatch(value, answer.shape);
  if (mismatch !== undefined) throw invalidAnswer(`no valid '${mismatch.replace(/^\./, "") || "body"}'`, parts);
  return withRaw(value, body);
}

/** Moves the list of a body to the place where the answer expects it. */
function placeList({ shape, list, mayBeEmpty }: JsonAnswer, body: JsonValue | undefined): JsonValue | undefined {
  if ("list" in shape) return findList(body, undefined, shape) ?? (mayBeEmpty && isObjectWithoutList(body) ? [] : body);
  const listShape = list === undefined ? undefined : shape.required?.[list] ?? shape.optional?.[list];
  if (list === undefined || listShape === undefined) return body;
  if (Array.isArray(body)) return { [list]: body };
  if (!isJsonObject(body)) return body;
  const given = body[list];
  if (given === null) return findMismatch(given, listShape) === undefined ? body : { ...body, [list]: [] };
  if (given !== undefined) return body;
  const found = findList(body, list, listShape);
  if (found !== undefined) return { ...body, [list]: found };
  const isEmpty = mayBeEmpty && shape.required !== undefined && Object.keys(body).length === 0;
  return isEmpty ? { [list]: [] } : body;
}

/** Adds the `id` of the elements that some services give only as `ID`. */
function addIds({ list, fill }: JsonAnswer, body: JsonValue | undefined): JsonValue | undefined {
  if (list === undefined || fill !== "id" || !isJsonObject(body)) return body;
  const elements = body[list];
  if (!isObjectList(elements) || elements.every(({ id }) => id !== undefined)) return body;
  return { ...body, [list]: elements.map((element) => ({ id: element.ID, ...element })) };
}

function isObjectWithoutList(body: JsonValue | undefined): boolean {
  return isJsonObject(body) && !Object.values(body).some(Array.isArray);
}

const OBJECT_LIST: Shape = { list: "object" };

/** Finds the list of a body: the body itself, the member of that name, or else the only list among its members. */
export function findList(
  body: JsonValue | undefined,
  name: string | undefined,
  shape: Shape = OBJECT_LIST,
): JsonValue[] | undefined {
  if (Array.isArray(body)) return body;
  if (!isJsonObject(body)) return undefined;
  const named = name === undefined ? undefined : body[name];
  if (named !== undefined) return Array.isArray(named) ? named : undefined;
  const [only, ...others] = Object.values(body).filter((member): member is JsonValue[] =>
    Array.isArray(member) && findMismatch(member, shape) === undefined
  );
  return others.length === 0 ? only : undefined;
}

/** Returns the body with members at the top that some services give only further down or in a header. */
export function completeAnswer(
  answer: Answer,
  body: JsonValue | undefined,
  etag?: string,
  requestedId?: unknown,
): JsonValue | undefined {
  if (typeof answer === "string") return body;
  if (!isJsonObject(body)) return body;
  const known = Object.entries({ ...findMembers(answer, body, requestedId), ...(!answer.untagged && { etag }) });
  const missing = known.filter(([name, value]) => value !== undefined && !Object.hasOwn(body, name));
  return missing.length === 0 ? body : { ...Object.fromEntries(missing), ...body };
}

function findMembers({ fill }: JsonAnswer, body: JsonObject, requestedId: unknown): JsonObject {
  switch (fill) {
    case undefined:
      return {};
    case "id":
      return { id: stringOrUndefined(body.ID) };
    case "participant":
      return { id: stringOrUndefined(body.ID) ?? (isNonEmptyString(requestedId) ? requestedId : undefined) };
    case "page":
      return isJsonObject(body.uiResources) ? { data: {} } : {}; // A portal without pages has no data.
  }
  const info = isJsonObject(body.data) ? body.data.caseInfo : undefined;
  if (!isJsonObject(info)) return {};
  const { ID, caseTypeID, status, urgency, assignments } = info;
  if (fill === "case") return { id: ID ?? body.ID, type: caseTypeID, status, urgency };
  return { id: isNonEmptyString(requestedId) ? requestedId : findNextAssignment(assignments) };
}

/** Finds the next assignment of the caller: the first that the caller may perform. */
function findNextAssignment(assignments: unknown): JsonValue | undefined {
  const open = filterObjects(assignments);
  return (open.find(({ canPerform }) => canPerform === "true") ?? open[0])?.ID;
}

/** Adds the body as it was received. The member is not enumerable, so that printing ignores it. */
function withRaw(value: unknown, raw: JsonValue | undefined): unknown {
  const target = isJsonObject(value) && Object.hasOwn(value, "raw") ? { ...value } : value;
  return Object.defineProperty(target, "raw", { value: raw, enumerable: false, configurable: true });
}

function invalidAnswer(found: string, { head = {}, body }: AnswerParts): SvcError {
  const { operation, status, requestId } = head;
  return new SvcError("INVALID_RESPONSE", `The response has ${found}.`, {
    operation,
    status,
    requestId,
    raw: body,
    hint:
      "Check that the base URL and API root name a DX API v2 service. The option onReply of createClient shows the " +
      "response, and so does --verbose on the command line.",
  });
}
