/** Sleeps of a script. A sleep that was interrupted continues. */
import { SvcError } from "../../lib/errors.ts";
import { delay } from "../../utils/async/delay.ts";
import { type CallRequest, SLEEP } from "../sandbox/protocol/messages.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";

/** Longest time of one timer, in milliseconds. The runtime treats a longer one as 0. */
const MAX_TIMER = 2 ** 31 - 1;

/** Returns whether a step is a sleep. */
export function isSleep({ operation }: { readonly operation: string }): boolean {
  return operation === SLEEP;
}

/** Sleeps for the rest of a sleep, given its start in milliseconds since 1970. A clock that is set back does not prolong it. */
export async function finishSleep(since: number, { values }: CallRequest, signal: AbortSignal): Promise<CallAnswer> {
  const whole = Number(values.milliseconds);
  const unslept = Math.min(whole, since + whole - Date.now());
  try {
    for (let left = unslept; left > 0; left -= MAX_TIMER) await delay(Math.min(left, MAX_TIMER), signal);
  } catch (cause) {
    throw new SvcError("INTERRUPTED", "The sleep was cancelled.", { cause });
  }
  return { head: {}, text: "" };
}
