/** Renders requests as text, without credentials. */
import { authenticateForm, createGrantForm } from "../../auth/client_auth.ts";
import { getTokenUrl, type SessionSettings, type Target } from "../../auth/settings.ts";
import { getRequestPath } from "../../http/address.ts";
import type { JsonObject } from "../../../utils/json.ts";
import { toIndentedJson } from "../../../utils/indented_json.ts";
import type { Operation } from "../../operation/operation.ts";
import { type EncodedRequest, encodeRequest, type Part } from "./encode.ts";
import type { Values } from "./values.ts";

const REDACTED = "[REDACTED]";

/** Renders the request of an operation. Nothing is sent and no credentials are needed. */
export function renderDryRun(target: Target, operation: Operation, values: Values): string {
  const request = encodeRequest(operation, values, () => target);
  const tag = request.tagPath === undefined ? request.ifMatch : "[FETCHED]";
  return requestText(request.method, target.baseUrl + target.apiRoot + request.path, [
    "Authorization: Bearer [REDACTED]",
    ...(tag === undefined ? [] : [`If-Match: ${tag}`]),
    `Content-Type: ${request.parts ? "multipart/form-data" : "application/json"}`,
  ], formatBody(shownBody(request) ?? {}));
}

/** Renders the request that exchanges the client secret for a token. */
export function renderExchange(settings: SessionSettings): string {
  const { clientAuth, clientId = "" } = settings;
  const { authorization, form } = authenticateForm(createGrantForm(settings), clientAuth, clientId, REDACTED);
  return requestText("POST", getTokenUrl(settings), [
    ...(authorization === undefined ? [] : [`Authorization: Basic ${REDACTED}`]),
    "Content-Type: application/x-www-form-urlencoded",
  ], new URLSearchParams({ ...form }).toString().replaceAll(encodeURIComponent(REDACTED), REDACTED));
}

/** Formats a body. One whose indentation would be too long stays on one line. */
function formatBody(body: JsonObject): string {
  return toIndentedJson(body) ?? JSON.stringify(body);
}

function requestText(method: string, url: string, headers: readonly string[], body: string): string {
  return [`${method} ${getRequestPath(url)}`, `Host: ${new URL(url).host}`, ...headers, "", body].join("\n");
}

/** Returns the body of a request for people: files appear with name and size only. */
export function shownBody({ parts, body }: EncodedRequest): JsonObject | undefined {
  return parts === undefined ? body : shownParts(parts);
}

/** Returns the parts by name. */
function shownParts(parts: readonly Part[]): JsonObject {
  return Object.fromEntries(parts.map(([name, value]) => {
    return [name, typeof value === "string" ? value : { name: value.name, size: value.size }];
  }));
}
