/** Sleeps of a script: one that was begun before an interruption goes on, and does not begin anew. */
import { SvcError } from "../../lib/errors.ts";
import { delay } from "../../utils/async/delay.ts";
import { type CallRequest, SLEEP } from "../sandbox/protocol/messages.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";

/** Milliseconds that one timer of the runtime can count; it takes more for none. */
const MAX_TIMER = 2 ** 31 - 1;

/** Whether a step is a sleep. */
export function isSleep({ operation }: { readonly operation: string }): boolean {
  return operation === SLEEP;
}

/** Sleeps as long as is left of a sleep that was begun then: milliseconds since 1970. No clock that is set back prolongs it. */
export async function sleepSince(since: number, { values }: CallRequest, signal: AbortSignal): Promise<CallAnswer> {
  const whole = Number(values.milliseconds);
  const unslept = Math.min(whole, since + whole - Date.now());
  try {
    for (let left = unslept; left > 0; left -= MAX_TIMER) await delay(Math.min(left, MAX_TIMER), signal);
  } catch (cause) {
    throw new SvcError("INTERRUPTED", "The sleep was cancelled.", { cause });
  }
  return { head: {}, text: "" };
}
