/** What a script waits with: both are made of steps, so that a run that is resumed does not wait again. */
import { SvcError } from "../../../lib/errors.ts";
import { isJsonObject } from "../../../utils/json.ts";
import type { WaitOptions } from "../../mod.ts";
import { elapsed } from "./clock.ts";
import { openSleep } from "./steps.ts";

/** How much longer each wait is than the one before, and how much longer than the first it may become. */
const GROWTH = 1.5;
const MOST = 10;

/** Every option of `waitFor`, with what it is unless it is given. */
const DEFAULTS: Required<WaitOptions> = { everySeconds: 2, timeoutSeconds: 3600 };

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
  options: WaitOptions = {},
): Promise<Answer> {
  checkFunctions({ operation, until });
  checkNames(options);
  const { everySeconds = DEFAULTS.everySeconds, timeoutSeconds = DEFAULTS.timeoutSeconds } = options;
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

function checkFunctions(given: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(given).find((name) => typeof given[name] !== "function");
  if (wrong === undefined) return;
  throw new SvcError("INVALID_ARGS", `waitFor's ${wrong} must be a function.`, {
    hint: 'Write: waitFor(() => svc.cases.get(id), (found) => found.status === "Resolved-Completed").',
  });
}

function checkNames(options: unknown): void {
  const known = Object.keys(DEFAULTS);
  const hint = `The options are ${known.join(", ")}.`;
  if (!isJsonObject(options)) throw new SvcError("INVALID_ARGS", "waitFor's options must be an object.", { hint });
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new SvcError("INVALID_ARGS", `waitFor has no option '${unknown}'.`, { hint });
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
