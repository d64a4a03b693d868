/** Sleeps of a script: one that was begun before an interruption goes on, and does not begin anew. */
import { waitFor } from "../../lib/client/retry_wait.ts";
import { SvcError } from "../../lib/errors.ts";
import { type CallRequest, SLEEP } from "../sandbox/messages.ts";
import type { CallAnswer } from "../sandbox/sandbox.ts";

/** Milliseconds that one timer of the runtime can count; it takes more for none. */
const MAX_TIMER = 2 ** 31 - 1;

/** Whether a step is a sleep. */
export function isSleep({ operation }: CallRequest): boolean {
  return operation === SLEEP;
}

/** Sleeps as long as is left of a sleep that was begun then: milliseconds since 1970. */
export async function sleepSince(since: number, { values }: CallRequest, signal: AbortSignal): Promise<CallAnswer> {
  const end = since + Number(values.milliseconds);
  for (let left = end - Date.now(); left > 0; left = end - Date.now()) await pause(Math.min(left, MAX_TIMER), signal);
  return { head: {}, text: "" };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await waitFor(milliseconds, signal);
  } catch (cause) {
    throw new SvcError("INTERRUPTED", "The sleep was cancelled.", { cause });
  }
}
