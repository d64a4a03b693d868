/** The texts in which the journal stores requests and responses. */
import type { Reply } from "../../lib/client/response/reply.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../utils/json.ts";
import { sha256 } from "../../utils/text/sha256.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import { encodeContent } from "../sandbox/protocol/files.ts";
import type { CallRequest } from "../sandbox/protocol/messages.ts";

/** Serializes the operation and the values of a call. A file is replaced by its name, type, size and digest. */
export async function serializeRequest({ operation, values }: CallRequest): Promise<string> {
  const files = Object.entries(values).filter((entry): entry is [string, Blob] => entry[1] instanceof Blob);
  if (files.length === 0) return JSON.stringify({ operation, values });
  const digests = await Promise.all(files.map(async ([name, file]) => [name, await describeFile(file)]));
  return JSON.stringify({ operation, values: { ...values, ...Object.fromEntries(digests) } });
}

/** Parses a serialized request. */
export function parseRequest(text: string): { readonly operation: string; readonly values: JsonObject } {
  const { operation, values }: JsonObject = parseJsonObject(text) ?? {};
  return { operation: String(operation), values: isJsonObject(values) ? values : {} };
}

async function describeFile(file: Blob): Promise<Record<string, unknown>> {
  const digest = await sha256(await file.arrayBuffer());
  return {
    name: file instanceof File ? file.name : undefined,
    type: file.type,
    size: file.size,
    sha256: digest.toHex(),
  };
}

/** Converts a response of the service to one for the script. */
export async function toCallAnswer({ etag, text, content }: Reply): Promise<CallAnswer> {
  const tag: JsonObject = etag === undefined ? {} : { etag };
  if (content === undefined) return { head: tag, text };
  const { head, base64 } = await encodeContent(content);
  return { head: { ...tag, content: head }, text: base64 };
}

/** Serializes a response: a line of JSON with metadata, then the text of the body as received. */
export function encodeAnswer({ head, text }: CallAnswer): string {
  return JSON.stringify(head) + "\n" + text;
}

/** Parses a serialized response. */
export function decodeAnswer(encoded: string): CallAnswer {
  const end = encoded.indexOf("\n");
  const head: unknown = JSON.parse(encoded.slice(0, end));
  return { head: isJsonObject(head) ? head : {}, text: encoded.slice(end + 1) };
}
