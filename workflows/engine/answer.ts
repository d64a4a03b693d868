/** The answer of a call as a journal keeps it: a line of JSON with what is known of it, then its text as it came. */
import type { Reply } from "../../lib/client/reply.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import { pipeContent } from "../sandbox/protocol/files.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";

/** An answer for the script from the service's. */
export async function answerOf({ etag, text, content }: Reply): Promise<CallAnswer> {
  const tag: JsonObject = etag === undefined ? {} : { etag };
  if (content === undefined) return { head: tag, text };
  const { head, base64 } = await pipeContent(content);
  return { head: { ...tag, content: head }, text: base64 };
}

/** An answer as text. */
export function encodeAnswer({ head, text }: CallAnswer): string {
  return JSON.stringify(head) + "\n" + text;
}

/** The answer of a text. */
export function decodeAnswer(encoded: string): CallAnswer {
  const end = encoded.indexOf("\n");
  const head: unknown = JSON.parse(encoded.slice(0, end));
  return { head: isJsonObject(head) ? head : {}, text: encoded.slice(end + 1) };
}
