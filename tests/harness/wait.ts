/** Waits that name what they wait for, and fail after a limit. */
import assert from "node:assert/strict";
import { delay } from "../../utils/async/abort.ts";

/** Options of a wait. */
export interface LimitOptions {
  /** Seconds after which it fails. Default: 60, which is ample on a busy machine. */
  readonly seconds?: number;
}

const POLL_MILLISECONDS = 10;

/** Waits until a condition holds, and returns its first value that is neither false, zero, empty nor missing. */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  { seconds = 60 }: LimitOptions = {},
): Promise<Exclude<T, false | 0 | "" | null | undefined>> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const value = await within(what, condition(), { seconds });
    if (isTruthy(value)) return value;
    if (performance.now() > end) fail(what, seconds);
    await delay(POLL_MILLISECONDS);
  }
}

/** Returns what a promise resolves with, or fails when it takes longer than the limit. */
export async function within<T>(what: string, result: T | Promise<T>, { seconds = 60 }: LimitOptions = {}): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      try {
        fail(what, seconds);
      } catch (error) {
        reject(error);
      }
    }, seconds * 1000);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads text until it includes another one, and returns what was read and the rest of the text. */
export async function readUntil(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  expected: string,
  options: LimitOptions = {},
): Promise<{ text: string; rest: Promise<string> }> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(expected)) {
    const { value, done } = await within(`"${expected}" after "${text}"`, reader.read(), options);
    if (done) assert.fail(`The output ended without "${expected}": ${text}`);
    text += value;
  }
  const readRest = async () => {
    let rest = "";
    for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) rest += value;
    return rest;
  };
  return { text, rest: readRest() };
}

function fail(what: string, seconds: number): never {
  assert.fail(`Not within ${seconds} s: ${what}`);
}

function isTruthy<T>(value: T): value is Exclude<T, false | 0 | "" | null | undefined> {
  return Boolean(value);
}
