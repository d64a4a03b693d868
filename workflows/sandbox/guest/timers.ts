/** The script's timers. Each is a step of the run: the parent says when the time is up, and remembers that it did. */
import { checkRunning } from "./clock.ts";
import { openTimer } from "./steps.ts";

interface Timer {
  readonly again: boolean;
  readonly milliseconds: number;
  readonly act: () => void;
  cancel: () => void;
}

/** A longer delay does not fit into a timer: it fires at once, as those of the runtime do. `sleep` takes any time. */
const MAX_DELAY = 2 ** 31 - 1;

const report = reportError;
const timers = new Map<number, Timer>();
let lastId = 0;

/** Replaces all that calls back later; call it once. */
export function installTimers(): void {
  const clear = (id: unknown) => void end(Number(id));
  const members: Record<string, unknown> = {
    setTimeout: (act: unknown, delay?: unknown, ...args: unknown[]) => start(act, delay, args, false),
    setInterval: (act: unknown, delay?: unknown, ...args: unknown[]) => start(act, delay, args, true),
    setImmediate: (act: unknown, ...args: unknown[]) => start(act, 0, args, false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  }
  AbortSignal.timeout = abortAfter;
  // No timer keeps a run from ending.
  Deno.refTimer = Deno.unrefTimer = () => {};
}

function start(act: unknown, delay: unknown, args: readonly unknown[], again: boolean): number {
  checkRunning("starts a timer");
  if (typeof act !== "function") throw new TypeError("A timer takes a function.");
  const id = ++lastId;
  const milliseconds = Math.max(delayOf(delay), again ? 1 : 0);
  const timer = { again, milliseconds, act: () => void Reflect.apply(act, globalThis, args), cancel: () => {} };
  timers.set(id, timer);
  run(id, timer);
  return id;
}

function delayOf(delay: unknown): number {
  const milliseconds = Number(delay);
  return milliseconds > 0 && milliseconds <= MAX_DELAY ? milliseconds : 0;
}

function run(id: number, timer: Timer): void {
  timer.cancel = openTimer(timer.milliseconds, () => {
    if (!timer.again) timers.delete(id);
    try {
      timer.act();
    } catch (error) {
      report(error);
    }
    if (timers.has(id)) run(id, timer);
  });
}

function end(id: number): void {
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
  start(abort, milliseconds, [], false);
  return controller.signal;
}
