/** Receives requests: their target, body and idempotency key. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  IDEMPOTENCY_KEY_FORM,
  isIdempotencyKey,
  isRead,
  type Operation,
  sendsForm,
} from "../../lib/operation/operation.ts";
import { JsonTooDeep, type JsonValue, parseJson } from "../../utils/json.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import type { ServiceRequest } from "../connections/received_request.ts";
import { Invalid } from "../errors.ts";
import type { ByteStore } from "../store/bytes.ts";
import { type Form, receiveForm } from "./multipart.ts";
import { isKnownError, RequestError } from "./status.ts";

/** A received request. */
export interface Received {
  /** Idempotency key of a change. */
  readonly key?: string;
  /** Text of the body, unless it is a form. */
  readonly text?: string;
  /** The body as JSON. */
  readonly body?: JsonValue;
  readonly form?: Form;
}

/** Destination of uploaded files. */
export interface Uploads {
  readonly bytes: ByteStore;
  /** Maximum size of a file in bytes. */
  readonly maxFileBytes: number;
}

/** Creates the function that receives the requests of an operation. */
export function createReceiver(operation: Operation, uploads: Uploads): (request: ServiceRequest) => Promise<Received> {
  const reads = isRead(operation);
  const hasForm = sendsForm(operation);
  const hasBody = operation.method !== "GET" && operation.method !== "DELETE" && !hasForm;
  return async (request) => {
    const key = reads ? undefined : checkKey(request.header("idempotency-key"));
    if (hasForm) {
      checkContentEncoding(request);
      const { bytes, maxFileBytes: limit } = uploads;
      return { key, form: await receiveForm(request, { bytes, limit, digest: key !== undefined }) };
    }
    if (!hasBody) return { key };
    const text = decodeBody(await receiveBody(request));
    if (text !== "") checkMediaType(request.header("content-type"));
    return { key, text, body: parseJsonBody(text) };
  };
}

/** Checks that a body is declared as JSON. A missing type is accepted, because simple clients do not send one. */
function checkMediaType(type: string | undefined): void {
  if (type === undefined) return;
  if (!/^application\/([^;]+\+)?json[ \t]*(;|$)/i.test(type)) {
    throw new RequestError("UnsupportedMediaType", `The body must be application/json, not ${type}.`);
  }
  const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^\s;"]+)/i.exec(type)?.[1];
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return;
  throw new RequestError("UnsupportedMediaType", `The body must be encoded as UTF-8, not ${charset}.`);
}

/** Checks that a body is not compressed. */
function checkContentEncoding(request: ServiceRequest): void {
  const encoding = request.header("content-encoding");
  if (encoding === undefined || /^\s*(identity)?\s*$/i.test(encoding)) return;
  throw new RequestError("UnsupportedMediaType", `The body must be sent without Content-Encoding, not as ${encoding}.`);
}

/** Maximum size of a body in bytes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Maximum nesting of objects and arrays. The JSON functions of the database refuse a depth of 1000. */
export const MAX_DEPTH = 100;

/** Maximum size of a body that counts as small. */
const SMALL_BODY_BYTES = 64 * 1024;

/** Maximum bytes of larger bodies that arrive at the same time. */
const MAX_ARRIVING_BYTES = 128 * 1024 * 1024;

/** Bytes of larger bodies that are arriving. */
let arriving = 0;

/** Reads the bytes of a body. A client that disconnects is not a failure of the service. */
export async function receiveBody(request: ServiceRequest, limit: number = MAX_BODY_BYTES): Promise<Uint8Array> {
  checkContentEncoding(request);
  const declared = request.header("content-length");
  if (Number(declared) > limit) throw createTooLargeError(limit);
  try {
    const isSmall = declared !== undefined && Number(declared) <= SMALL_BODY_BYTES;
    return isSmall ? await request.bytes() : await readAll(request.body, limit); // Reading a stream is slow.
  } catch (error) {
    if (isKnownError(error)) throw error;
    throw new Invalid("The body is incomplete.");
  }
}

