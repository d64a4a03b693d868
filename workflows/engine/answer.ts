/** Responses as the journal stores them: a line of JSON with metadata, then the text of the body as received. */
import type { Reply } from "../../lib/client/response/reply.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import { pipeContent } from "../sandbox/protocol/files.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";

/** Converts a response of the service to one for the script. */
export async function toCallAnswer({ etag, text, content }: Reply): Promise<CallAnswer> {
  const tag: JsonObject = etag === undefined ? {} : { etag };
  if (content === undefined) return { head: tag, text };
  const { head, base64 } = await pipeContent(content);
  return { head: { ...tag, content: head }, text: base64 };
}

/** Serializes a response. */
export function encodeAnswer({ head, text }: CallAnswer): string {
  return JSON.stringify(head) + "\n" + text;
}

/** Parses a serialized response. */
export function decodeAnswer(encoded: string): CallAnswer {
  const end = encoded.indexOf("\n");
  const head: unknown = JSON.parse(encoded.slice(0, end));
  return { head: isJsonObject(head) ? head : {}, text: encoded.slice(end + 1) };
}
