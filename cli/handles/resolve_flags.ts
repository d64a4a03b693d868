import { findProfile } from "../../lib/auth/profiles.ts";
import { getProfileName, readTarget, resolveConfigDirectory } from "../../lib/auth/settings.ts";
import type { Values } from "../../lib/client/request/values.ts";
import type { Operation } from "../../lib/operation/operation.ts";
import type { CommandContext } from "../commands/command.ts";
import { isShortId, LAST_CASE, listCaseFlags } from "./handles.ts";
import { resolveCaseId } from "./resolve_handles.ts";

/**
 * Replaces short IDs and `-` in the flags that name cases. A short ID is replaced only for a service of this machine:
 * another one may use it as a full handle.
 */
export async function resolveFlags(context: CommandContext, operation: Operation, values: Values): Promise<Values> {
  const resolved: Record<string, unknown> = { ...values };
  const resolve = async (value: unknown) => {
    if (typeof value !== "string") return value;
    const isNamed = value === LAST_CASE || (isShortId(value) && isLocalService(context));
    return isNamed ? await resolveCaseId(context, value) : value;
  };
  for (const name of listCaseFlags(operation)) {
    const value = values[name];
    resolved[name] = Array.isArray(value) ? await Promise.all(value.map(resolve)) : await resolve(value);
  }
  return resolved;
}

/** Reports whether the profile was written by a service of this machine, and no variable names another one. */
function isLocalService({ globals }: CommandContext): boolean {
  const profile = findProfile(getProfileName(globals), resolveConfigDirectory(globals), () => {});
  return typeof profile?.service === "string" && readTarget(globals).baseUrl === profile.baseUrl;
}
