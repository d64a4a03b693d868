/** Limits the time for which an input waits. */
import { MAX_TIMER } from "../../utils/async/abort.ts";
import type { EventRecord } from "../journal/journal.ts";
import { RECEIVE, SLEEP } from "../sandbox/protocol/messages.ts";
import { parseRequest, parseRewind } from "./history.ts";

/** Start of the serialized request of a sleep. Other requests need not be parsed. */
const SLEEP_REQUEST = JSON.stringify({ operation: SLEEP }).slice(0, -1);

/** Start of the serialized request of a step that waits for a signal. */
const RECEIVE_REQUEST = JSON.stringify({ operation: RECEIVE }).slice(0, -1);

/**
 * Returns the duration of a sleep or a timer from its serialized request: `Infinity` for a step that waits for a signal.
 * Returns undefined for a call.
 */
export function parseSleep(request: string): number | undefined {
  if (request.startsWith(RECEIVE_REQUEST)) return Infinity;
  return request.startsWith(SLEEP_REQUEST) ? Number(parseRequest(request).values.milliseconds) : undefined;
}

/** Numbers of open steps. */
interface OpenSteps {
  readonly sleeps: number;
  readonly calls: number;
}

/**
 * Limits the total time for which an input waits, including the time before a restart. An input waits while a sleep or
 * a timer is open, and no call is.
 */
export class WaitLimit {
  readonly #maxMilliseconds: number;
  readonly #onReached: () => void;
  #open: OpenSteps = { sleeps: 0, calls: 0 };
  #waited: number;
  #since = 0;
  #timer?: ReturnType<typeof setTimeout>;

  /** Creates a limit for an input that has waited before. `onReached` is called when it has waited too long. */
  constructor(maxSeconds: number, waitedMilliseconds: number, onReached: () => void) {
    this.#maxMilliseconds = maxSeconds * 1000;
    this.#waited = waitedMilliseconds;
    this.#onReached = onReached;
  }

  /** Counts a sleep until the result is disposed of. A sleep that is longer than the limit exceeds it at once. */
  beginSleep(milliseconds: number): Disposable {
    if (milliseconds > this.#maxMilliseconds) this.#onReached();
    return this.#begin("sleeps");
  }

  /** Counts a timer until the result is disposed of. It may be long, because it may be the timeout of a call. */
  beginTimer(): Disposable {
    return this.#begin("sleeps");
  }

  /** Counts a call until the result is disposed of. */
  beginCall(): Disposable {
    return this.#begin("calls");
  }

  /** Milliseconds for which the input may still wait. */
  get left(): number {
    const waiting = isWaiting(this.#open) ? performance.now() - this.#since : 0;
    return this.#maxMilliseconds - this.#waited - waiting;
  }

  /** Removes the limit. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #begin(kind: keyof OpenSteps): Disposable {
    this.#change(kind, 1);
    return { [Symbol.dispose]: () => this.#change(kind, -1) };
  }

  #change(kind: keyof OpenSteps, difference: number): void {
    const now = performance.now();
    if (isWaiting(this.#open)) this.#waited += now - this.#since;
    this.#since = now;
    this.#open = { ...this.#open, [kind]: this.#open[kind] + difference };
    clearTimeout(this.#timer);
    if (isWaiting(this.#open)) this.#wait(this.#maxMilliseconds - this.#waited);
  }

  #wait(left: number): void {
    if (left <= 0) return this.#onReached();
    const duration = Math.min(left, MAX_TIMER);
    this.#timer = setTimeout(() => this.#wait(left - duration), duration);
  }
}

function isWaiting({ sleeps, calls }: OpenSteps): boolean {
  return sleeps > 0 && calls === 0;
}

/**
 * Measures how long an input has waited since it was last rewound, in milliseconds. Time in which it did not run counts
 * until its sleeps end.
 */
export function measureWaits(events: readonly EventRecord[], now: number): number {
  const sleeps = new Map<number, number>(); // Positions and planned ends.
  const calls = new Set<number>();
  let waited = 0;
  let last = 0;
  const advanceTo = (at: number) => {
    if (calls.size === 0 && sleeps.size > 0) waited += Math.max(0, Math.min(at, Math.max(...sleeps.values())) - last);
    last = Math.max(last, at);
  };
  for (const { kind, position, at, content } of events) {
    advanceTo(at);
    if (kind === "call") {
      const milliseconds = parseSleep(content);
      if (milliseconds === undefined) calls.add(position);
      else sleeps.set(position, at + milliseconds);
    } else if (kind === "downtime") {
      sleeps.set(position, (sleeps.get(position) ?? at) + Number(content));
    } else if (kind === "answer" || kind === "refusal") {
      sleeps.delete(position);
      calls.delete(position);
    } else if (kind === "left") {
      waited = 0;
      for (const dropped of parseRewind({ content }).positions) {
        sleeps.delete(dropped);
        calls.delete(dropped);
      }
    }
  }
  advanceTo(now);
  return waited;
}
