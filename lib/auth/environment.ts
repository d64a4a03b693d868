import { trimLineEnds } from "../../utils/text/line_ends.ts";
import { SvcError } from "../errors.ts";
import { describeSetting } from "./call_settings.ts";

/** The environment variables that svc reads, with the descriptions for help. */
export const ENVIRONMENT_VARIABLES = {
  SVC_BASE_URL: "Address of the service. Overrides the profile",
  SVC_CLIENT_ID: "Client ID. Overrides the profile",
  SVC_CLIENT_SECRET: "Client secret. Overrides the profile",
  SVC_PROFILE: "Name of the profile. --profile overrides it",
  SVC_FORMAT: "Output format at a terminal. --format overrides it",
  SVC_CONFIG_DIR: "Directory of profiles, tokens and journals (default: .svc-cli in the home directory)",
  SVC_NO_CACHE: "true turns the token cache off, as --no-cache does. Other values have no effect",
  SVC_TIMEOUT: describeSetting("timeoutSeconds"),
  SVC_RETRIES: describeSetting("retries"),
  SVC_MAX_OUTAGE: describeSetting("maxOutageSeconds"),
  SVC_DEBUG: "1 adds the stack trace to an error; http prints all requests and their headers, without secrets",
  SVC_PAGER: "Pager for results longer than the screen. cat turns it off (default: the setting, or PAGER)",
  PAGER: "Pager for all programs",
  VISUAL: "Editor for 'svc edit'. Overrides EDITOR",
  EDITOR: "Editor for 'svc edit' (default: vi)",
  NO_COLOR: "Any value turns colors off",
  CLICOLOR: "0 turns colors off",
  CLICOLOR_FORCE: "1 turns colors on, even in a pipe",
  TERM: "Terminal type. dumb turns colors off",
  HOME: "Home directory",
  USERPROFILE: "Home directory on Windows, if HOME is not set",
  HTTPS_PROXY: "Proxy for https addresses",
  HTTP_PROXY: "Ignored: calls to http addresses use no proxy",
  ALL_PROXY: "Proxy for https addresses, instead of HTTPS_PROXY",
  NO_PROXY: "Hosts to reach without a proxy, separated by commas",
} as const;

/** An environment variable that svc reads. Names of proxies may be in lower case. */
export type EnvironmentVariable =
  | keyof typeof ENVIRONMENT_VARIABLES
  | Lowercase<Extract<keyof typeof ENVIRONMENT_VARIABLES, `${string}_PROXY`>>;

/** Reports whether the program may read an environment variable. To read another one, Deno would prompt the user. */
export function mayReadVariable(variable: EnvironmentVariable): boolean {
  return Deno.permissions.querySync({ name: "env", variable }).state === "granted";
}

/** Returns an environment variable without trailing line breaks, or undefined if it is not set or empty. */
export function readVariable(name: EnvironmentVariable): string | undefined {
  return readAnyVariable(name);
}

/** Returns an environment variable, or undefined if it is not set or the program may not read it. */
export function readVariableIfAllowed(name: EnvironmentVariable): string | undefined {
  return mayReadVariable(name) ? readVariable(name) : undefined;
}

/** Returns an environment variable whose name an application definition chooses, as `readVariable` does. */
export function readAnyVariable(name: string): string | undefined {
  try {
    return trimLineEnds(Deno.env.get(name) ?? "") || undefined;
  } catch (error) {
    // The original error quotes the value, which may be the client secret. It must not become the cause.
    if (!(error instanceof Deno.errors.InvalidData)) throw error;
    throw new SvcError("INVALID_CONFIG", `The environment variable ${name} is not valid UTF-8.`, {
      hint: `Set ${name} to UTF-8 text.`,
    });
  }
}
