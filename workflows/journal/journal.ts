/**
 * What is known of runs: their inputs, and of each input every call before it was sent and its answer after. A run is not
 * tied to the process that began it: whoever opens the journal can go on with it. Nothing here knows where it is kept.
 */
import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import type { Limits } from "../runs/limits.ts";

/**
 * Decision about a change with an unknown outcome: `stop` its input until the user decides, `repeat` the change, or `skip`
 * it and give the script the error.
 */
export type OnUnknown = "stop" | "repeat" | "skip";

/** The decisions about a change with an unknown outcome. */
export const ON_UNKNOWN = ["stop", "repeat", "skip"] as const satisfies readonly OnUnknown[];

/** How a run goes on when another process takes it up: all that its command line said. */
export interface RunSettings {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the files that it imports. */
  readonly root?: string;
  /** Its one input, where it has no file of them: written with the run, so that nothing can come between the two. */
  readonly input?: JsonValue;
  /** File of the inputs; without it there is one input. */
  readonly each?: string;
  /** Inputs to work on at a time. */
  readonly concurrency: number;
  /** Inputs to begin per second. */
  readonly rate?: number;
  /** Failures after which no further input is begun: a number, or a share such as `5%`. */
  readonly maxFailures?: string;
  /** What each input may use. */
  readonly limits: Limits;
  /** Operations that were granted, by their names. */
  readonly grants: readonly string[];
  /** Profile that the calls were made with; the default one without it. */
  readonly profile?: string;
  /** Address of the service, and as whom the calls were made; undefined where there was none. */
  readonly service?: string;
  /** What to do with a call of unknown outcome. */
  readonly onUnknown: OnUnknown;
  /** Random part of its idempotency keys. */
  readonly nonce?: string;
}

/** All states of a run. */
export const RUN_STATES = ["open", "done", "failed", "cancelled"] as const;

/** How far a run is: `open` until all of its inputs are ended, also while no process works on it. */
export type RunState = (typeof RUN_STATES)[number];

/** State of a run. An open run is `running` while a process works on it, and otherwise `interrupted`. */
export type ShownState = "running" | "interrupted" | "done" | "failed" | "cancelled";

/** The states of a run. */
export const SHOWN_STATES = [
  "running",
  "interrupted",
  "done",
  "failed",
  "cancelled",
] as const satisfies readonly ShownState[];

/** A run. */
export interface RunRecord {
  /** Its identifier: letters, digits, `-` and `_`. */
  readonly id: string;
  /** Name that the script gives itself. */
  readonly name: string;
  /** Digest of the script's files. */
  readonly digest: string;
  /** How it was started. */
  readonly settings: RunSettings;
  /** How far it is. */
  readonly state: RunState;
  /** When it began: milliseconds since 1970. */
  readonly startedAt: number;
  /** When it ended. */
  readonly endedAt?: number;
}

/** How many inputs of a run are how far. */
export interface RunCounts {
  /** Inputs that were begun. */
  readonly inputs: number;
  /** Those that gave a result. */
  readonly succeeded: number;
  /** Those that failed. */
  readonly failed: number;
}

/** What became of an input. */
export type InputEnd =
  | { readonly state: "done"; readonly result?: JsonValue }
  | { readonly state: "failed"; readonly error: ErrorRecord };

/** One input of a run. */
export interface InputRecord {
  /** Its number in the run, from 1. */
  readonly number: number;
  /** Where it stands, e.g. `cases.ndjson:17`. */
  readonly place: string;
  /** The input; undefined where the run was given none. */
  readonly value?: JsonValue;
  /** When it was begun: milliseconds since 1970. */
  readonly startedAt: number;
  /** How often it was begun anew after it had failed; part of the idempotency keys of its further calls. */
  readonly generation: number;
  /** What became of it; undefined while it is open. */
  readonly end?: InputEnd;
  /** Why it has stopped, where it is open until somebody decides how it goes on. */
  readonly stopped?: ErrorRecord;
  /** When it ended. */
  readonly endedAt?: number;
}

/** All kinds of events. */
export const EVENT_KINDS = ["call", "sent", "answer", "refusal", "random", "log", "left"] as const;

/**
 * Kinds of what happens in an input. `call`: the script asked; `sent`: a change is about to be sent; `answer`,
 * `refusal`: what the script was given; `random`: randomness that it drew; `log`: what it printed;
 * `left`: the steps from which it went on anew.
 */
