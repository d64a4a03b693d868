/** Builds responses: JSON, plain text, content or an error. No cache may store them. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { ServiceResponse } from "../connections/service_response.ts";
import type { Outcome, SentContent } from "./handler.ts";
import { describeError, type KnownError, RequestError, toStatus } from "./status.ts";

/** A response without the headers that differ each time that it is sent. */
export interface PreparedResponse extends ServiceResponse {
  readonly body: string;
}

const JSON_HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

/** Prepares the response of an outcome without content. */
export function prepareResponse(outcome: Outcome, status: number, apiRoot: string): PreparedResponse {
  if (outcome.content !== undefined) throw new TypeError("Content is sent once and cannot be stored.");
  const headers = buildHeaders(outcome, apiRoot);
  if (outcome.failure !== undefined) return prepareErrorResponse(outcome.failure);
  const actual = outcome.result === undefined ? status : toStatus(outcome.result);
  if (outcome.text !== undefined) {
    headers["content-type"] = "text/plain; charset=utf-8";
    return { status: actual, headers, body: outcome.text };
  }
  if (outcome.body === undefined) return { status: actual, headers, body: "" };
  headers["content-type"] = "application/json";
  return { status: actual, headers, body: JSON.stringify(outcome.body) };
}

/** Prepares the response of an error. */
export function prepareErrorResponse(error: KnownError, members?: JsonObject): PreparedResponse {
  const retryAfter = error instanceof RequestError ? error.retryAfter : undefined;
  const headers = retryAfter === undefined ? JSON_HEADERS : { ...JSON_HEADERS, "retry-after": String(retryAfter) };
  return { status: toStatus(error), headers, body: JSON.stringify(describeError(error, members)) };
}

/** Creates a response from a prepared one. */
export function createResponse(
  { status, headers, body }: PreparedResponse,
  requestId: string,
  more?: Readonly<Record<string, string>>,
): ServiceResponse {
  return { status, headers: { ...headers, "x-request-id": requestId, ...more }, body };
}

/** Creates the response of an outcome. */
export function respond(outcome: Outcome, status: number, apiRoot: string, requestId: string): ServiceResponse {
  const { content } = outcome;
  if (content === undefined) return createResponse(prepareResponse(outcome, status, apiRoot), requestId);
  return createContentResponse(content, { ...buildHeaders(outcome, apiRoot), "x-request-id": requestId });
}

/** Creates the response for a client that has the current state of a resource already. */
export function createUnchangedResponse(outcome: Outcome, apiRoot: string, requestId: string): ServiceResponse {
  return { status: 304, headers: { ...buildHeaders(outcome, apiRoot), "x-request-id": requestId }, body: "" };
}

function buildHeaders({ tag, location, expires }: Outcome, apiRoot: string): Record<string, string> {
  const headers: Record<string, string> = { "cache-control": "no-store" };
  if (tag !== undefined) headers.etag = tag;
  if (location !== undefined) headers.location = apiRoot + location.split("/").map(encodeURIComponent).join("/");
  if (expires !== undefined) headers.expires = expires.toUTCString();
  return headers;
}

/** Sends bytes as a file. A browser must not interpret them as another type. */
function createContentResponse(content: SentContent, headers: Record<string, string>): ServiceResponse {
  const { type, name, size, stream, isBase64 = false } = content;
  headers["content-type"] = type;
  headers["content-length"] = String(isBase64 ? getBase64Length(size) : size);
  headers["content-transfer-encoding"] = isBase64 ? "base64" : "binary";
  headers["x-content-type-options"] = "nosniff";
  if (name !== undefined) headers["content-disposition"] = formatDisposition(name);
  return { status: 200, headers, body: isBase64 ? stream.pipeThrough(createBase64Encoder()) : stream };
}

/** Formats a file name in both forms of RFC 6266: approximately in ASCII, and exactly. */
function formatDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name).replace(/['()*]/g, (character) => "%" + character.charCodeAt(0).toString(16));
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

/** Creates the response to a missing or invalid token. Its body has both shapes of an error that clients look for. */
export function createUnauthorizedResponse(sentence: string, hasToken: boolean, requestId: string): ServiceResponse {
  const error = new RequestError("Unauthorized", sentence);
  const legacy = { ID: "Unauthorized", message: sentence, pxObjClass: "Pega-API-Error" };
  const body = { ...describeError(error), pxObjClass: "Pega-API", errors: [legacy] };
  const challenge = 'Bearer realm="svc"' + (hasToken ? ', error="invalid_token"' : "");
  return createJsonResponse(toStatus(error), body, { "x-request-id": requestId, "www-authenticate": challenge });
}

/** Creates a response with a JSON body. */
export function createJsonResponse(
  status: number,
  body: JsonValue,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** Returns the length of bytes as base64 text. */
export function getBase64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Creates a stream that encodes bytes. The last one or two bytes of a chunk wait for the next chunk. */
export function createBase64Encoder(): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder();
  let rest = new Uint8Array(0);
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
      const whole = bytes.length - bytes.length % 3;
      rest = bytes.slice(whole);
      if (whole > 0) controller.enqueue(encoder.encode(bytes.subarray(0, whole).toBase64()));
    },
    flush(controller) {
      if (rest.length > 0) controller.enqueue(encoder.encode(rest.toBase64()));
    },
  });
}
