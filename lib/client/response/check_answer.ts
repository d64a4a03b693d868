/** Checks responses against the answers that operations promise. */
import { SvcError, type SvcErrorOptions } from "../../errors.ts";
import type { Answer, AnswerType, Content, JsonAnswer } from "../../operation/answer.ts";
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  type JsonObject,
  type JsonValue,
  stringOrUndefined,
} from "../../../utils/json.ts";
import { findMismatch } from "../../../utils/shape.ts";

/** The parts of a response that make an answer. */
export interface AnswerParts {
  /** Body. */
  readonly body: JsonValue | undefined;
  /** Body that is content. */
  readonly content?: Content;
  /** Entity tag. */
  readonly etag?: string;
  /** Head of the response, for errors. */
  readonly head?: Pick<SvcErrorOptions, "operation" | "status" | "requestId">;
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
  const value = completeAnswer(answer, body, etag, requestedId);
  const mismatch = findMismatch(value, answer.shape);
  if (mismatch !== undefined) throw invalidAnswer(`no valid '${mismatch.replace(/^\./, "") || "body"}'`, parts);
  return withRaw(value, body);
}

/** Returns the body with members at the top that some services give only further down or in a header. */
export function completeAnswer(
  answer: Answer,
  body: JsonValue | undefined,
  etag?: string,
  requestedId?: unknown,
): JsonValue | undefined {
  if (typeof answer === "string") return body;
  if (Array.isArray(body)) return answer.bareList === undefined ? body : { [answer.bareList]: body };
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
  if (fill === "case") return { id: ID, type: caseTypeID, status, urgency };
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

function invalidAnswer(found: string, { head = {} }: AnswerParts): SvcError {
  const { operation, status, requestId } = head;
  return new SvcError("INVALID_RESPONSE", `The response has ${found}.`, {
    operation,
    status,
    requestId,
    hint:
      "Check that the base URL and API root name a DX API v2 service. The option onReply of createClient shows the " +
      "response, and so does --verbose on the command line.",
  });
}
