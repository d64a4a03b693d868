/** The script's timers. Each is a step of the run: the parent says when the time is up, and remembers that it did. */
import { checkRunning } from "./clock.ts";
import { openTimer } from "./steps.ts";

interface Timer {
  readonly again: boolean;
  readonly milliseconds: number;
  readonly act: () => void;
  cancel: () => void;
}

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
  const milliseconds = Math.max(Number(delay) || 0, again ? 1 : 0);
  const timer = { again, milliseconds, act: () => void Reflect.apply(act, globalThis, args), cancel: () => {} };
  timers.set(id, timer);
  run(id, timer);
  return id;
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
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("Signal timed out.", "TimeoutError"));
  start(abort, milliseconds, [], false);
  return controller.signal;
}
