/** Functions with which a script waits. They consist of steps, so that a resumed run does not wait again. */
import { parseErrorRecord, SvcError } from "../../../lib/errors.ts";
import { isJsonObject, parseJson, parseJsonObject } from "../../../utils/json.ts";
import type { SleepOptions, WaitOptions } from "../../mod.ts";
import { RECEIVE, SLEEP } from "../protocol/messages.ts";
import { isSignalName, MAX_SIGNAL_NAME } from "../protocol/signal_name.ts";
import { getElapsed } from "./clock.ts";
import { openWait } from "./steps.ts";

/** Factor between the durations of two sleeps. */
const GROWTH = 1.5;

/** Maximum factor between the durations of a sleep and the first one. */
const MAX_GROWTH = 10;

/** Defaults of the options of `waitFor`. */
const DEFAULTS = { everySeconds: 2, timeoutSeconds: 3600 };

const WAIT_OPTIONS = [...Object.keys(DEFAULTS), "signal"];

/** Resolves after a delay, or rejects when the signal aborts. */
export async function sleep(milliseconds: number, options: SleepOptions = {}): Promise<void> {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new SvcError("INVALID_ARGS", "sleep takes a number of milliseconds, 0 or more.");
  }
  checkOptions("sleep", options, ["signal"]);
  await openWait(SLEEP, milliseconds, options.signal);
}

/** Waits for a signal and returns its value. */
export async function receive<Value>(name: string, options: SleepOptions = {}): Promise<Value> {
  if (!isSignalName(name)) {
    throw new SvcError("INVALID_ARGS", `receive takes the name of a signal, of 1 to ${MAX_SIGNAL_NAME} characters.`);
  }
  checkOptions("receive", options, ["signal"]);
  const { isReply, text } = await openWait(RECEIVE, name, options.signal);
  if (!isReply) throw parseErrorRecord(parseJsonObject(text) ?? {}) ?? new SvcError("INTERNAL_ERROR", text);
  return (text === "" ? undefined : parseJson(text)) as Value; // The script declares the type, as for its input.
}

/** Repeats an operation until a condition holds for its response. Returns that response. */
export async function waitFor<Answer>(
  operation: () => Promise<Answer>,
  until: (answer: Answer) => boolean | Promise<boolean>,
  options: WaitOptions = {},
): Promise<Answer> {
  checkFunctions({ operation, until });
  checkOptions("waitFor", options, WAIT_OPTIONS);
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
    await sleep(Math.min(wait, left), { signal: options.signal });
  }
}

function checkFunctions(args: Readonly<Record<string, unknown>>): void {
  const invalid = Object.keys(args).find((name) => typeof args[name] !== "function");
  if (invalid === undefined) return;
  throw new SvcError("INVALID_ARGS", `The argument ${invalid} of waitFor must be a function.`, {
    hint: 'Write: waitFor(() => svc.cases.get(id), (found) => found.status === "Resolved-Completed").',
  });
}

function checkOptions(name: string, options: unknown, known: readonly string[]): void {
  const hint = known.length === 1 ? `The only option is ${known[0]}.` : `The options are ${known.join(", ")}.`;
  const invalid = (message: string) => new SvcError("INVALID_ARGS", message, { hint });
  if (!isJsonObject(options)) throw invalid(`The options of ${name} must be an object.`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(`${name} has no option '${unknown}'.`);
  const { signal } = options;
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw invalid(`The option signal of ${name} must be an AbortSignal.`);
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
