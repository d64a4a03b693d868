/** Logs failed requests. Repeated failures do not fill the log. */
import { type Log, logError } from "../../lib/telemetry/log.ts";

/** Milliseconds after which the same failure is logged in full again. */
const INTERVAL = 60_000;

/** Maximum number of different failures to remember. */
const CAPACITY = 100;

/** The last failure that was logged in full. */
interface Entry {
  readonly requestId: string;
  readonly at: number;
}

/** Logs the first failure in full, and repetitions in the next minute as one line each. */
export class FailureLog {
  readonly #log: Log;
  readonly #entries = new Map<string, Entry>();

  /** Creates a log of failures that writes to `log`. */
  constructor(log: Log) {
    this.#log = log;
  }

  /** Logs an unexpected error with its stack. If the same calls have failed within the last minute, names that request. */
  reportError(error: Error, requestId: string): void {
    const calls = error.stack?.replace(error.message, "") ?? error.name;
    const before = this.#find(calls, requestId);
    if (before === undefined) return logError(this.#log, `Request ${requestId} failed`, error, { requestId });
    const sentence = `Request ${requestId} failed in the same way as request ${before}`;
    this.#log(`${sentence}: ${error.message}`, {
      level: "error",
      message: `${sentence}.`,
      requestId,
      error: error.constructor.name,
    });
  }

  /** Logs a condition that its message explains, such as a full disk, once a minute. */
  reportCondition(message: string, requestId: string): void {
    if (this.#find(message, requestId) !== undefined) return;
    this.#log(`Requests are failing, the first one is ${requestId}: ${message}`, { level: "error", requestId });
  }

  /** Returns the request of the same failure within the last minute. Otherwise remembers this request. */
  #find(failure: string, requestId: string): string | undefined {
    const now = performance.now();
    const before = this.#entries.get(failure);
    if (before !== undefined && now - before.at < INTERVAL) return before.requestId;
    if (this.#entries.size >= CAPACITY) this.#entries.clear();
    this.#entries.set(failure, { requestId, at: now });
    return undefined;
  }
}
