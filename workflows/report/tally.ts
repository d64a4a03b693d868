import { isJsonObject } from "../../utils/json.ts";
import { parseRefusal } from "../engine/history.ts";
import { isWait } from "../sandbox/protocol/messages.ts";
import type { CallTiming, InputRecord, Journal, RunRecord } from "../journal/journal.ts";
import { Causes } from "./causes.ts";
import { Throughput } from "./throughput.ts";
import { truncate } from "../../utils/text/wording.ts";

/** Largest number of operations that are counted separately: a script can call any name. */
const MAX_OPERATIONS = 100;

const OTHER_OPERATIONS = "any other";

const MAX_SLOWEST = 10;
const MAX_OPEN = 50;

/** Longest place, name of an operation and reason, in characters. */
const MAX_NAME = 120;
const MAX_REASON = 300;

/** Counters per doubling of the duration. A quantile is off by less than 1 %. */
const COUNTERS_PER_DOUBLING = 64;

/** Counts of the calls of one operation. */
export interface OperationTally {
  /** Durations of the calls that ended. */
  readonly durations: Durations;
  /** Number of failed calls. */
  failed: number;
  /** Number of calls without an answer. */
  open: number;
}

/** An input in a list. */
export interface ListedInput {
  /** Place, e.g. `cases.ndjson:17`. */
  readonly place: string;
  /** State. */
  readonly state: "done" | "failed" | "open";
  /** Number of calls, without sleeps. */
  readonly calls: number;
  /** Start, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Duration; 0 while it is open. */
  readonly milliseconds: number;
  /** Error that stopped it, if a decision is needed before it can resume. */
  readonly reason?: string;
}

/** Counts what a report shows of a run, in memory that does not grow with the number of inputs. */
export class Tally {
  /** Inputs that were started. */
  inputs = 0;
  /** Inputs that succeeded. */
  succeeded = 0;
  /** Inputs that failed. */
  failed = 0;
  /** Inputs that have not ended. */
  open = 0;
  /** Calls, without sleeps. */
  calls = 0;
  /** Calls that ended. */
  callsEnded = 0;
  /** Calls that failed. */
  callsFailed = 0;
  /** Retries of calls that failed in the end. */
  retries = 0;
  /** Time of the last event, in milliseconds since 1970. */
  lastAt: number;
  /** Counts by operation. */
  readonly operations: Map<string, OperationTally> = new Map();
  /** Counts over time. */
  readonly throughput: Throughput;
  /** Failures by cause. */
  readonly causes: Causes = new Causes();
  /** Inputs that took longest, the slowest first. */
  readonly slowest: ListedInput[] = [];
  /** First open inputs. */
  readonly openInputs: ListedInput[] = [];

  /** Creates empty counts for a run that started at a time. */
  constructor(startedAt: number) {
    this.lastAt = startedAt;
    this.throughput = new Throughput(startedAt);
  }

  /** Counts a call. */
  addCall(call: CallTiming): void {
    const { operation, calledAt, endedAt, refusal } = call;
    const tally = this.#operation(operation);
    const isCall = !isWait(call);
    if (isCall) this.calls++;
    this.#noteTime(calledAt);
    if (endedAt === undefined) {
      tally.open++;
      return;
    }
    this.#noteTime(endedAt);
    tally.durations.add(endedAt - calledAt);
    if (isCall) {
      this.callsEnded++;
      this.throughput.add(endedAt, "calls");
    }
    if (refusal === undefined) return;
    tally.failed++;
    if (isCall) this.callsFailed++;
    this.retries += countRetries(refusal);
  }

  /** Counts an input that made a number of calls. */
  addInput(input: InputRecord, calls: number): void {
    const { startedAt, endedAt, end, stopped } = input;
    this.inputs++;
    this.#noteTime(startedAt);
    const listed: ListedInput = {
      place: truncate(input.place, MAX_NAME),
      state: end?.state ?? "open",
      calls,
      startedAt,
      milliseconds: endedAt === undefined ? 0 : Math.max(0, endedAt - startedAt),
      ...(stopped && { reason: truncate(`${stopped.code} ${stopped.message}`, MAX_REASON) }),
    };
    if (end === undefined || endedAt === undefined) {
      this.open++;
      if (this.openInputs.length < MAX_OPEN) this.openInputs.push(listed);
      return;
    }
    this.#noteTime(endedAt);
    this[end.state === "done" ? "succeeded" : "failed"]++;
    this.throughput.add(endedAt, end.state === "done" ? "succeeded" : "failed");
    if (end.state === "failed") this.causes.add(input, end.error);
    this.#rank(listed);
  }

