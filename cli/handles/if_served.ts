/** Reads what some services do not serve. */
import { SvcError } from "../../lib/errors.ts";
import type { CommandContext } from "../commands/command.ts";

/** Statuses with which servers respond to requests that they do not know, or not from this caller. */
const MISSING: readonly (number | undefined)[] = [403, 404, 405, 410, 501];

/** Statuses with which servers respond to requests that they do not support for a data view. */
const UNSUPPORTED: readonly (number | undefined)[] = [400, 422, ...MISSING];

/** The commands whose service lacks the operations of the embedded service. */
const lacking = new WeakSet<CommandContext>();

/** Runs a read of a data view or of a case. Returns undefined if the service refuses it. */
export async function readIfServed<T>(read: () => Promise<T>): Promise<T | undefined> {
  return await readUnless(isUnserved, read);
}

/**
 * Runs a read with an operation that only the embedded service has. Returns undefined for other services. They are not
 * asked if the profile or an earlier response says what they are.
 */
export async function readIfEmbedded<T>(context: CommandContext, read: () => Promise<T>): Promise<T | undefined> {
  return isOther(context) ? undefined : await readOwn(context, read);
}

/** Runs a read that `readIfEmbedded` has skipped because of the profile, whose test may be wrong by now. */
export async function readIfSkipped<T>(context: CommandContext, read: () => Promise<T>): Promise<T | undefined> {
  return isOther(context) && !lacking.has(context) ? await readOwn(context, read) : undefined;
}

function isOther(context: CommandContext): boolean {
  return lacking.has(context) || context.caller.getTarget().supports?.workOperations === false;
}

async function readOwn<T>(context: CommandContext, read: () => Promise<T>): Promise<T | undefined> {
  const found = await readUnless((error) => isRefusal(error, MISSING), read);
  if (found === undefined) lacking.add(context);
  return found;
}

/** Reports whether an error shows that a service does not serve a read to the caller. */
export function isUnserved(error: unknown): error is SvcError {
  return isRefusal(error, UNSUPPORTED);
}

async function readUnless<T>(isExpected: (error: unknown) => boolean, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}

/** A web page instead of JSON comes from a server that does not know the path, too. */
function isRefusal(error: unknown, statuses: readonly (number | undefined)[]): error is SvcError {
  return error instanceof SvcError && (error.code === "INVALID_RESPONSE" || statuses.includes(error.status));
}
