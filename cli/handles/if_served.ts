/** Reads what some services do not serve. */
import { isUnknown, isUnserved } from "../../lib/client/refusals.ts";
import type { CommandContext } from "../commands/command.ts";

/** The contexts of commands whose service turned out to lack the operations of the embedded service. */
const lacking = new WeakSet<CommandContext>();

/** Runs a read of a data view or of a case. Returns undefined if the service refuses it. */
export async function readIfServed<T>(read: () => Promise<T>): Promise<T | undefined> {
  return await readUnless(isUnserved, read);
}

/**
 * Runs a read with an operation that only the embedded service has. Returns undefined for other services. Sends nothing if
 * the profile or an earlier response shows that the service is another one.
 */
export async function readIfEmbedded<T>(context: CommandContext, read: () => Promise<T>): Promise<T | undefined> {
  return isOtherService(context) ? undefined : await readOwn(context, read);
}

/** Runs a read that `readIfEmbedded` has skipped because of the profile, which may be outdated. */
export async function readIfSkipped<T>(context: CommandContext, read: () => Promise<T>): Promise<T | undefined> {
  return isOtherService(context) && !lacking.has(context) ? await readOwn(context, read) : undefined;
}

function isOtherService(context: CommandContext): boolean {
  return lacking.has(context) || context.caller.getTarget().supports?.workOperations === false;
}

async function readOwn<T>(context: CommandContext, read: () => Promise<T>): Promise<T | undefined> {
  const found = await readUnless(isUnknown, read);
  if (found === undefined) lacking.add(context);
  return found;
}

async function readUnless<T>(isExpected: (error: unknown) => boolean, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}
