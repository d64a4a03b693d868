/** Converts the text values of a command line to the types of their descriptions. */
import { CALL_SETTINGS, type CallSettingName, parseSetting } from "../../lib/auth/call_settings.ts";
import { SvcError } from "../../lib/errors.ts";
import { listParams, toKebab } from "../../lib/operation/operation.ts";
import { type Format, FORMATS } from "../../lib/output/format.ts";
import { mapValues } from "../../utils/map_values.ts";
import type { CommandDescription, Flag, GlobalFlags, ParsedArguments } from "../commands/command.ts";
import { globalFlags, selectGlobalFlags } from "./global_flags.ts";
import type { Io } from "../io/io.ts";
import type { PayloadReader } from "./payload.ts";

/**
 * Reads the values of parsed arguments, including defaults. A number that cannot be parsed stays text, so that the check
 * of the values reports it with the name of its flag.
 */
export async function readValues(
  command: CommandDescription,
  parsed: ParsedArguments,
  io: Io,
): Promise<Record<string, unknown>> {
  let reader: Promise<PayloadReader> | undefined;
  const readPayload: PayloadReader = async (...args) => await (await (reader ??= loadReader(io)))(...args);
  const values: Record<string, unknown> = {};
  // In sequence, because two payloads may read the same standard input.
  for (const [name, flag] of listParams(command)) {
    const text = parsed[name] ?? flag.default;
    if (text !== undefined) {
      values[name] = typeof text === "string" ? await toValue(name, flag, text, readPayload) : text;
    }
  }
  return values;
}

/** Reads the values of the global flags that a command does not replace by flags of its own. */
export function readGlobalFlags(
  parsed: ParsedArguments,
  own?: Readonly<Record<string, Flag>>,
  defaultFormat: Format = globalFlags.format.default,
): GlobalFlags {
  const values: ParsedArguments = mapValues(selectGlobalFlags(own), (_, name) => parsed[name]);
  return {
    format: parseChoice("--format", FORMATS, values.format ?? defaultFormat),
    isDataRequested: values.format !== undefined || values.fields !== undefined,
    fields: typeof values.fields === "string" ? { names: parseFields(values.fields) } : undefined,
    dryRun: values.dryRun === true,
    quiet: values.quiet === true,
    verbose: values.verbose === true,
    noCache: values.noCache === true,
    noAutoTag: values.noAutoTag === true,
    noPager: values.noPager === true,
    retries: parseCallSetting("retries", values.retries),
    timeout: parseCallSetting("timeoutSeconds", values.timeout),
    profile: typeof values.profile === "string" ? values.profile : undefined,
  };
}

/** Parses the value of the flag for a setting of calls. Throws `INVALID_ARGS` for an invalid one. */
export function parseCallSetting(name: CallSettingName, text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const { flag, must, isValid } = CALL_SETTINGS[name];
  const value = parseSetting(text);
  if (isValid(value)) return value;
  throw new SvcError("INVALID_ARGS", `--${toKebab(flag)} must be ${must}, not ${JSON.stringify(text)}.`);
}

function parseFields(text: string): string[] {
  const fields = text.split(",").map((field) => field.trim());
  if (fields.every((field) => field !== "")) return fields;
  throw new SvcError("INVALID_ARGS", "--fields must be names, separated by commas.", {
    hint: "For example --fields id,status.",
  });
}

async function loadReader(io: Io): Promise<PayloadReader> {
  return (await import("./payload.ts")).createPayloadReader(io);
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
      return await readPayload(`--${toKebab(name)}`, text, { keepText: true });
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

/** Deno treats an empty path as the current folder, as a missing file or as an internal error, depending on its permissions. */
function emptyPath(name: string, flag: Flag): SvcError {
  const option = "name" in flag ? `The argument <${name}>` : `--${toKebab(name)}`;
  return new SvcError("INVALID_ARGS", `${option} is an empty path.`, {
    hint: "Pass a file or a directory. A variable of your shell may be empty.",
  });
}

/** Returns a value that is one of the choices of an option, such as `--format`. Throws `INVALID_ARGS` for any other value. */
export function parseChoice<T extends string>(option: string, choices: readonly T[], value: unknown): T {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  const allowed = (choices.length === 1 ? "" : "one of ") + choices.join(", ");
  throw new SvcError("INVALID_ARGS", `${option} must be ${allowed}, not ${JSON.stringify(value)}.`);
}
