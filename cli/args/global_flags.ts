/** The flags that every command takes. */
import { SvcError } from "../../lib/errors.ts";
import { FORMATS } from "../../lib/output/format.ts";
import { choiceOf } from "./choice.ts";
import type { Flag, Given, GlobalFlags } from "../commands/command.ts";

/** Their descriptions, in the order of the help. */
export const globalFlags = {
  format: { help: "Output format", type: "string", choices: FORMATS, placeholder: "format", default: "json" },
  fields: { help: "Top-level fields to keep, separated by commas", type: "list" },
  dryRun: { help: "Show what would be sent, without credentials, and change nothing", type: "boolean" },
  quiet: { help: "Leave out warnings and progress", type: "boolean" },
  verbose: { help: "Show requests and answers on stderr", type: "boolean" },
  noCache: { help: "Exchange a fresh token and leave the token cache alone", type: "boolean" },
  profile: {
    help: "Profile to use instead of 'default'",
    type: "string",
    placeholder: "name",
    async suggest() {
      const { readProfiles } = await import("../../lib/auth/config.ts");
      return Object.keys(readProfiles()).map((word) => ({ word, about: "" }));
    },
  },
} as const satisfies Record<Exclude<keyof GlobalFlags, "isDataAsked">, Flag>;

/** The values of the global flags among what was given. */
export function readGlobalFlags(given: Given): GlobalFlags {
  return {
    format: choiceOf("format", FORMATS, given.format ?? globalFlags.format.default),
    isDataAsked: given.format !== undefined || given.fields !== undefined,
    fields: typeof given.fields === "string" ? readFields(given.fields) : undefined,
    dryRun: given.dryRun === true,
    quiet: given.quiet === true,
    verbose: given.verbose === true,
    noCache: given.noCache === true,
    profile: typeof given.profile === "string" ? given.profile : undefined,
  };
}

function readFields(text: string): string[] {
  const fields = text.split(",").map((field) => field.trim());
  if (fields.every((field) => field !== "")) return fields;
  throw new SvcError("INVALID_ARGS", "--fields must be names, separated by commas.", {
    hint: "For example --fields id,status.",
  });
}
