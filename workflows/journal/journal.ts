/**
 * The journal: runs, their inputs, and the history of each input. A run does not belong to the process that started it;
 * any process that opens the journal can continue it.
 */
import type { ErrorRecord, SvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import type { Fingerprint } from "../inputs/fingerprint.ts";
import type { Limits } from "../sandbox/host/limits.ts";
import type { JournalCheck } from "./damage.ts";

/**
 * Decision about a change with an unknown outcome: `stop` its input until the user decides, `repeat` the change, or `skip`
 * it and give the script the error.
 */
export type OnUnknown = "stop" | "repeat" | "skip";

/** All decisions about a change with an unknown outcome. */
export const ON_UNKNOWN = ["stop", "repeat", "skip"] as const satisfies readonly OnUnknown[];

/**
 * What remains of an input that has succeeded: all `answers` of its history, its `results` without the history, or `nothing`
 * but its place and state.
 */
export type Keep = "answers" | "results" | "nothing";

/** All choices of what remains of an input. */
export const KEEPS = ["answers", "results", "nothing"] as const satisfies readonly Keep[];

/** The settings with which a run continues in another process. */
export interface RunSettings {
  /** Path of the script, which may lead through links. */
  readonly script: string;
  /** Directory of the files that it imports. The path may lead through links. */
  readonly root?: string;
  /** The only input, if the run has no file of inputs. It is recorded together with the run. */
  readonly input?: JsonValue;
  /** File of the inputs. The path leads through no link. */
  readonly each?: string;
  /** Path through which the user named the file, if it is another one. */
  readonly eachLink?: string;
  /** Fingerprint of the file when the run was started or last continued. */
  readonly file?: Fingerprint;
  /** SHA-256 digests of earlier contents of the file, in hexadecimal. */
  readonly earlierFiles?: readonly string[];
  /** Number of inputs to work on at the same time. Default: 4; no limit for a run that workers process. */
  readonly concurrency?: number;
  /** Number of inputs to start per second. */
  readonly rate?: number;
  /** Number of calls to make per second. */
  readonly callRate?: number;
  /** Failures after which no further input starts: a number, or a share such as `5%`. */
  readonly maxFailures?: string;
  /** Inputs that had ended before the run was last continued. They do not count toward `maxFailures`. */
  readonly earlier?: { readonly done: number; readonly failed: number };
  /** Limits of each input. */
  readonly limits: Limits;
  /** Names of the granted operations. */
  readonly grants: readonly string[];
  /** Proof that the user of this machine gave the grants. */
  readonly proof?: string;
  /** Profile of the calls. Undefined is the default profile. */
  readonly profile?: string;
  /** Address of the service and client of the calls. */
  readonly service?: string;
  /** How to treat a change whose outcome is unknown. */
  readonly onUnknown: OnUnknown;
  /** Seconds that calls wait for the service while it is unavailable. Undefined is the default of the profile. */
  readonly maxOutageSeconds?: number;
  /** Random part of the idempotency keys. */
  readonly nonce?: string;
  /** Choice of what remains of an input that has succeeded. Undefined is `answers`. */
  readonly keep?: Keep;
  /** Name of the schedule that ordered the run. */
  readonly schedule?: string;
  /** Queue whose assignments are the inputs. */
  readonly queue?: string;
}

/** All states of a run. */
export const RUN_STATES = ["open", "done", "failed", "cancelled"] as const satisfies readonly RunState[];

/** The state of a run. It is `open` until all inputs have ended, even while no process works on it. */
export type RunState = "open" | "done" | "failed" | "cancelled";

/** The state of a run as shown to people. An open run is `running` while a process works on it, or if workers may take its inputs. */
export type ShownState = "running" | "interrupted" | "done" | "failed" | "cancelled";

/** All states of a run as shown to people. */
export const SHOWN_STATES = [
  "running",
  "interrupted",
  "done",
  "failed",
  "cancelled",
] as const satisfies readonly ShownState[];

/** A run. */
export interface RunRecord {
  /** Identifier: letters, digits, `-` and `_`. */
  readonly id: string;
  /** Name that the script declares. */
  readonly name: string;
  /** Digest of the script's files. */
  readonly digest: string;
  /** Settings. */
  readonly settings: RunSettings;
  /** State. */
  readonly state: RunState;
  /** Start, in milliseconds since 1970. */
  readonly startedAt: number;
  /** End, in milliseconds since 1970. */
  readonly endedAt?: number;
  /** True if workers may take its inputs: it is a run for workers, and has not stopped at `maxFailures`. */
  readonly isForWorkers?: boolean;
}

/** Numbers of inputs of a run. */
export interface RunCounts {
  /** Inputs that were started. */
  readonly inputs: number;
  /** Inputs that succeeded. */
  readonly succeeded: number;
  /** Inputs that failed. */
  readonly failed: number;
}

/** The end of an input. */
export type InputEnd =
  | { readonly state: "done"; readonly result?: JsonValue }
  | { readonly state: "failed"; readonly error: ErrorRecord };

/** An input of a run. */
export interface InputRecord {
  /** Number in the run, from 1. */
  readonly number: number;
  /** Place in its file, e.g. `cases.ndjson:17`. */
  readonly place: string;
  /** The value. Undefined if the run has no input. */
  readonly value?: JsonValue;
  /** Start, in milliseconds since 1970. */
  readonly startedAt: number;
  /** How often it was opened again after a failure. Part of the idempotency keys of its further calls. */
  readonly generation: number;
  /** How it ended. Undefined while it is open. */
  readonly end?: InputEnd;
  /** Why it stopped, if it is open and waits for a decision. */
  readonly stopped?: ErrorRecord;
  /** Until when it waits, or last waited, without a process, in milliseconds since 1970. */
  readonly waitsUntil?: number;
  /** End, in milliseconds since 1970. */
  readonly endedAt?: number;
}

/** All kinds of events. */
export const EVENT_KINDS = [
  "call",
  "sent",
  "answer",
  "refusal",
  "random",
  "log",
  "left",
  "signal",
  "downtime",
  "patched",
  "continued",
  "pruned",
] as const;

/**
 * The kind of an event. `call`: the script took a step; `sent`: a change is about to be sent; `answer`, `refusal`: the
 * script got a result; `random`: it used random bytes; `log`: it printed; `left`: steps were rewound; `signal`: someone sent
 * it a value; `downtime`: it did not run for a time, and its timers were paused; `patched`: it takes the new path of a
 * patch; `continued`: an earlier history has ended, and it continues with another input; `pruned`: its history was deleted.
 */
export type EventKind = (typeof EVENT_KINDS)[number];

/** An event in the history of an input. */
export interface EventRecord {
  /** Kind. */
  readonly kind: EventKind;
  /** Position of its step, or 0. */
  readonly position: number;
  /** Time in milliseconds since 1970: of the script's clock for results, otherwise of the machine. */
  readonly at: number;
  /** Text. Its form depends on the kind. */
  readonly content: string;
}

/** An event in a journal. */
export interface StoredEvent extends EventRecord {
  /** Sequence number among all events of the journal. */
  readonly seq: number;
}

/** When a call was made and answered, without its contents. */
export interface CallTiming {
  /** Number of the input. */
  readonly input: number;
  /** Operation. */
  readonly operation: string;
  /** When the script made it, in milliseconds since 1970. */
  readonly calledAt: number;
  /** When the script got the result. Undefined while the call is open. */
  readonly endedAt?: number;
  /** Content of the refusal, if it was refused. */
  readonly refusal?: string;
}

/** An input that waits without a process. */
export interface WaitingInput {
  /** Number of the input. */
  readonly number: number;
  /** Until when it waits, in milliseconds since 1970. */
  readonly until: number;
}

/** The fields of an input when it starts. Its number is that of the claim. */
export type NewInput = Pick<InputRecord, "place" | "value" | "startedAt" | "generation">;

/** The size of the history of an input. */
export interface HistorySize {
  /** Number of the input. */
  readonly input: number;
  /** Number of events. */
  readonly events: number;
  /** Size of their contents, as stored. */
  readonly bytes: number;
}

/**
 * The exclusive right to work on an input. Everything about an input is written through its claim. After the claim has
 * been disposed, or another process has taken it over, writes are refused: `durable` rejects, and nothing is recorded.
 *
 * Methods that return nothing buffer what they write. It is on disk when a later `durable()` resolves, and soon in any
 * case.
 */
export interface InputClaim extends AsyncDisposable {
  /** Aborts when another process takes over the input. Its reason is an `SvcError` that leaves the input open. */
  readonly lost?: AbortSignal;
  /** Records the start of the input. A run that had ended is open again. */
  begin(input: NewInput): void;
  /** Records the end of the input. */
  end(end: InputEnd): void;
  /** Records why the open input has stopped or, without a reason, that it continues. */
  stop(reason?: ErrorRecord): void;
  /**
   * Records until when the open input waits without a process. The wait ends at once if the input has got a signal after
   * the event `seen`. The record stays when the input continues, until it ends.
   */
  wait(until: number, seen?: number): void;
  /** Opens a failed input again. Records the steps that it rewinds and the generation of its further calls. */
  reopen(rewind: EventRecord, generation: number): Promise<void>;
  /** Records a new value for an input that was opened again. */
  change(value: JsonValue | undefined): void;
  /**
   * Replaces the history of the open input by one that starts with an event, and increases the generation of its further
   * calls, in one commit.
   */
  continue(start: EventRecord): Promise<void>;
  /** Deletes the history of the input, which has succeeded. Deletes its value and its result, too, to keep nothing. */
  prune(keep: Exclude<Keep, "answers">): void;
  /** Appends an event to the history of the input. */
  append(event: EventRecord): void;
  /** Resolves when everything written so far is on disk. Callers that wait at the same time share a commit. */
  durable(): Promise<void>;
}

/** The records of the inputs of runs. Reads see everything that this process wrote before. */
export interface InputJournal {
  /** Claims an input. Resolves to undefined if another process or another part of this one works on it. */
  claimInput(runId: string, number: number): Promise<InputClaim | undefined>;
  /** Iterates over the recorded inputs of a run, by number. */
  inputs(runId: string): AsyncIterable<InputRecord>;
  /** Finds an input of a run. */
  findInput(runId: string, number: number): Promise<InputRecord | undefined>;
  /** Lists the inputs of a run with recorded waits, up to a number, in the order in which their waits end. */
  waiting(runId: string, options: { readonly upTo: number; readonly limit: number }): Promise<readonly WaitingInput[]>;
  /** Reads the history of an input, in order. */
  events(runId: string, number: number): Promise<readonly StoredEvent[]>;
  /** Reads the signals of an input after a sequence number. */
  signals(runId: string, number: number, after: number): Promise<readonly StoredEvent[]>;
  /** Returns true if a write has failed. Nothing is written after that. */
  isBroken(): boolean;
}

/**
 * The records of runs. A read throws `JOURNAL_DAMAGED` if a record is not as it was written, and names the run, the input
 * and the step.
 */
export interface Journal extends InputJournal, AsyncDisposable {
  /** Records a new run. */
  createRun(run: RunRecord): Promise<void>;
  /** Finds a run. */
  findRun(runId: string): Promise<RunRecord | undefined>;
  /** Reads the state of a run. */
  readState(runId: string): Promise<RunState | undefined>;
  /** Reads all runs, the latest first. Throws if a record is damaged, or reports it to `onDamage` and omits the run. */
  listRuns(onDamage?: (error: SvcError) => void): Promise<readonly RunRecord[]>;
  /** Counts the inputs of a run by state. */
  countInputs(runId: string): Promise<RunCounts>;
  /** Records the state of a run. A cancelled run stays cancelled. */
  setState(runId: string, state: RunState): Promise<void>;
  /** Records the script and the settings with which a run continues. */
  changeRun(runId: string, changed: Pick<RunRecord, "digest" | "settings">): Promise<void>;
  /**
   * Records a signal for an open input, and ends its wait. Needs no claim. Resolves to the state of the input: nothing is
   * recorded unless it is open.
   */
  signalInput(runId: string, number: number, signal: EventRecord): Promise<"open" | InputEnd["state"] | undefined>;
  /** Deletes a run with everything that it recorded. */
  deleteRun(runId: string): Promise<void>;
  /**
   * Claims a run until the claim is disposed or the process ends. Resolves to undefined if another process has claimed
   * it.
   */
  claimRun(runId: string): Promise<AsyncDisposable | undefined>;
  /** Reports whether a process has claimed a run or, in a shared journal, one of its inputs. */
  isRunClaimed(runId: string): Promise<boolean>;
  /** Reads the printed lines of an input and its rewinds, in order. */
  printed(runId: string, number: number): Promise<readonly StoredEvent[]>;
  /** Measures the histories of a run, without those that were deleted. */
  measureHistories(runId: string): Promise<readonly HistorySize[]>;
  /** Returns the space of deleted records to the file system. */
  shrink(): Promise<void>;
  /** Iterates over the calls of a run, input by input, without their contents. */
  callTimings(runId: string): AsyncIterable<CallTiming>;
  /** Resolves when everything that this process has written is on disk. */
  durable(): Promise<void>;
  /** Checks all records, or those of one run. */
  verify(runId?: string): Promise<JournalCheck>;
}