  #operation(name: string): OperationTally {
    const known = truncate(name, MAX_NAME);
    const isOverflow = this.operations.size >= MAX_OPERATIONS && !this.operations.has(known);
    const key = isOverflow ? OTHER_OPERATIONS : known;
    let tally = this.operations.get(key);
    if (tally === undefined) this.operations.set(key, tally = { durations: new Durations(), failed: 0, open: 0 });
    return tally;
  }

  #rank(input: ListedInput): void {
    const { milliseconds } = input;
    if (this.slowest.length === MAX_SLOWEST && milliseconds <= (this.slowest.at(-1)?.milliseconds ?? 0)) return;
    const index = this.slowest.findIndex((other) => other.milliseconds < milliseconds);
    this.slowest.splice(index < 0 ? this.slowest.length : index, 0, input);
    this.slowest.length = Math.min(this.slowest.length, MAX_SLOWEST);
  }

  #noteTime(at: number): void {
    this.lastAt = Math.max(this.lastAt, at);
  }
}

/** Counts the inputs and calls of a run in one pass over its journal. */
export async function tallyRun(journal: Journal, { id, startedAt }: RunRecord): Promise<Tally> {
  const tally = new Tally(startedAt);
  const calls = new CallGroups(journal.callTimings(id));
  for await (const input of journal.inputs(id)) {
    let made = 0;
    for await (const call of calls.next(input.number)) {
      tally.addCall(call);
      if (!isWait(call)) made++;
    }
    tally.addInput(input, made);
  }
  return tally;
}

/** Groups calls that are ordered by input. */
class CallGroups {
  readonly #calls: AsyncIterator<CallTiming>;
  #next: IteratorResult<CallTiming, undefined> | undefined;

  constructor(calls: AsyncIterable<CallTiming, undefined>) {
    this.#calls = calls[Symbol.asyncIterator]();
  }

  /** Yields the calls up to an input that were not yielded yet. */
  async *next(input: number): AsyncGenerator<CallTiming> {
    this.#next ??= await this.#calls.next();
    while (!this.#next.done && this.#next.value.input <= input) {
      yield this.#next.value;
      this.#next = await this.#calls.next();
    }
  }
}

function countRetries(refusal: string): number {
  const { error } = parseRefusal(refusal);
  return isJsonObject(error) && Array.isArray(error.attempts) ? Math.max(0, error.attempts.length - 1) : 0;
}

/** Counts durations in milliseconds in bounded memory, and computes their quantiles. */
export class Durations {
  /** Number of durations. */
  count = 0;
  /** Longest duration. */
  longest = 0;
  /** Counts by the shortest duration of each counter. */
  readonly #counts = new Map<number, number>();

  /** Adds a duration. */
  add(milliseconds: number): void {
    const value = Math.max(0, Math.round(milliseconds));
    const width = widthAt(value);
    const from = Math.floor(value / width) * width;
    this.#counts.set(from, (this.#counts.get(from) ?? 0) + 1);
    this.longest = Math.max(this.longest, value);
    this.count++;
  }

  /** Returns the duration that a share from 0 to 1 of them does not exceed: exact below 128 ms, and 0 without durations. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.count));
    let seen = 0;
    for (const [from, count] of [...this.#counts].toSorted(([one], [other]) => one - other)) {
      seen += count;
      if (seen >= rank) return Math.min(this.longest, from + (widthAt(from) - 1) / 2);
    }
    return 0;
  }
}

/** Returns how many adjacent durations share a counter. */
function widthAt(value: number): number {
  return value < 2 * COUNTERS_PER_DOUBLING ? 1 : 2 ** Math.floor(Math.log2(value)) / COUNTERS_PER_DOUBLING;
}
