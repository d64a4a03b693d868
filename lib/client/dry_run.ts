/** The request that a call would make, as text and without its credentials. */
import type { Target } from "../auth/session.ts";
import type { Operation } from "../operation.ts";
import type { JsonObject } from "../json.ts";
import { type EncodedRequest, encodeRequest, lineOf, type Part } from "./encode.ts";
import type { Values } from "./values.ts";

/** The request that an operation would make of values; nothing is sent and no credentials are needed. */
export function renderDryRun(target: Target, operation: Operation, values: Values): string {
  const request = encodeRequest(operation, values);
  const url = target.baseUrl + target.apiRoot + request.path;
  const tag = request.tagPath === undefined ? request.ifMatch : "[FETCHED]";
  return [
    `${request.method} ${lineOf(url)}`,
    `Host: ${new URL(url).host}`,
    "Authorization: Bearer [REDACTED]",
    ...(tag === undefined ? [] : [`If-Match: ${tag}`]),
    `Content-Type: ${request.parts ? "multipart/form-data" : "application/json"}`,
    "",
    JSON.stringify(shownBody(request) ?? {}, null, 2),
  ].join("\n");
}

/** The body of a request as a person may see it; nothing where there is none. */
export function shownBody({ parts, body }: EncodedRequest): JsonObject | undefined {
  return parts === undefined ? body : shownParts(parts);
}

/** The parts by name; of a file, what it is called and how large it is. */
function shownParts(parts: readonly Part[]): JsonObject {
  return Object.fromEntries(parts.map(([name, value]) => {
    return [name, typeof value === "string" ? value : { name: value.name, size: value.size }];
  }));
}
