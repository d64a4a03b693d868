/** What a script waits with: both are made of steps, so that a run that is resumed does not wait again. */
import { SvcError } from "../../lib/errors.ts";
import type { WaitOptions } from "../mod.ts";
import { elapsed } from "./clock.ts";
import { openSleep } from "./steps.ts";

/** How much longer each wait is than the one before, and how much longer than the first it may become. */
const GROWTH = 1.5;
const MOST = 10;

/** Resolves when the time is up. */
export async function sleep(milliseconds: number): Promise<void> {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new SvcError("INVALID_ARGS", "sleep takes a number of milliseconds, 0 or more.");
  }
  await openSleep(milliseconds);
}

/** Repeats an operation until its answer is as wished, and gives that answer. */
export async function waitFor<Answer>(
  operation: () => Promise<Answer>,
  until: (answer: Answer) => boolean | Promise<boolean>,
  { everySeconds = 2, timeoutSeconds = 3600 }: WaitOptions = {},
): Promise<Answer> {
  checkSeconds("everySeconds", everySeconds);
  checkSeconds("timeoutSeconds", timeoutSeconds);
  let end: number | undefined;
  for (let wait = everySeconds * 1000;; wait = Math.min(wait * GROWTH, everySeconds * 1000 * MOST)) {
    const answer = await operation();
    // Not before: of a run that is retried the clock stands at what it was told last, until this is answered.
    end ??= elapsed() + timeoutSeconds * 1000;
    if (await until(answer)) return answer;
    const left = end - elapsed();
    if (left <= 0) throw outOfTime(timeoutSeconds);
    await sleep(Math.min(wait, left));
  }
}

function checkSeconds(name: string, seconds: number): void {
  if (Number.isFinite(seconds) && seconds > 0) return;
  throw new SvcError("INVALID_ARGS", `${name} must be a number of seconds above 0.`);
}

function outOfTime(seconds: number): SvcError {
  return new SvcError("TIMEOUT", `What the workflow waits for did not happen within ${seconds} s.`, {
    hint: "Give waitFor more timeoutSeconds, or catch this error and go on without it.",
  });
}
