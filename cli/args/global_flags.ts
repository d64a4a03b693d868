/** The flags that every command takes. */
import { SvcError } from "../../lib/errors.ts";
import { FORMATS } from "../../lib/output/format.ts";
import type { Flag, GlobalFlags, ParsedArguments } from "../commands/command.ts";
import { parseChoice } from "./read_values.ts";

/** The flag that prints the help. */
export const HELP: Flag = { help: "Print this help", type: "boolean", short: "h" };
/** The flag that prints the version. It stands without a command. */
export const VERSION: Flag = { help: "Print the version", type: "boolean" };

/** The global flags, in the order of the help. */
export const globalFlags = {
  format: { help: "Output format", type: "string", choices: FORMATS, placeholder: "format", default: "json" },
  fields: { help: "Top-level fields to print, separated by commas", type: "list" },
  dryRun: { help: "Print the request instead of sending it; needs no credentials", type: "boolean" },
  quiet: { help: "Print no warnings and no progress", type: "boolean" },
  verbose: { help: "Print requests and responses to stderr", type: "boolean" },
  noCache: { help: "Exchange a new token and do not use the token cache", type: "boolean" },
  profile: {
    help: "Profile to use (default: 'default')",
    type: "string",
    placeholder: "name",
    async suggest() {
      const { readProfiles } = await import("../../lib/auth/config.ts");
      return Object.keys(readProfiles()).map((word) => ({ word, about: "" }));
    },
  },
} as const satisfies Record<Exclude<keyof GlobalFlags, "isDataRequested">, Flag>;

/** Reads the values of the global flags. */
export function readGlobalFlags(values: ParsedArguments): GlobalFlags {
  return {
    format: parseChoice("format", FORMATS, values.format ?? globalFlags.format.default),
    isDataRequested: values.format !== undefined || values.fields !== undefined,
    fields: typeof values.fields === "string" ? parseFields(values.fields) : undefined,
    dryRun: values.dryRun === true,
    quiet: values.quiet === true,
    verbose: values.verbose === true,
    noCache: values.noCache === true,
    profile: typeof values.profile === "string" ? values.profile : undefined,
  };
}

function parseFields(text: string): string[] {
  const fields = text.split(",").map((field) => field.trim());
  if (fields.every((field) => field !== "")) return fields;
  throw new SvcError("INVALID_ARGS", "--fields must be names, separated by commas.", {
    hint: "For example --fields id,status.",
  });
}
