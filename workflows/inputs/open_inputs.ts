/** The inputs of a batch, one at a time from a file of any length: NDJSON, or CSV with a header row. */
import { SvcError } from "../../lib/errors.ts";
import { describeInexactNumber, INEXACT_NUMBER_HINT } from "../../utils/inexact_numbers.ts";
import type { JsonValue } from "../../utils/json.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import { type Line, LINE_FEED, linesOf } from "./lines.ts";

/** Stands for standard input where a file of inputs is named: NDJSON. */
export const STDIN = "-";

/** One input of a batch. */
export interface BatchInput {
  /** Where it stands, e.g. `cases.ndjson:17`. */
  readonly place: string;
  /** The input. */
  readonly value?: JsonValue;
  /** Why the line is no input. */
  readonly error?: SvcError;
}

/** Opens a file of inputs; its name says how it is written: `.csv`, or else NDJSON. They can be read once. */
export async function openInputs(path: string): Promise<AsyncIterable<BatchInput>> {
  const lines = linesOf(await isPipe(path) ? openedLate(path) : await open(path));
  const name = path === STDIN ? "stdin" : path.slice(path.search(/[^\\/]*$/));
  if (!/\.csv$/i.test(name)) return ndjsonInputs(lines, name);
  const { csvInputs } = await import("./csv.ts");
  return csvInputs(lines, name);
}

/** Throws what a file cannot be read for, before anything is begun. What can be read but once is left alone. */
export async function checkInputs(path: string): Promise<void> {
  if (await isPipe(path)) return;
  for await (const _ of await openInputs(path)) return;
}

/** About how many inputs a file has: its lines, for the time that is left. Of what can be read but once nobody knows. */
export async function countInputs(path: string): Promise<number | undefined> {
  if (await isPipe(path)) return undefined;
  let lines = 0;
  let last = LINE_FEED;
  for await (const chunk of await open(path)) {
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, feed + 1)) lines++;
    last = chunk.at(-1) ?? last;
  }
  if (last !== LINE_FEED) lines++;
  return /\.csv$/i.test(path) ? Math.max(0, lines - 1) : lines;
}

/** Whether there are more inputs than that, or nobody can know. */
export async function hasMoreInputs(path: string, count: number): Promise<boolean> {
  if (await isPipe(path)) return true;
  let left = count;
  for await (const _ of await openInputs(path)) if (left-- === 0) return true;
  return false;
}

/** A line that is no input. */
export function badInput(place: string, fault: string, hint?: string): BatchInput {
  return { place, error: new SvcError("INVALID_ARGS", `${place} ${fault}.`, { hint }) };
}

async function isPipe(path: string): Promise<boolean> {
  if (path === STDIN) return true;
  return await Deno.stat(path).then((stat) => !stat.isFile && !stat.isDirectory, () => false);
}

async function open(path: string): Promise<ReadableStream<Uint8Array>> {
  if (path === STDIN) return Deno.stdin.readable;
  try {
    const file = await Deno.open(path);
    if (!(await file.stat()).isDirectory) return file.readable;
    file.close();
  } catch (cause) {
    const fault = describeReadError(cause);
    if (fault === undefined) throw cause;
    throw new SvcError("INVALID_ARGS", `--each cannot read ${path}: ${fault}.`, { cause, hint: "Check the path." });
  }
  throw new SvcError("INVALID_ARGS", `--each ${path} is a folder.`, { hint: "Name a file with one input per line." });
}

/** What a pipe says. To open one takes until somebody writes to it: that must be part of what can be given up. */
async function* openedLate(path: string): AsyncGenerator<Uint8Array> {
  yield* await open(path);
}

async function* ndjsonInputs(lines: AsyncIterable<Line>, name: string): AsyncGenerator<BatchInput> {
  for await (const { number, text, fault } of lines) {
    const place = `${name}:${number}`;
    if (text === undefined || fault !== undefined) yield badInput(place, fault ?? "cannot be read");
    else if (text.trim() !== "") yield parseInput(place, text);
  }
}

function parseInput(place: string, text: string): BatchInput {
  try {
    const value: JsonValue = JSON.parse(text);
    const fault = describeInexactNumber(text);
    return fault === undefined ? { place, value } : badInput(place, fault, INEXACT_NUMBER_HINT);
  } catch {
    return badInput(place, "is not JSON", "Write one JSON value per line; the name of a CSV file ends with .csv.");
  }
}
