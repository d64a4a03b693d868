/** The texts of a command line as values of the types that their descriptions name. */
import { SvcError } from "../../lib/errors.ts";
import { toKebab } from "../../lib/operation/names.ts";
import { paramsOf } from "../../lib/operation/operation.ts";
import type { CommandDescription, Flag, Given } from "../commands/command.ts";
import type { Io } from "../io/io.ts";
import type { PayloadReader } from "./payload.ts";

/**
 * The values of what was given, defaults included. A text that is no number stays text: whoever checks the values
 * names the flag and what it must be.
 */
export async function readValues(command: CommandDescription, given: Given, io: Io): Promise<Record<string, unknown>> {
  let reader: Promise<PayloadReader> | undefined;
  const readPayload: PayloadReader = async (flag, text) => await (await (reader ??= loadReader(io)))(flag, text);
  const values: Record<string, unknown> = {};
  // One after the other: two payloads may want the same standard input.
  for (const [name, flag] of paramsOf(command)) {
    const text = given[name] ?? flag.default;
    if (text !== undefined) {
      values[name] = typeof text === "string" ? await toValue(name, flag, text, readPayload) : text;
    }
  }
  return values;
}

async function loadReader(io: Io): Promise<PayloadReader> {
  return (await import("./payload.ts")).payloadReader(io);
}

async function toValue(name: string, flag: Flag, text: string, readPayload: PayloadReader): Promise<unknown> {
  if (text === "" && (flag.type === "path" || flag.type === "file")) throw emptyPath(name, flag);
  switch (flag.type) {
    case "integer":
      return /^\d+$/.test(text) ? Number(text) : text;
    case "list":
      return text.split(",").map((element) => element.trim());
    case "object":
    case "array":
    case "calculation":
    case "json":
      return await readPayload(`--${toKebab(name)}`, text);
    case "file": {
      const { openFile } = await import("../render/local_files.ts");
      return await openFile(`--${toKebab(name)}`, text);
    }
    default:
      return text;
  }
}

/** Deno would take it for the current folder, for a file that is not there or for a defect, depending on its permissions. */
function emptyPath(name: string, flag: Flag): SvcError {
  const called = "name" in flag ? `The argument <${name}>` : `--${toKebab(name)}`;
  return new SvcError("INVALID_ARGS", `${called} is an empty path.`, {
    hint: "Name a file or a folder; a variable of your shell may be empty.",
  });
}
