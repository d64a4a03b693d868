/** The end of a call that takes too long or that its caller no longer wants, and what a failed exchange is called. */
import { createCancelledError, SvcError } from "../errors.ts";
import { onAbort } from "../../utils/async/on_abort.ts";
import { explainNetwork } from "./network.ts";

/** Aborts after some seconds, or when another signal aborts. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #seconds: number;
  readonly #outer?: AbortSignal;
  readonly #following?: Disposable;
  #expiry?: AbortSignal;
  readonly #forward = () => this.#controller.abort();

  /** Follows the other signal at once; its clock is yet to be started. */
  constructor(seconds: number, outer?: AbortSignal) {
    this.#seconds = seconds;
    this.#outer = outer;
    this.#following = outer && onAbort(outer, this.#forward);
  }

  /** One whose clock runs. */
  static started(seconds: number, outer: AbortSignal): Deadline {
    const deadline = new Deadline(seconds, outer);
    deadline.start();
    return deadline;
  }

  /** Aborts when the time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the clock, or starts it anew: the exchange goes on. */
  start(): void {
    const expiry = expiryIn(this.#seconds);
    if (expiry === this.#expiry) return;
    this.pause();
    this.#expiry = expiry;
    expiry.addEventListener("abort", this.#forward, { once: true });
  }

  /** Stops the clock until it is started anew; the caller's own signal still aborts. */
  pause(): void {
    this.#expiry?.removeEventListener("abort", this.#forward);
    this.#expiry = undefined;
  }

  /** Lets go of the clock and of the caller's signal. */
  clear(): void {
    this.pause();
    this.#following?.[Symbol.dispose]();
  }

  /** The same. */
  [Symbol.dispose](): void {
    this.clear();
  }

  /** Why an exchange failed: the caller's own abort, the time limit, or the network. */
  explain(error: unknown, exchange: string): SvcError {
    if (error instanceof SvcError) return error;
    if (this.#outer?.aborted) return createCancelledError({ cause: this.#outer.reason });
    if (this.#controller.signal.aborted) {
      return new SvcError("TIMEOUT", `${exchange} did not answer within ${this.#seconds} s.`, {
        cause: error,
        hint: "Raise timeoutSeconds in the profile, or see 'svc auth diagnose'.",
      });
    }
    return explainNetwork(error, exchange);
  }
}

/** Calls that start within this part of their time limit share a clock. */
const MOMENT = 1 / 16;

let latest: { readonly seconds: number; readonly joinableUntil: number; readonly signal: AbortSignal } | undefined;

/**
 * A signal that aborts after so many seconds, or a moment later. It is no `setTimeout`, whose first use in a process
 * loads Node.js's timers and takes longer than a call; and since such a signal cannot be cancelled, thousands of calls
 * share a few.
 */
function expiryIn(seconds: number): AbortSignal {
  const now = performance.now();
  if (latest?.seconds !== seconds || now > latest.joinableUntil || latest.signal.aborted) {
    const moment = seconds * 1000 * MOMENT;
    const signal = AbortSignal.timeout(seconds * 1000 + moment);
    latest = { seconds, joinableUntil: now + moment, signal };
  }
  return latest.signal;
}
