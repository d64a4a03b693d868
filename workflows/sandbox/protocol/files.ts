/** Files and content on the pipe, where they are base64 in messages: both ends hold a message whole, so both are limited. */
import type { Content } from "../../../lib/operation/answer.ts";
import { SvcError } from "../../../lib/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { FileInput } from "../../../lib/operation/operation.ts";
import { isOfType } from "../../../lib/operation/param_types.ts";
import { joinBytes } from "./frames.ts";

/** Bytes that a file or a content may have in a workflow: as base64 they fit into a message. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Files that one call may have, whatever it is: to make one of nothing costs more than its message. */
const MAX_FILES = 64;

/** Options in two: the files among them as JSON by name, which takes a while, and the others. */
export function filesIn(
  options: Readonly<Record<string, unknown>>,
): { files?: Promise<JsonObject>; others: Readonly<Record<string, unknown>> } {
  const files = Object.entries(options).filter((entry): entry is [string, FileInput] => isOfType("file", entry[1]));
  if (files.length === 0) return { others: options };
  const others = { ...options, ...Object.fromEntries(files.map(([name]) => [name, undefined])) };
  return { files: pipeAll(files), others };
}

/** The files of a message by parameter name; undefined where one is none, or where they are too many. */
export function filesOf(message: JsonValue | undefined): Record<string, File> | undefined {
  const files: [string, File][] = [];
  const entries = Object.entries(isJsonObject(message) ? message : {});
  if (entries.length > MAX_FILES) return undefined;
  for (const [param, file] of entries) {
    if (!isJsonObject(file)) return undefined;
    const { name: fileName, type, base64 } = file;
    if (typeof fileName !== "string" || typeof type !== "string" || typeof base64 !== "string") return undefined;
    const bytes = bytesOf(base64);
    if (bytes === undefined) return undefined;
    files.push([param, new File([bytes], fileName, { type })]);
  }
  return Object.fromEntries(files); // Whatever its name, `__proto__` too, it is a member and nothing else.
}

/** What is known of a content, and its bytes as base64. */
export async function pipeContent(
  { type, name, stream }: Content,
): Promise<{ head: JsonObject; base64: string }> {
  const bytes = await readAll(stream, () => {
    return new SvcError("INVALID_RESPONSE", `The content has more than ${MAX_FILE_BYTES} bytes.`, {
      hint: "A workflow cannot take it; the command line and the library can.",
    });
  });
  return { head: { type, name, size: bytes.length }, base64: bytes.toBase64() };
}

/** The content of a message; undefined where it is none. */
export function contentOf(head: JsonObject, base64: string): Content | undefined {
  const { type, name, size } = head;
  const bytes = bytesOf(base64);
  if (bytes === undefined || typeof type !== "string") return undefined;
  return {
    type,
    name: typeof name === "string" ? name : undefined,
    size: typeof size === "number" ? size : undefined,
    stream: streamOf(bytes),
  };
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

async function pipeAll(files: readonly [string, FileInput][]): Promise<JsonObject> {
  const piped: JsonObject = {};
  for (const [param, file] of files) {
    const bytes = await readAll(file.stream(), () => {
      return new SvcError("INVALID_ARGS", `${file.name} has more than ${MAX_FILE_BYTES} bytes.`, {
        hint: "A workflow cannot send it; the command line and the library can.",
      });
    });
    piped[param] = { name: file.name, type: file.type ?? "", base64: bytes.toBase64() };
  }
  return piped;
}

async function readAll(
  stream: ReadableStream<Uint8Array>,
  tooMuch: () => SvcError,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > MAX_FILE_BYTES) throw tooMuch();
    pieces.push(new Uint8Array(piece));
  }
  return joinBytes(pieces);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined; // The caller says what was wrong: it knows which message this was.
  }
}
