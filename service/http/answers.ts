/** Answers: JSON, errors too, except for the few that are plain text or content; none may be kept by a cache. */
import type { JsonValue } from "../../lib/json.ts";
import { ServiceError } from "../errors.ts";
import type { Outcome, SentContent } from "../handler.ts";

/** The answer of an outcome. */
export function answerOf(outcome: Outcome, status: number, apiRoot: string, requestId: string): Response {
  const headers: Record<string, string> = { "cache-control": "no-store", "x-request-id": requestId };
  if (outcome.tag !== undefined) headers.etag = outcome.tag;
  if (outcome.location !== undefined) {
    headers.location = apiRoot + outcome.location.split("/").map(encodeURIComponent).join("/");
  }
  if (outcome.expires !== undefined) headers.expires = outcome.expires.toUTCString();
  if (outcome.content !== undefined) return contentAnswer(outcome.content, headers);
  if (outcome.text !== undefined) {
    headers["content-type"] = "text/plain; charset=utf-8";
    return new Response(outcome.text, { status: outcome.status ?? status, headers });
  }
  if (outcome.body === undefined) return new Response(null, { status: outcome.status ?? status, headers });
  headers["content-type"] = "application/json";
  return new Response(JSON.stringify(outcome.body), { status: outcome.status ?? status, headers });
}

/** Bytes, to be kept as a file and not to be taken for anything else. */
function contentAnswer({ type, name, size, stream }: SentContent, headers: Record<string, string>): Response {
  headers["content-type"] = type;
  headers["content-length"] = String(size);
  headers["content-transfer-encoding"] = "binary";
  headers["x-content-type-options"] = "nosniff";
  if (name !== undefined) headers["content-disposition"] = attachmentNamed(name);
  return new Response(stream, { headers });
}

/** A file name in both forms of RFC 6266: as plain as can be, and exactly. */
function attachmentNamed(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name).replace(/['()*]/g, (character) => "%" + character.charCodeAt(0).toString(16));
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** The answer of a failure. */
export function failureOf(failure: ServiceError, requestId: string, headers: Record<string, string> = {}): Response {
  return jsonOf(failure.status, failure.toBody(), { "x-request-id": requestId, ...headers });
}

/** Refuses a call without a valid token, in both shapes of an error that clients look for. */
export function unauthorized(sentence: string, given: boolean, requestId: string): Response {
  const failure = new ServiceError(401, sentence);
  const legacy = { ID: "Unauthorized", message: sentence, pxObjClass: "Pega-API-Error" };
  const body = { ...failure.toBody(), pxObjClass: "Pega-API", errors: [legacy] };
  const challenge = 'Bearer realm="svc"' + (given ? ', error="invalid_token"' : "");
  return jsonOf(401, body, { "x-request-id": requestId, "www-authenticate": challenge });
}

/** JSON with a status. */
export function jsonOf(status: number, body: JsonValue, headers: Record<string, string> = {}): Response {
  const all = { "content-type": "application/json", "cache-control": "no-store", ...headers };
  return new Response(JSON.stringify(body), { status, headers: all });
}
