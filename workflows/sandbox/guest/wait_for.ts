/** Functions with which a script waits. They consist of steps, so that a resumed run does not wait again. */
import { SvcError } from "../../../lib/errors.ts";
import { isJsonObject } from "../../../utils/json.ts";
import type { WaitOptions } from "../../mod.ts";
import { getElapsed } from "./clock.ts";
import { openSleep } from "./steps.ts";

/** Factor between the durations of two sleeps. */
const GROWTH = 1.5;

/** Maximum factor between the durations of a sleep and the first one. */
const MAX_GROWTH = 10;

/** Defaults of all options of `waitFor`. */
const DEFAULTS: Required<WaitOptions> = { everySeconds: 2, timeoutSeconds: 3600 };

/** Resolves after a delay. */
export async function sleep(milliseconds: number): Promise<void> {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new SvcError("INVALID_ARGS", "sleep takes a number of milliseconds, 0 or more.");
  }
  await openSleep(milliseconds);
}

/** Repeats an operation until a condition holds for its response. Returns that response. */
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
  for (let wait = everySeconds * 1000;; wait = Math.min(wait * GROWTH, everySeconds * 1000 * MAX_GROWTH)) {
    const answer = await operation();
    // Not earlier: the clock of a retried run shows the time of the last recorded result until this one arrives.
    end ??= getElapsed() + timeoutSeconds * 1000;
    if (await until(answer)) return answer;
    const left = end - getElapsed();
    if (left <= 0) throw outOfTime(timeoutSeconds);
    await sleep(Math.min(wait, left));
  }
}

function checkFunctions(args: Readonly<Record<string, unknown>>): void {
  const invalid = Object.keys(args).find((name) => typeof args[name] !== "function");
  if (invalid === undefined) return;
  throw new SvcError("INVALID_ARGS", `The argument ${invalid} of waitFor must be a function.`, {
    hint: 'Write: waitFor(() => svc.cases.get(id), (found) => found.status === "Resolved-Completed").',
  });
}

function checkNames(options: unknown): void {
  const known = Object.keys(DEFAULTS);
  const hint = `The options are ${known.join(", ")}.`;
  if (!isJsonObject(options)) throw new SvcError("INVALID_ARGS", "The options of waitFor must be an object.", { hint });
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new SvcError("INVALID_ARGS", `waitFor has no option '${unknown}'.`, { hint });
}

function checkSeconds(name: string, seconds: number): void {
  if (Number.isFinite(seconds) && seconds > 0) return;
  throw new SvcError("INVALID_ARGS", `${name} must be a number of seconds above 0.`);
}

function outOfTime(seconds: number): SvcError {
  return new SvcError("TIMEOUT", `The condition of waitFor did not hold within ${seconds} s.`, {
    hint: "Raise timeoutSeconds of waitFor, or catch this error.",
  });
}
