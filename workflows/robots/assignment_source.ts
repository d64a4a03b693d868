import { type ErrorCode, SvcError } from "../../lib/errors.ts";
import { delay, onAbort } from "../../utils/async/abort.ts";
import { isJsonObject, isString, type JsonObject, parseJson } from "../../utils/json.ts";
import { type LiveCalls, StopInput } from "../engine/live_calls.ts";
import type { BatchInput } from "../inputs/batch_input.ts";
import type { InputRecord } from "../journal/journal.ts";
import type { FramedInput, InputSource } from "../runs/input_source.ts";
import type { FailureCounts } from "./failure_counts.ts";

/** Number of assignments per page of the inbox, and of pages that are read to find one. */
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** Milliseconds between two checks of an empty queue. */
const POLL_MILLISECONDS = 2000;

/** Number of assignments after which another run begins, so that a run stays short enough to be resumed quickly. */
const MAX_INPUTS = 1000;

/** Errors of an assignment that another operator has taken, or that is complete. */
const GONE: readonly ErrorCode[] = ["NOT_FOUND", "FORBIDDEN", "CONFLICT"];

/** Message of a failure that the script reports by throwing an error with the name `BusinessError`. */
const BUSINESS_FAILURE = /^The script failed: BusinessError\b/;

/** How a robot works on a queue. */
export interface QueueOptions {
  /** Queue to take assignments from. */
  readonly queue: string;
  /** Failures of an assignment after which it is parked. */
  readonly maxAttempts: number;
  /** Queue for parked assignments. Without it, they stay in the worklist of the operator. */
  readonly parkQueue?: string;
  /** Queue for assignments with a business failure. Without it, they are parked. */
  readonly routeQueue?: string;
  /** Milliseconds for which a failed assignment is left in the queue, times the number of its failures. */
  readonly retryMilliseconds: number;
  /** True ends the source when no assignment is available. */
  readonly untilEmpty: boolean;
  /** Ends the source: assignments that were taken are completed. */
  readonly drain: AbortSignal;
  /** Receives a line about each assignment that failed. */
  readonly log: (line: string) => void;
}

/** Supplies the assignments of a queue as the inputs of a run. It takes each before its script runs. */
export class AssignmentSource implements InputSource {
  readonly #calls: LiveCalls;
  readonly #recorded: AsyncIterable<InputRecord>;
  readonly #failures: FailureCounts;
  readonly #options: QueueOptions;
  /** Assignments that are being worked on. */
  readonly #active = new Set<string>();
  #changed = Promise.withResolvers<void>();

  /** Creates the source of a run. `failures` includes the failures of earlier runs. */
  constructor(
    calls: LiveCalls,
    recorded: AsyncIterable<InputRecord>,
    failures: FailureCounts,
    options: QueueOptions,
  ) {
    this.#calls = calls;
    this.#recorded = recorded;
    this.#failures = failures;
    this.#options = options;
  }

  get inputs(): AsyncIterable<BatchInput> {
    return this.#list();
  }

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

  async after(input: FramedInput, failure: SvcError | undefined): Promise<void> {
    if (failure === undefined) this.#failures.succeeded(input.place);
    else await this.#handleFailure(input, failure);
  }

  close({ place }: FramedInput): void {
    this.#active.delete(place);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Gives an assignment back, or routes or parks it. */
  async #handleFailure(input: FramedInput, failure: SvcError): Promise<void> {
    const { maxAttempts, parkQueue, routeQueue } = this.#options;
    const { place } = input;
    const isBusiness = BUSINESS_FAILURE.test(failure.message);
    const count = this.#failures.failed(place, Date.now());
    const isParked = isBusiness || count >= maxAttempts;
    if (isParked) this.#failures.parked(place);
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

  /** Lists the recorded inputs, then takes assignments as they come. */
  async *#list(): AsyncGenerator<BatchInput> {
    let count = 0;
    for await (const { place, value, end } of this.#recorded) {
      count++;
      if (end === undefined) this.#active.add(place);
      yield { place, value };
    }
    const { drain, untilEmpty } = this.#options;
    while (count < MAX_INPUTS && !drain.aborted) {
      const next = await this.#findNext();
      if (drain.aborted) return;
      if (next !== undefined) {
        count++;
        this.#active.add(next.place);
        yield next;
      } else if (untilEmpty && this.#active.size === 0) return;
      else await this.#wait();
    }
  }

  /** Waits until an assignment has ended, the robot is stopped, or a delay is over. */
  async #wait(): Promise<void> {
    const waiting = new AbortController();
    using _listening = onAbort(this.#options.drain, () => waiting.abort());
    const pause = delay(POLL_MILLISECONDS, waiting.signal).catch(() => {}); // Another event came first.
    await Promise.race([pause, this.#changed.promise]);
    waiting.abort();
  }

  /** Finds the most urgent assignment of the queue that has not just failed and that no other input works on. */
  async #findNext(): Promise<BatchInput | undefined> {
    for (let page = 1; page <= MAX_PAGES; page++) {
      const { assignments, hasMore } = await this.#readInbox(page);
      for (const assignment of assignments) {
        const { ID, assigneeInfo, ...facts } = assignment;
        const isInQueue = isJsonObject(assigneeInfo) && assigneeInfo.type === "workbasket" &&
          assigneeInfo.ID === this.#options.queue;
        if (!isInQueue || !isString(ID) || this.#active.has(ID)) continue;
        if (this.#failures.isDelayed(ID, Date.now(), this.#options.retryMilliseconds)) continue;
        return { place: ID, value: { assignment: ID, ...facts } };
      }
      if (!hasMore) return undefined;
    }
    return undefined;
  }

  async #readInbox(page: number): Promise<{ assignments: JsonObject[]; hasMore: boolean }> {
    const { drain } = this.#options;
    const request = { operation: "work.inbox", values: { page, pageSize: PAGE_SIZE } };
    const options = { signal: drain, lastAttempt: drain, calledAt: Date.now(), sent: { key: "" } };
    try {
      const { text } = await this.#calls.call(request, { ...options, commit: () => Promise.resolve() });
      const body = parseJson(text);
      const listed = isJsonObject(body) && Array.isArray(body.assignments) ? body.assignments.filter(isJsonObject) : [];
      return { assignments: listed, hasMore: isJsonObject(body) && body.hasMoreResults === true };
    } catch (thrown) {
      if (drain.aborted) return { assignments: [], hasMore: false };
      throw thrown instanceof StopInput ? thrown.reason : thrown;
    }
  }
}
