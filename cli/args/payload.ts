/** Payloads: JSON as an argument, from a file (`@path`) or from standard input (`-`). */
import { SvcError } from "../../lib/errors.ts";
import { describeInexactNumber, INEXACT_NUMBER_HINT } from "../../utils/inexact_numbers.ts";
import type { JsonValue } from "../../utils/json.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import type { Io } from "../io/io.ts";

/** Bytes that a payload may have: a mistyped path must not fill the memory. */
const PAYLOAD_LIMIT = 64 * 1024 * 1024;

/** Reads the payload that a flag was given, e.g. `--data`. */
export type PayloadReader = (flag: string, given: string) => Promise<JsonValue>;

/** A reader for the payloads of one command: standard input can be read once. */
export function payloadReader(io: Io): PayloadReader {
  let stdinFlag: string | undefined;
  return async (flag, given) => {
    if (given === "-") {
      if (stdinFlag !== undefined) {
        throw invalid(
          `${stdinFlag} and ${flag} cannot both read standard input.`,
          `Give one of them a file: ${flag} @file.`,
        );
      }
      stdinFlag = flag;
      return await parse(flag, await readStdin(flag, io), "standard input");
    }
    if (given.startsWith("@")) return await parse(flag, await readFile(flag, given.slice(1)), given.slice(1));
    return await parse(flag, given);
  };
}

async function readStdin(flag: string, io: Io): Promise<string> {
  if (io.stdin.isTerminal()) {
    throw invalid(`${flag} - reads standard input, which is the terminal.`, `Pipe the JSON in, or give ${flag} @file.`);
  }
  return await named(flag, "standard input", () => readText(flag, io.stdin.readable, "standard input"));
}

async function readFile(flag: string, path: string): Promise<string> {
  if (path === "") throw invalid(`${flag} @ names no file.`, `Write ${flag} @file.`);
  return await named(flag, path, async () => {
    using file = await Deno.open(path);
    if ((await file.stat()).isDirectory) throw new Deno.errors.IsADirectory(path);
    return await readText(flag, file.readable, path);
  });
}

/** What is read, or what keeps it from being read, named with its source. */
async function named(flag: string, source: string, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    const reason = describeReadError(error);
    if (reason === undefined) throw error;
    throw invalid(`${flag} cannot read ${source}: ${reason}.`, "Check the path.", error);
  }
}

async function readText(flag: string, bytes: ReadableStream<Uint8Array>, source: string): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true }); // It drops a byte order mark.
  let text = "";
  let size = 0;
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > PAYLOAD_LIMIT) throw invalid(`${flag} from ${source} is larger than ${PAYLOAD_LIMIT} bytes.`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid(`${flag} from ${source} is not UTF-8 text.`, "Save it as UTF-8.", error);
  }
}

async function parse(flag: string, given: string, source?: string): Promise<JsonValue> {
  const text = given.replace(/^\ufeff/, "");
  try {
    const value: JsonValue = JSON.parse(text);
    const fault = describeInexactNumber(text);
    if (fault !== undefined) throw invalid(`${flag} ${fault}.`, INEXACT_NUMBER_HINT);
    return value;
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    const { findJsonFault } = await import("./json_fault.ts");
    const fault = findJsonFault(text);
    const where = fault ? `: line ${fault.line}, column ${fault.column} has ${fault.found}` : "";
    const from = source === undefined ? "" : ` from ${source}`;
    throw invalid(
      `${flag}${from} is ${text.trim() === "" ? "empty" : `not valid JSON${where}`}.`,
      source === undefined ? `Quote the JSON for your shell, or give ${flag} @file.` : undefined,
      cause,
    );
  }
}

function invalid(message: string, hint?: string, cause?: unknown): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint, cause });
}