export type EventKind = (typeof EVENT_KINDS)[number];

/** Something that happened in an input. */
export interface EventRecord {
  /** What it was. */
  readonly kind: EventKind;
  /** The call that it belongs to; 0 where it belongs to none. */
  readonly position: number;
  /** The script's clock where it is told the time; else the machine's. Milliseconds since 1970. */
  readonly at: number;
  /** Text whose form the kind decides. */
  readonly content: string;
}

/** An event in a journal. */
export interface StoredEvent extends EventRecord {
  /** Its place among all events. */
  readonly seq: number;
}

/** When a call was made and answered, and of what it failed: all that can be told of it without reading what it carried. */
export interface CallTiming {
  /** The input that it belongs to. */
  readonly input: number;
  /** Its operation. */
  readonly operation: string;
  /** When it was asked: milliseconds since 1970. */
  readonly askedAt: number;
  /** When the script was given the answer or the refusal; undefined while the call is open. */
  readonly givenAt?: number;
  /** The content of the refusal, where it was one. */
  readonly refusal?: string;
}

/** The exclusive right to work on an input. */
export type InputClaim = AsyncDisposable;

/**
 * The records of the inputs of runs.
 *
 * Methods that return nothing buffer what they write. It is on disk when a later `durable()` resolves, and soon in any
 * case. Reads see everything that this process wrote before.
 */
export interface InputJournal {
  /** Claims an input. Resolves to undefined if another process or another part of this one works on it. */
  claimInput(runId: string, number: number): Promise<InputClaim | undefined>;
  /** Finds an input of a run. */
  findInput(runId: string, number: number): Promise<InputRecord | undefined>;
  /** Records the start of an input. A run that had ended is open again. */
  beginInput(runId: string, input: InputRecord): void;
  /** Records the end of an input. */
  endInput(runId: string, number: number, end: InputEnd): void;
  /** Records why an open input has stopped or, without a reason, that it continues. */
  stopInput(runId: string, number: number, reason?: ErrorRecord): void;
  /** Opens a failed input again. Records the steps that it rewinds and the generation of its further calls. */
  reopenInput(runId: string, number: number, rewind: EventRecord, generation: number): Promise<void>;
  /** Records a new value for an input that was opened again. */
  changeInput(runId: string, number: number, value: JsonValue | undefined): void;
  /** Reads the history of an input, in order. */
  events(runId: string, number: number): Promise<readonly StoredEvent[]>;
  /** Appends an event to the history of an input. */
  append(runId: string, number: number, event: EventRecord): void;
  /** Resolves when everything written so far is on disk. Callers that wait at the same time share a commit. */
  durable(): Promise<void>;
  /** Tells whether a write has failed. Nothing is written after that. */
  isBroken(): boolean;
}

/** The records of runs. */
export interface Journal extends InputJournal, AsyncDisposable {
  /** Records a new run. */
  createRun(run: RunRecord): Promise<void>;
  /** Finds a run. */
  findRun(runId: string): Promise<RunRecord | undefined>;
  /** Reads the state of a run. */
  readState(runId: string): Promise<RunState | undefined>;
  /** Reads all runs, the latest first. */
  listRuns(): Promise<readonly RunRecord[]>;
  /** Counts the inputs of a run by state. */
  countInputs(runId: string): Promise<RunCounts>;
  /** Records the state of a run. A cancelled run stays cancelled. */
  setState(runId: string, state: RunState): Promise<void>;
  /** Records the script and the settings with which a run continues. */
  changeRun(runId: string, changed: Pick<RunRecord, "digest" | "settings">): Promise<void>;
  /** Deletes a run with everything that it recorded. */
  deleteRun(runId: string): Promise<void>;
  /**
   * Claims a run until the claim is disposed or the process ends. Resolves to undefined if another process has claimed
   * it.
   */
  claimRun(runId: string): Promise<AsyncDisposable | undefined>;
  /** Iterates over the recorded inputs of a run, by number. */
  inputs(runId: string): AsyncIterable<InputRecord>;
  /** Reads the printed lines of an input and its rewinds, in order. */
  printed(runId: string, number: number): Promise<readonly StoredEvent[]>;
  /** Iterates over the calls of a run, input by input, without their contents. */
  callTimings(runId: string): AsyncIterable<CallTiming>;
}
