/** What a report says of a run, counted in one pass over its journal: of a million inputs no more is kept than of ten. */
import { isJsonObject } from "../../utils/json.ts";
import { readRefusal } from "../engine/recording.ts";
import { isSleep } from "../engine/sleeping.ts";
import type { CallTiming, InputRecord, Journal, RunRecord } from "../journal/journal.ts";
import { Causes } from "./causes.ts";
import { Durations } from "./durations.ts";
import { Throughput } from "./throughput.ts";
import { truncate } from "../../utils/text/wording.ts";

/** Operations that are told apart: a script can ask for any name. */
const MAX_OPERATIONS = 100;

/** What stands for all further operations. */
const OTHER_OPERATIONS = "any other";

/** Inputs that are listed of the slowest, and of those that are open. */
const MAX_SLOWEST = 10;
const MAX_OPEN = 50;

/** Characters of the names of inputs and operations. */
const MAX_NAME = 120;

/** Characters of the reason why an input is open. */
const MAX_REASON = 300;

/** The calls of one operation. */
export interface OperationTally {
  /** How long those took that ended. */
  readonly durations: Durations;
  /** How many failed. */
  failed: number;
  /** How many are open. */
  open: number;
}

/** An input of a list. */
export interface ListedInput {
  /** Where it stands. */
  readonly place: string;
  /** How far it is. */
  readonly state: "done" | "failed" | "open";
  /** How many calls it made. */
  readonly calls: number;
  /** When it was begun: milliseconds since 1970. */
  readonly startedAt: number;
  /** How long it took; 0 while it is open. */
  readonly milliseconds: number;
  /** Why it is open, where somebody has to decide how it goes on. */
  readonly reason?: string;
}

/** What a report says of a run. */
export class Tally {
  /** Inputs that were begun. */
  inputs = 0;
  /** Inputs that gave a result. */
  succeeded = 0;
  /** Inputs that failed. */
  failed = 0;
  /** Inputs that are not ended. */
  open = 0;
  /** Calls that were made; waiting is none. */
  calls = 0;
  /** Calls that were answered or refused. */
  callsEnded = 0;
  /** Calls that were refused. */
  callsFailed = 0;
  /** Times that a call which failed in the end was sent again. */
  retries = 0;
  /** When the last of it happened: milliseconds since 1970. */
  lastAt: number;
  /** By operation. */
  readonly operations: Map<string, OperationTally> = new Map();
  /** What was finished when. */
  readonly throughput: Throughput;
  /** Why inputs failed. */
  readonly causes: Causes = new Causes();
  /** The inputs that took longest, the slowest first. */
  readonly slowest: ListedInput[] = [];
  /** The first of the open inputs. */
  readonly openInputs: ListedInput[] = [];

  /** Nothing yet, of a run that began then. */
  constructor(startedAt: number) {
    this.lastAt = startedAt;
    this.throughput = new Throughput(startedAt);
  }

  /** Takes a call. */
  addCall(call: CallTiming): void {
    const { operation, askedAt, givenAt, refusal } = call;
    const ofOperation = this.#operation(operation);
    const isCall = !isSleep(call);
    if (isCall) this.calls++;
    this.#seen(askedAt);
    if (givenAt === undefined) {
      ofOperation.open++;
      return;
    }
    this.#seen(givenAt);
    ofOperation.durations.add(givenAt - askedAt);
    if (isCall) {
      this.callsEnded++;
      this.throughput.add(givenAt, "calls");
    }
    if (refusal === undefined) return;
    ofOperation.failed++;
    if (isCall) this.callsFailed++;
    this.retries += retriesOf(refusal);
  }

  /** Takes an input that made so many calls. */
  addInput(input: InputRecord, calls: number): void {
    const { startedAt, endedAt, end, stopped } = input;
    this.inputs++;
    this.#seen(startedAt);
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
    this.#seen(endedAt);
    this[end.state === "done" ? "succeeded" : "failed"]++;
    this.throughput.add(endedAt, end.state === "done" ? "succeeded" : "failed");
    if (end.state === "failed") this.causes.add(input, end.error);
    this.#rank(listed);
  }

  #operation(name: string): OperationTally {
    const known = truncate(name, MAX_NAME);
    const isOneMore = this.operations.size >= MAX_OPERATIONS && !this.operations.has(known);
    const key = isOneMore ? OTHER_OPERATIONS : known;
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

  #seen(at: number): void {
    this.lastAt = Math.max(this.lastAt, at);
  }
}

/** Counts a run. */
export function tallyRun(journal: Journal, { id, startedAt }: RunRecord): Tally {
  const tally = new Tally(startedAt);
  const calls = new CallsByInput(journal.callTimings(id));
  for (const input of journal.inputs(id)) {
    let made = 0;
    for (const call of calls.of(input.number)) {
      tally.addCall(call);
      if (!isSleep(call)) made++;
    }
    tally.addInput(input, made);
  }
  return tally;
}

/** Calls that come input by input, taken input by input. */
class CallsByInput {
  readonly #calls: Iterator<CallTiming>;
  #next: CallTiming | undefined;

  constructor(calls: Iterable<CallTiming>) {
    this.#calls = calls[Symbol.iterator]();
    this.#advance();
  }

  *of(input: number): Generator<CallTiming> {
    while (this.#next !== undefined && this.#next.input <= input) {
      yield this.#next;
      this.#advance();
    }
  }

  #advance(): void {
    const { done, value } = this.#calls.next();
    this.#next = done ? undefined : value;
  }
}

function retriesOf(refusal: string): number {
  const { error } = readRefusal(refusal);
  return isJsonObject(error) && Array.isArray(error.attempts) ? Math.max(0, error.attempts.length - 1) : 0;
}
