import { SvcError } from "../../lib/errors.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import { getFileName } from "../../utils/fs/file_name.ts";
import { JsonTooDeep, parseJson } from "../../utils/json.ts";
import { MAX_LEVELS } from "../../utils/json_depth.ts";
import { type BatchInput, toInvalidInput } from "./batch_input.ts";
import { type Fingerprint, readFingerprint } from "./fingerprint.ts";
import { type Line, readLines } from "./lines.ts";

/** The path that stands for standard input. */
export const STDIN = "-";

/**
 * Opens a file of inputs, which can be read once. A name that ends in `.csv` is CSV with a header row; any other file, and
 * standard input, is NDJSON. If the user named the file through a link, the name of the link comes first.
 */
export async function openInputs(path: string, link?: string): Promise<AsyncIterable<BatchInput>> {
  const lines = readLines(await isPipe(path) ? readPipe(path) : await openFile(path));
  const name = path === STDIN ? "stdin" : getFileName(path);
  if (!isCsv(path, link)) return readNdjson(lines, name);
  const { readCsv } = await import("./csv.ts");
  return readCsv(lines, name);
}

/** Checks that a file can be read and starts with valid inputs. A pipe is not checked, because it can be read only once. */
export async function checkInputs(path: string, link?: string): Promise<void> {
  if (await isPipe(path)) return;
  for await (const _ of await openInputs(path, link)) return;
}

/** Estimates the number of inputs of a file by its lines. */
export function estimateInputs({ lines }: Fingerprint, path: string, link?: string): number {
  return isCsv(path, link) ? Math.max(0, lines - 1) : lines;
}

/** Computes the fingerprint of a file. Returns undefined for a pipe. A later one must have blocks of the same size. */
export async function fingerprintFile(path: string, linesPerBlock?: number): Promise<Fingerprint | undefined> {
  return await isPipe(path) ? undefined : await readFingerprint(await openFile(path), linesPerBlock);
}

/** Reports whether there are more inputs than a number. A pipe is assumed to have more. */
export async function hasMoreInputs(count: number, path: string, link?: string): Promise<boolean> {
  if (await isPipe(path)) return true;
  let remaining = count;
  for await (const _ of await openInputs(path, link)) if (remaining-- === 0) return true;
  return false;
}

/** Reports whether a file of inputs is CSV. Others are NDJSON. */
export function isCsv(path: string, link = path): boolean {
  const [, format] = /\.(csv|ndjson|jsonl)$/i.exec(link) ?? /\.(csv)$/i.exec(path) ?? [];
  return format?.toLowerCase() === "csv";
}

async function isPipe(path: string): Promise<boolean> {
  if (path === STDIN) return true;
  return await Deno.stat(path).then((stat) => !stat.isFile && !stat.isDirectory, () => false);
}

async function openFile(path: string): Promise<ReadableStream<Uint8Array>> {
  if (path === STDIN) return Deno.stdin.readable;
  try {
    const file = await Deno.open(path);
    if (!(await file.stat()).isDirectory) return file.readable;
    file.close();
  } catch (cause) {
    const reason = describeReadError(cause);
    if (reason === undefined) throw cause;
    throw new SvcError("INVALID_ARGS", `The inputs ${path} cannot be read: ${reason}.`, {
      cause,
      hint: "Check the path.",
    });
  }
  throw new SvcError("INVALID_ARGS", `The inputs ${path} are a directory.`, {
    hint: "Name a file with one input per line.",
  });
}

/** Opens a pipe when it is first read: opening blocks until there is a writer, and the reader can give up before that. */
async function* readPipe(path: string): AsyncGenerator<Uint8Array> {
  yield* await openFile(path);
}

async function* readNdjson(lines: AsyncIterable<Line>, name: string): AsyncGenerator<BatchInput> {
  let count = 0;
  let only: BatchInput | undefined;
  for await (const { number, text, issue } of lines) {
    const place = `${name}:${number}`;
    if (text?.trim() === "") continue;
    if (count++ === 0 && /^\s*[[{](.*,)?\s*$/.test(text ?? "")) {
      throw notNdjson(name, "one JSON value over several lines");
    }
    if (only !== undefined) yield only;
    const input = text === undefined || issue !== undefined
      ? toInvalidInput(place, issue ?? "cannot be read")
      : parseInput(place, text);
    only = count === 1 && Array.isArray(input.value) ? input : undefined;
    if (only === undefined) yield input;
  }
  if (only !== undefined) throw notNdjson(name, "a JSON array on one line, which would be one input");
}

/** Creates the error for a file that is a JSON array or object instead of one JSON value per line. */
function notNdjson(name: string, content: string): SvcError {
  return new SvcError("INVALID_ARGS", `The inputs ${name} are ${content}.`, {
    hint: "Write one JSON value per line, for example with jq -c '.[]'. To pass the value as one input, use --input.",
  });
}

function parseInput(place: string, text: string): BatchInput {
  try {
    return { place, value: parseJson(text) };
  } catch (error) {
    if (error instanceof JsonTooDeep) {
      return toInvalidInput(place, `nests objects and arrays more than ${MAX_LEVELS} levels deep`);
    }
    return toInvalidInput(
      place,
      "is not JSON",
      "Write one JSON value per line. The name of a CSV file must end in .csv.",
    );
  }
}