/** Reads a body piece by piece: its memory depends on the bytes that arrive, not on the declared length. */
async function readAll(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of body ?? []) {
      size += piece.length;
      arriving += piece.length;
      if (size > limit) throw createTooLargeError(limit);
      if (size > SMALL_BODY_BYTES && arriving > MAX_ARRIVING_BYTES) throw createBusyError();
      pieces.push(piece);
    }
  } finally {
    arriving -= size;
  }
  return Buffer.concat(pieces);
}

function createTooLargeError(limit: number): RequestError {
  return new RequestError("ContentTooLarge", `A body may have at most ${limit} bytes.`);
}

function createBusyError(): RequestError {
  return new RequestError("Unavailable", "Too many large requests are arriving at the same time.", { retryAfter: 1 });
}

/** Decodes a body as UTF-8. Throws `Invalid` for other encodings, because their characters would be lost. */
function decodeBody(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new Invalid("The body is not UTF-8.");
  return text;
}

/** Parses a body as JSON. Returns undefined for an empty body. */
export function parseJsonBody(text: string): JsonValue | undefined {
  if (text.trim() === "") return undefined;
  const value = parseBody(text);
  if (hasLoneSurrogate(text, value)) {
    throw new Invalid("The body contains a lone surrogate, which is not a character.");
  }
  return value;
}

function parseBody(text: string): JsonValue {
  try {
    return parseJson(text, { maxLevels: MAX_DEPTH });
  } catch (error) {
    if (error instanceof JsonTooDeep) {
      throw new Invalid(`The body nests objects and arrays more than ${MAX_DEPTH} deep.`);
    }
    throw new Invalid(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Reports whether a JSON text contains a lone surrogate, which the database cannot store. JSON writes it as an escape. */
export function hasLoneSurrogate(json: string, value: JsonValue): boolean {
  return json.includes("\\u") && /(?<!\\)(?:\\\\)*\\ud[89a-f][\da-f]{2}/.test(JSON.stringify(value));
}

function checkKey(key: string | undefined): string | undefined {
  if (key === undefined || isIdempotencyKey(key)) return key;
  throw new Invalid(`Idempotency-Key must be ${IDEMPOTENCY_KEY_FORM}.`);
}

/** The parts of a request that identify it among requests with the same key. */
export interface RequestFacts {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Text of the body, unless it is a form. */
  readonly text: string | undefined;
  /** Parts of a form. Its body is not compared, because each attempt has another boundary. */
  readonly form: Form | undefined;
}

/**
 * Computes a digest of a request. The entity tag is not part of it, because it differs when a client repeats a change that
 * was made.
 */
export function digestRequest({ method, target, text = "", form }: RequestFacts): string {
  const hash = createHash("sha256");
  hash.update(`${method} ${target}\n`); // Method and target cannot contain a line feed.
  hash.update(form === undefined ? text : describeForm(form));
  return hash.digest("base64url");
}

function describeForm(form: Form): string {
  const parts = [...form].map(([name, part]) => {
    return typeof part === "string" ? [name, part] : [name, part.name, part.type, String(part.size), part.digest];
  });
  return JSON.stringify(parts.sort(([a = ""], [b = ""]) => a < b ? -1 : 1));
}

/** Parses the query of a target. Throws `Invalid` for a repeated parameter. */
export function parseQuery(target: string): URLSearchParams {
  const mark = target.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark));
  const names = new Set<string>();
  for (const name of query.keys()) {
    if (names.has(name)) throw new Invalid(`The query has ${name} more than once.`);
    names.add(name);
  }
  return query;
}

/** Creates the function that reads the variables of a path such as `/cases/{caseID}`. */
export function createSegmentReader(template: string): (target: string, variable: string) => string | undefined {
  const places = new Map(template.split("/").map((segment, index) => [segment, index]));
  return (target, variable) => {
    const place = places.get(`{${variable}}`);
    const segment = place === undefined ? undefined : getPath(target).split("/")[place];
    return segment === undefined ? undefined : decodeSegment(segment);
  };
}

/** Returns the path of a target as it was sent: `%2F` does not separate segments. */
export function getPath(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Invalid(`The path contains ${segment}, which is not percent-encoded UTF-8.`);
  }
}
