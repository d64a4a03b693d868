/** Reads JSON payloads from an argument, from a file (`@path`) or from standard input (`-`). */
import { trimLineEnds } from "../../utils/text/line_ends.ts";
import { SvcError } from "../../lib/errors.ts";
import { JsonTooDeep, type JsonValue, parseJson, type ParseOptions } from "../../utils/json.ts";
import { MAX_LEVELS } from "../../utils/json_depth.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import type { Io } from "../io/io.ts";

/** Largest payload in bytes, so that a mistyped path does not fill the memory. */
const PAYLOAD_LIMIT = 64 * 1024 * 1024;

/** Reads the payload of a flag, e.g. `--data`. */
export type PayloadReader = (flag: string, text: string, options?: ParseOptions) => Promise<JsonValue>;

/** Creates a reader for the payloads of one command, which can read standard input once. */
export function createPayloadReader(io: Io): PayloadReader {
  let stdinFlag: string | undefined;
  return async (flag, text, options) => {
    if (text === "-") {
      if (stdinFlag !== undefined) {
        throw invalid(
          `${stdinFlag} and ${flag} cannot both read standard input.`,
          `Give one of them a file: ${flag} @file.`,
        );
      }
      stdinFlag = flag;
      return await parse(flag, await readStdin(flag, io), options, "standard input");
    }
    if (text.startsWith("@")) return await parse(flag, await readFile(flag, text.slice(1)), options, text.slice(1));
    return await parse(flag, text, options);
  };
}

/**
 * Reads a text that must not be on the command line, where others could see it: from a file (`@path`) or from standard
 * input (`-`). Removes the line end.
 */
export async function readHiddenText(flag: string, source: string, io: Io): Promise<string> {
  const isFile = source.startsWith("@");
  if (!isFile && source !== "-") {
    throw invalid(
      `${flag} takes @file, or - for standard input.`,
      "Do not write the text itself on the command line, where other users of this machine can see it.",
    );
  }
  const text = isFile ? await readFile(flag, source.slice(1)) : await readStdin(flag, io);
  const line = trimLineEnds(text);
  if (line !== "") return line;
  throw invalid(`${flag} from ${isFile ? source.slice(1) : "standard input"} is empty.`);
}

async function readStdin(flag: string, io: Io): Promise<string> {
  if (io.stdin.isTerminal()) {
    throw invalid(`${flag} - reads standard input, which is the terminal.`, `Pipe it in, or give ${flag} @file.`);
  }
  return await nameSource(flag, "standard input", () => readText(flag, io.stdin.readable, "standard input"));
}

async function readFile(flag: string, path: string): Promise<string> {
  if (path === "") throw invalid(`${flag} @ names no file.`, `Write ${flag} @file.`);
  return await nameSource(flag, path, async () => {
    using file = await Deno.open(path);
    if ((await file.stat()).isDirectory) throw new Deno.errors.IsADirectory(path);
    return await readText(flag, file.readable, path);
  });
}

/** Adds the source to the error if it cannot be read. */
async function nameSource(flag: string, source: string, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    const reason = describeReadError(error);
    if (reason === undefined) throw error;
    throw invalid(`${flag} cannot read ${source}: ${reason}.`, "Check the path.", error);
  }
}

async function readText(flag: string, bytes: ReadableStream<Uint8Array>, source: string): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true }); // The decoder removes a byte order mark.
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

async function parse(flag: string, input: string, options?: ParseOptions, source?: string): Promise<JsonValue> {
  const text = input.replace(/^\ufeff/, "");
  try {
    return parseJson(text, options);
  } catch (cause) {
    const from = source === undefined ? "" : ` from ${source}`;
    if (cause instanceof JsonTooDeep) {
      throw invalid(`${flag}${from} nests objects and arrays more than ${MAX_LEVELS} levels deep.`, undefined, cause);
    }
    const { findJsonSyntaxError } = await import("./find_json_syntax_error.ts");
    const found = findJsonSyntaxError(text);
    const where = found ? `: line ${found.line}, column ${found.column} has ${found.found}` : "";
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
