/** The flags that every command takes. */
import { describeSetting } from "../../lib/auth/call_settings.ts";
import { FORMATS } from "../../lib/output/format.ts";
import type { Flag, GlobalFlags } from "../commands/command.ts";

/** The flag that prints the help. */
export const HELP_FLAG: Flag = { help: "Print this help", type: "boolean", short: "h" };
/** The flag that prints the version. It stands without a command. */
export const VERSION_FLAG: Flag = { help: "Print the version", type: "boolean" };

/** The global flags, in the order of the help. */
export const globalFlags = {
  format: { help: "Output format", type: "string", choices: FORMATS, placeholder: "format", default: "json" },
  fields: {
    help: "Fields to print: names, columns of a list, or paths, separated by commas",
    type: "list",
    values: "columns",
  },
  dryRun: { help: "Print the request instead of sending it; needs no credentials", type: "boolean" },
  quiet: { help: "Suppress warnings and progress", type: "boolean" },
  verbose: { help: "Print requests and responses to stderr", type: "boolean" },
  noCache: { help: "Get a new token instead of using the token cache", type: "boolean" },
  noAutoTag: { help: "Do not read a missing entity tag and retry", type: "boolean" },
  noPager: { help: "Print long results directly, without the pager", type: "boolean" },
  retries: { help: describeSetting("retries"), type: "string", placeholder: "count" },
  timeout: { help: describeSetting("timeoutSeconds"), type: "string", placeholder: "seconds" },
  profile: {
    help: "Profile to use (default: SVC_PROFILE, or the default profile)",
    type: "string",
    placeholder: "name",
    async suggest() {
      const { suggestProfiles } = await import("../commands/profile/shared/suggest_profiles.ts");
      return suggestProfiles();
    },
  },
} as const satisfies Record<
  Exclude<keyof GlobalFlags, "isDataRequested">,
  Flag
>;

/** Returns the global flags of a command: those that it does not replace by a flag of its own. */
export function selectGlobalFlags(own: Readonly<Record<string, Flag>> = {}): Readonly<Record<string, Flag>> {
  return Object.fromEntries(Object.entries(globalFlags).filter(([name]) => !Object.hasOwn(own, name)));
}
