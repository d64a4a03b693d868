/** Receives requests: their body, their form and their idempotency key. */
import { isNestedWithin, type JsonValue } from "../../utils/json.ts";
import { isRead, type Operation, sendsForm } from "../../lib/operation/operation.ts";
import type { ByteStore } from "../store/bytes.ts";
import { type Form, receiveForm } from "./multipart.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { Invalid } from "../errors.ts";
import { RequestError } from "./status.ts";
import { createHash } from "node:crypto";
import { isKey, KEY_FORM } from "../../lib/operation/idempotency_key.ts";

/** A received request. */
export interface Received {
  /** Idempotency key of a change. */
  readonly key?: string;
  /** Text of the body, unless it is a form. */
  readonly text?: string;
  /** The body as JSON. */
  readonly body?: JsonValue;
  /** The parts of a form. */
  readonly form?: Form;
}

/** Destination of uploaded files. */
export interface Uploads {
  /** Takes their bytes. */
  readonly bytes: ByteStore;
  /** Bytes that a file may have. */
  readonly maxFileBytes: number;
}

/** Makes what receives the requests of one operation. */
export function createReceiver(operation: Operation, uploads: Uploads): (request: Request) => Promise<Received> {
  const reads = isRead(operation);
  const hasForm = sendsForm(operation);
  const hasBody = operation.method !== "GET" && operation.method !== "DELETE" && !hasForm;
  return async (request) => {
    const key = reads ? undefined : checkKey(request.headers.get("idempotency-key") ?? undefined);
    if (hasForm) {
      const { bytes, maxFileBytes: limit } = uploads;
      return { key, form: await receiveForm(request, { bytes, limit, digest: key !== undefined }) };
    }
    if (!hasBody) return { key };
    const text = decodeBody(await receiveBody(request));
    return { key, text, body: parseJsonBody(text) };
  };
}

/** Bytes that a body may have. */
const BODY_LIMIT = 4 * 1024 * 1024;

/** Objects and arrays in one another: the database's JSON functions refuse a thousand. */
const DEPTH_LIMIT = 100;

/**
 * Reads the bytes of a body. The declared length is checked instead of the stream, because inspecting the stream is slow.
 * A client that disconnects is not a failure of the service.
 */
export async function receiveBody(request: Request): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (Number(declared) > BODY_LIMIT) throw tooLarge();
  try {
    return declared === null ? await whole(request.body) : await request.bytes();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new Invalid("The body is incomplete.");
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
export function parseJsonBody(text: string): JsonValue | undefined {
  if (text.trim() === "") return undefined;
  const value = parse(text);
  if (hasHalfPair(text, value)) {
    throw new Invalid("The body contains a lone surrogate, which is not a character.");
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

/** Checks whether a JSON text contains a lone surrogate, which the database cannot store. JSON writes it as an escape. */
export function hasHalfPair(json: string, value: JsonValue): boolean {
  return json.includes("\\u") && /(?<!\\)(?:\\\\)*\\ud[89a-f][\da-f]{2}/.test(JSON.stringify(value));
}

/** The parts of a request that identify it among requests with the same key. */
export interface RequestFacts {
  /** HTTP method. */
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** Text of the body, unless it is a form. */
  readonly text: string | undefined;
  /** The parts of a form: its boundary, and with it the body, differs from attempt to attempt. */
  readonly form: Form | undefined;
}

/** Checks the key of a request, if it has one. */
export function checkKey(key: string | undefined): string | undefined {
  if (key === undefined || isKey(key)) return key;
  throw new Invalid(`Idempotency-Key must be ${KEY_FORM}.`);
}

/**
 * Computes a digest of a request. The entity tag is not part of it, because it differs when a client repeats a change that
 * was made.
 */
export function digestRequest({ method, target, text = "", form }: RequestFacts): string {
  const hash = createHash("sha256");
  hash.update(`${method} ${target}\n`); // Neither can hold a line's end.
  hash.update(form === undefined ? text : describeForm(form));
  return hash.digest("base64url");
}

function describeForm(form: Form): string {
  const parts = [...form].map(([name, part]) => {
    return typeof part === "string" ? [name, part] : [name, part.name, part.type, String(part.size), part.digest];
  });
  return JSON.stringify(parts.sort(([a = ""], [b = ""]) => a < b ? -1 : 1));
}
