/** The body of a request. */
import { isNestedWithin, type JsonValue } from "../../utils/json.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { Invalid } from "../errors.ts";
import { RequestError } from "./status.ts";

/** Bytes that a body may have. */
const BODY_LIMIT = 4 * 1024 * 1024;

/** Objects and arrays in one another: the database's JSON functions refuse a thousand. */
const DEPTH_LIMIT = 100;

/**
 * The bytes of a body. To look at its stream makes reading it slow: where its length is declared, that is looked at
 * instead. A client that hangs up is no failure of the service.
 */
export async function receiveBody(request: Request): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (Number(declared) > BODY_LIMIT) throw tooLarge();
  try {
    return declared === null ? await whole(request.body) : await request.bytes();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new Invalid("The body did not arrive as a whole.");
  }
}

async function whole(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > BODY_LIMIT) throw tooLarge();
    pieces.push(new Uint8Array(piece));
  }
  return await new Blob(pieces).bytes();
}

function tooLarge(): RequestError {
  return new RequestError("ContentTooLarge", `A body may have at most ${BODY_LIMIT} bytes.`);
}

/** A body's bytes as text: other character sets are refused, since the characters that they mean would be lost. */
export function decodeBody(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new Invalid("The body is not UTF-8.");
  return text;
}

/** A body's text as JSON; nothing where it is empty. */
export function parseBody(text: string): JsonValue | undefined {
  if (text.trim() === "") return undefined;
  const value = parse(text);
  if (hasHalfPair(text, value)) {
    throw new Invalid("The body has half of a surrogate pair, which is no character.");
  }
  if (!isNestedWithin(value, DEPTH_LIMIT)) {
    throw new Invalid(`The body nests objects and arrays more than ${DEPTH_LIMIT} deep.`);
  }
  return value;
}

function parse(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    throw new Invalid(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Whether a text in JSON is no Unicode: the database would take another one for it. JSON shows that as an escape. */
export function hasHalfPair(json: string, value: JsonValue): boolean {
  return json.includes("\\u") && /(?<!\\)(?:\\\\)*\\ud[89a-f][\da-f]{2}/.test(JSON.stringify(value));
}
