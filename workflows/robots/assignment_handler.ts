import { type ErrorCode, SvcError } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { LiveCalls } from "../engine/live_calls.ts";
import type { FramedInput } from "../runs/input_source.ts";
import type { QueueOptions } from "./robot_options.ts";

/** Errors of an assignment that another operator has taken, or that is complete. */
const GONE: readonly ErrorCode[] = ["NOT_FOUND", "FORBIDDEN", "CONFLICT"];

/** Message of a failure that the script reports by throwing an error with the name `BusinessError`. */
const BUSINESS_FAILURE = /^The script failed: BusinessError\b/;

/** Counts how often the work on each assignment has failed since it was last completed or parked. */
export interface FailureCounter {
  /** Counts a failure, and returns the number of failures. A business failure parks the assignment. */
  count(assignment: string, isBusiness: boolean): Promise<number> | number;
  /** Forgets the failures of an assignment that was completed or parked. */
  forget(assignment: string): void;
}

/** Takes each assignment before its script runs, and gives it back, routes it or parks it after a failure. */
export class AssignmentHandler {
  readonly #calls: LiveCalls;
  readonly #failures: FailureCounter;
  readonly #options: QueueOptions;

  /** Makes the calls as the operator of the robot. */
  constructor(calls: LiveCalls, failures: FailureCounter, options: QueueOptions) {
    this.#calls = calls;
    this.#failures = failures;
    this.#options = options;
  }

  /** Takes an assignment. Resolves to the result of one that another operator has taken first. */
  async before(input: FramedInput): Promise<{ readonly result: JsonObject } | undefined> {
    if (input.hasStarted) return undefined;
    try {
      await this.#call("work.take", { assignmentId: input.place }, input, "take");
      return undefined;
    } catch (thrown) {
      const error = thrown instanceof SvcError ? thrown : undefined;
      if (error === undefined || !GONE.includes(error.code)) throw thrown;
      return { result: { notTaken: error.message } };
    }
  }

  /** Concludes an assignment whose script has returned or failed. */
  async after(input: FramedInput, failure: SvcError | undefined): Promise<void> {
    if (failure === undefined) this.#failures.forget(input.place);
    else await this.#handleFailure(input, failure);
  }

  /** Gives an assignment back, or routes or parks it. */
  async #handleFailure(input: FramedInput, failure: SvcError): Promise<void> {
    const { maxAttempts, parkQueue, routeQueue } = this.#options;
    const { place } = input;
    const isBusiness = BUSINESS_FAILURE.test(failure.message);
    const count = await this.#failures.count(place, isBusiness);
    const isParked = isBusiness || count >= maxAttempts;
    if (isParked) this.#failures.forget(place);
    const toQueue = isParked ? (isBusiness ? routeQueue ?? parkQueue : parkQueue) : undefined;
    const done = await this.#reassign(input, isParked, toQueue);
    const what = isBusiness ? "business failure" : `failure ${count} of ${maxAttempts}`;
    this.#options.log(`${place}: ${what}, ${done}. ${failure.code} ${failure.message}`);
  }

  async #reassign(input: FramedInput, isParked: boolean, toQueue: string | undefined): Promise<string> {
    const assignmentId = input.place;
    try {
      if (toQueue !== undefined) {
        await this.#call("work.transfer", { assignmentId, toQueue }, input, "transfer");
        return `transferred to the queue ${toQueue}`;
      }
      if (isParked) return "parked in the worklist of the robot";
      await this.#call("work.release", { assignmentId }, input, "release");
      return `given back to the queue ${this.#options.queue}`;
    } catch (thrown) {
      const error = thrown instanceof SvcError ? thrown : undefined;
      if (error === undefined || !GONE.includes(error.code)) throw thrown;
      return `not reassigned: ${error.message}`; // The script may have completed it before it failed.
    }
  }

  /** Makes a call whose idempotency key is the same when the run is resumed. */
  async #call(operation: string, values: JsonObject, input: FramedInput, step: string): Promise<void> {
    const { signal, keyPrefix } = input;
    await this.#calls.call({ operation, values }, {
      signal,
      lastAttempt: signal,
      calledAt: Date.now(),
      sent: { key: `${keyPrefix}.${step}` },
      // The record of the input implies the call, and its history the failure.
      commit: () => input.durable(),
    });
  }
}
