/** Files and content in messages, as base64. Host and guest hold a message in memory, so that their size is limited. */
import type { Content } from "../../../lib/operation/answer.ts";
import { SvcError } from "../../../lib/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { type FileInput, isOfType } from "../../../lib/operation/operation.ts";
import { joinBytes } from "./frames.ts";

/** Maximum size of a file or a content in a workflow, in bytes: in base64 it fits into a message. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Maximum number of files in a call. An empty file costs the host more than its message costs the guest. */
const MAX_FILES = 64;

/** Separates files from other parameters. The files become JSON by parameter name, which is asynchronous. */
export function extractFiles(
  params: Readonly<Record<string, unknown>>,
): { files?: Promise<JsonObject>; others: Readonly<Record<string, unknown>> } {
  const files = Object.entries(params).filter((entry): entry is [string, FileInput] => isOfType("file", entry[1]));
  if (files.length === 0) return { others: params };
  const others = { ...params, ...Object.fromEntries(files.map(([name]) => [name, undefined])) };
  return { files: encodeFiles(files), others };
}

/** Decodes the files of a message by parameter name. Returns undefined if one is invalid or there are too many. */
export function decodeFiles(message: JsonValue | undefined): Record<string, File> | undefined {
  const files: [string, File][] = [];
  const entries = Object.entries(isJsonObject(message) ? message : {});
  if (entries.length > MAX_FILES) return undefined;
  for (const [param, file] of entries) {
    if (!isJsonObject(file)) return undefined;
    const { name: fileName, type, base64 } = file;
    if (typeof fileName !== "string" || typeof type !== "string" || typeof base64 !== "string") return undefined;
    const bytes = decodeBase64(base64);
    if (bytes === undefined) return undefined;
    files.push([param, new File([bytes], fileName, { type })]);
  }
  return Object.fromEntries(files); // Makes an own property of any name, including `__proto__`.
}

/** Encodes a content as its metadata and its bytes in base64. */
export async function encodeContent(
  { type, name, stream }: Content,
): Promise<{ head: JsonObject; base64: string }> {
  const bytes = await readAll(stream, () => {
    return new SvcError("INVALID_RESPONSE", `The content has more than ${MAX_FILE_BYTES} bytes.`, {
      hint: "A workflow cannot download it. Use the command line or the library.",
    });
  });
  return { head: { type, name, size: bytes.length }, base64: bytes.toBase64() };
}

/** Decodes the content of a message. Returns undefined if it is invalid. */
export function decodeContent(head: JsonObject, base64: string): Content | undefined {
  const { type, name, size } = head;
  const bytes = decodeBase64(base64);
  if (bytes === undefined || typeof type !== "string") return undefined;
  return {
    type,
    name: typeof name === "string" ? name : undefined,
    size: typeof size === "number" ? size : undefined,
    stream: createStream(bytes),
  };
}

function createStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

async function encodeFiles(files: readonly [string, FileInput][]): Promise<JsonObject> {
  const encoded: JsonObject = {};
  for (const [param, file] of files) {
    const bytes = await readAll(file.stream(), () => {
      return new SvcError("INVALID_ARGS", `${file.name} has more than ${MAX_FILE_BYTES} bytes.`, {
        hint: "A workflow cannot upload it. Use the command line or the library.",
      });
    });
    encoded[param] = { name: file.name, type: file.type ?? "", base64: bytes.toBase64() };
  }
  return encoded;
}

async function readAll(
  stream: ReadableStream<Uint8Array>,
  createError: () => SvcError,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_FILE_BYTES) throw createError();
    chunks.push(new Uint8Array(chunk));
  }
  return joinBytes(chunks);
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined;
  }
}
