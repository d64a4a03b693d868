/** Sleeps of a script: one that was begun before an interruption goes on, and does not begin anew. */
import { SvcError } from "../../lib/errors.ts";
import { pause } from "../../lib/pause.ts";
import { type CallRequest, SLEEP } from "../sandbox/messages.ts";
import type { CallAnswer } from "../sandbox/sandbox.ts";

/** Milliseconds that one timer of the runtime can count; it takes more for none. */
const MAX_TIMER = 2 ** 31 - 1;

/** Whether a step is a sleep. */
export function isSleep({ operation }: { readonly operation: string }): boolean {
  return operation === SLEEP;
}

/** Sleeps as long as is left of a sleep that was begun then: milliseconds since 1970. */
export async function sleepSince(since: number, { values }: CallRequest, signal: AbortSignal): Promise<CallAnswer> {
  const end = since + Number(values.milliseconds);
  try {
    for (let left = end - Date.now(); left > 0; left = end - Date.now()) await pause(Math.min(left, MAX_TIMER), signal);
  } catch (cause) {
    throw new SvcError("INTERRUPTED", "The sleep was cancelled.", { cause });
  }
  return { head: {}, text: "" };
}
