/** The timers of a script. Each is a step of the run, so that the host records when it fires. */
import { checkRunning } from "./clock.ts";
import { perInput } from "./per_input.ts";
import { openTimer } from "./steps.ts";

interface Timer {
  readonly isRepeated: boolean;
  readonly milliseconds: number;
  readonly callback: () => void;
  cancel: () => void;
}

/** Maximum delay of a timer. With a longer one it fires at once, as in the runtime. `sleep` has no maximum. */
const MAX_DELAY = 2 ** 31 - 1;

const report = reportError;
const state = perInput(() => ({ timers: new Map<number, Timer>(), lastId: 0 }));

/** Replaces all timers of the runtime. Must be called once. */
export function installTimers(): void {
  const clear = (id: unknown) => clearTimer(Number(id));
  const members: Record<string, unknown> = {
    setTimeout: (callback: unknown, delay?: unknown, ...args: unknown[]) => startTimer(callback, delay, args, false),
    setInterval: (callback: unknown, delay?: unknown, ...args: unknown[]) => startTimer(callback, delay, args, true),
    setImmediate: (callback: unknown, ...args: unknown[]) => startTimer(callback, 0, args, false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  }
  AbortSignal.timeout = abortAfter;
  // A run never waits for its timers.
  Deno.refTimer = Deno.unrefTimer = () => {};
}

function startTimer(callback: unknown, delay: unknown, args: readonly unknown[], isRepeated: boolean): number {
  checkRunning("starts a timer");
  if (typeof callback !== "function") throw new TypeError("A timer takes a function.");
  const { timers } = state();
  const id = ++state().lastId;
  const milliseconds = Math.max(toDelay(delay), isRepeated ? 1 : 0);
  const timer = {
    isRepeated,
    milliseconds,
    callback: () => void Reflect.apply(callback, globalThis, args),
    cancel: () => {},
  };
  timers.set(id, timer);
  schedule(id, timer);
  return id;
}

function toDelay(delay: unknown): number {
  const milliseconds = Number(delay);
  return milliseconds > 0 && milliseconds <= MAX_DELAY ? milliseconds : 0;
}

function schedule(id: number, timer: Timer): void {
  const { timers } = state();
  timer.cancel = openTimer(timer.milliseconds, () => {
    if (!timer.isRepeated) timers.delete(id);
    try {
      timer.callback();
    } catch (error) {
      report(error);
    }
    if (timers.has(id)) schedule(id, timer);
  });
}

function clearTimer(id: number): void {
  const { timers } = state();
  const timer = timers.get(id);
  if (timer === undefined) return;
  timers.delete(id);
  timer.cancel();
}

function abortAfter(milliseconds: number): AbortSignal {
  if (!(milliseconds >= 0 && milliseconds <= Number.MAX_SAFE_INTEGER)) {
    throw new TypeError("AbortSignal.timeout takes a number of milliseconds, 0 or more.");
  }
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("Signal timed out.", "TimeoutError"));
  startTimer(abort, milliseconds, [], false);
  return controller.signal;
}
