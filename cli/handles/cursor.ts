/** The last case that a command has read, created or changed, for each profile. On the command line, `-` stands for it. */
import { getProfileFile } from "../../lib/auth/profile_files.ts";
import { findCacheDirectory, getProfileName, readTarget, type SessionOptions } from "../../lib/auth/settings.ts";
import { getErrorMessage } from "../../lib/errors.ts";
import { parseJsonObject, stringOrUndefined } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { printWarnings } from "../context.ts";

/** The service to which a case belongs. */
interface CaseService {
  /** Name of the profile. */
  readonly profile?: string;
  /** Address of the service, which variables can change for the same profile. */
  readonly baseUrl?: string;
}

/** Remembers a case as the last one. Does nothing without a configuration directory that can be written. */
export function rememberCase(context: CommandContext, { profile, baseUrl }: CaseService, caseId: string): void {
  const path = findCursorFile(context.globals, profile);
  if (path === undefined || baseUrl === undefined) return;
  try {
    Deno.writeTextFileSync(path, JSON.stringify({ baseUrl, caseId }) + "\n", { mode: 0o600 });
  } catch (error) {
    if (isUnavailable(error)) return; // As for a container with a read-only configuration.
    printWarnings(context)(`${path} cannot be written, so - does not stand for ${caseId}: ${getErrorMessage(error)}`);
  }
}

/** Returns the handle of the last case, if there is one. */
export function readLastCase(options: SessionOptions): string | undefined {
  const path = findCursorFile(options, getProfileName(options));
  const text = path === undefined ? undefined : readFile(path);
  const { baseUrl, caseId } = text === undefined ? {} : parseJsonObject(text) ?? {};
  return baseUrl === readTarget(options).baseUrl ? stringOrUndefined(caseId) : undefined;
}

function findCursorFile(options: SessionOptions, profile: string | undefined): string | undefined {
  const directory = findCacheDirectory(options);
  return directory === undefined || profile === undefined ? undefined : getProfileFile(directory, "last-case", profile);
}

function readFile(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}

function isUnavailable(error: unknown): boolean {
  const { NotFound, PermissionDenied, NotCapable } = Deno.errors;
  return error instanceof NotFound || error instanceof PermissionDenied || error instanceof NotCapable ||
    (error instanceof Error && "code" in error && error.code === "EROFS");
}
