/**
 * The core of an input: a reducer from its history and an event to the next effects. It does no I/O, reads no clock and
 * holds no promise.
 *
 * While a step is in the history, the script gets the recorded result, in the recorded order, so that it takes the same
 * path. A step that is not in the history is recorded and then made.
 */
import type { ErrorRecord, SvcError } from "../../lib/errors.ts";
import type { EventRecord, StoredEvent } from "../journal/journal.ts";
import { journalFull, tooMuch } from "../sandbox/host/guest_errors.ts";
import { MAX_OUTPUT_CHARACTERS } from "../sandbox/protocol/messages.ts";
import { changedStep, missingStep, similarStep } from "./divergence.ts";
import { parseSleep } from "./wait_limit.ts";
import {
  dropSteps,
  getOperation,
  type History,
  planRewind,
  readHistory,
  type RecordedStep,
  type Rewind,
  type SentHeaders,
  takeRewound,
} from "./history.ts";

/** Characters that an event counts in addition to its content. */
const EVENT_COST = 64;

/** Shortest time for which an input did not run that counts as downtime, in milliseconds. */
const MIN_DOWNTIME = 1000;

/** Options of a replay. */
export interface ReplayOptions {
  /** The recorded events of the input. */
  readonly events: readonly StoredEvent[];
  /** The history that `events` contain. Default: parsed from them. */
  readonly history?: History<StoredEvent>;
  /** How often the input was opened again. */
  readonly generation: number;
  /** Rewinds to the step at which the script leaves its history, instead of failing there. */
  readonly force: boolean;
  /** Start of the idempotency keys of the input. */
  readonly keyPrefix: string;
  /** Until when the input waited without a process, in milliseconds since 1970. */
  readonly waitedUntil?: number;
  /** Mebibytes of text that the journal may store about the input. Default: no limit. */
  readonly maxJournalMiB?: number;
}

/** A step that the script takes. The sandbox numbers steps from 1. */
export interface StepEvent {
  readonly type: "step";
  readonly position: number;
  /** Operation and arguments as text. Equal texts are the same step. */
  readonly request: string;
  readonly operation: string;
  /** True for a timer, which counts only the time in which the script runs. */
  readonly isTimer: boolean;
  /** Time in milliseconds since 1970, as in all events. */
  readonly now: number;
}

/** Something that happened to an input. */
export type ReplayEvent =
  | StepEvent
  /** The journal has the rewind that an effect asked for. */
  | { readonly type: "rewound"; readonly generation: number }
  /** A change is about to be sent, with the entity tag that was read for it. */
  | {
    readonly type: "sending";
    readonly position: number;
    readonly tag?: string;
    readonly isKeyed: boolean;
    readonly now: number;
  }
  /** The service has answered a call. */
  | { readonly type: "answered"; readonly position: number; readonly content: string }
  /** A call has failed. With `isAbandoned` nothing is recorded: the input ends, or makes the call again later. */
  | { readonly type: "refused"; readonly position: number; readonly error: SvcError; readonly isAbandoned: boolean }
  /** The script gets the result of a step now. */
  | { readonly type: "delivered"; readonly position: number; readonly now: number }
  /** The script has used random bytes. */
  | { readonly type: "random"; readonly block: string; readonly now: number }
  /** The input takes the new path of a patch. */
  | { readonly type: "patched"; readonly name: string; readonly now: number }
  /** The script has printed a line. */
  | { readonly type: "printed"; readonly text: string; readonly now: number }
  /** The script has taken no step for a long time. */
  | { readonly type: "stalled" }
  /** The script is idle and has not taken this step, whose result it already has. */
  | { readonly type: "idle"; readonly position: number }
  /** No further call may be made. */
  | { readonly type: "paused" }
  /** All calls in flight have ended after a pause. */
  | { readonly type: "drained"; readonly now: number }
  /** The script has returned or, with a failure, thrown. */
  | { readonly type: "finished"; readonly failure?: ErrorRecord }
  /** The journal has failed. */
  | { readonly type: "failed"; readonly error: SvcError }
  /** The input is over. */
  | { readonly type: "disposed" };

/** Something to do next, in the order of the list. */
export type ReplayEffect =
  /** Append an event to the journal. */
  | { readonly type: "append"; readonly event: EventRecord }
  /** Give the script the recorded result of a step. */
  | { readonly type: "replay"; readonly position: number }
  /** Make a call. Without `sent` in the history, it is sent with a new key. */
  | { readonly type: "call"; readonly position: number; readonly call: RecordedStep; readonly sent: SentHeaders }
  /** Give the script the result of a call that was made. */
  | { readonly type: "settle"; readonly position: number }
  /** Record a rewind, then report it with `rewound`. */
  | { readonly type: "rewind"; readonly rewind: Rewind }
  /** Show a printed line. */
  | { readonly type: "print"; readonly text: string }
  /** End the sandbox. */
  | { readonly type: "stop"; readonly reason: SvcError };

/** A result that the script has not got yet. */
interface Result {
  readonly kind: "answer" | "refusal";
  readonly content: string;
}

/** A call that is being made. */
interface OpenCall {
  readonly call: RecordedStep;
  /** Its recorded headers. */
  readonly sent?: SentHeaders;
  /** When it ends, in milliseconds since 1970, if it is a sleep or a timer. */
  readonly endsAt?: number;
}

/** The state of an input. */
export interface Replay {
  readonly options: ReplayOptions;
  readonly history: History<StoredEvent>;
  readonly phase: "active" | "paused" | "disposed";
  /** Position of the last step that the script took. */
  readonly lastStep: number;
  /** Index of the next recorded result. */
  readonly nextResult: number;
  /** Index of the first recorded result whose step the script has not taken. */
  readonly expected: number;
  /** Recorded steps that wait until earlier results are delivered. */
  readonly waiting: ReadonlySet<number>;
  /** Calls that are being made. */
  readonly open: ReadonlyMap<number, OpenCall>;
  /** Results of calls that were made, by position. */
  readonly results: ReadonlyMap<number, Result>;
  /** Results that wait until all recorded results are delivered. */
  readonly unsettled: readonly number[];
  /** A step that waits for a rewind. */
  readonly blockedStep?: StepEvent;
  readonly generation: number;
  /** The script's clock. */
  readonly clock: number;
  /** Time for which the input did not run, in milliseconds. */
  readonly downtime: number;
  readonly printedLines: number;
  /** Number of lines in the history, which are not printed again. */
  readonly recordedLines: number;
  /** Total length of the refused requests. They are recorded, too, and could fill the disk in a short time. */
  readonly refusedCharacters: number;
  /** Total size of the recorded events, in characters. */
  readonly recordedCharacters: number;
  /** Why the script does not match its history, or why the journal has failed. */
  readonly divergence?: SvcError;
}

/** A state and what to do next. */
export interface Transition {
  readonly state: Replay;
  readonly effects: readonly ReplayEffect[];
}

/** Starts the replay of an input. */
export function startReplay(options: ReplayOptions, now: number): Replay {
  const { history = readHistory(options.events) } = options;
  // A rewind may be recorded long after the script ended.
  const last = options.events.findLast(({ kind }) => kind !== "left" && kind !== "signal")?.at ?? Infinity;
  const downtime = now - Math.max(last, options.waitedUntil ?? 0);
  return {
    options,
    history,
    phase: "active",
    lastStep: 0,
    nextResult: 0,
    expected: 0,
    waiting: new Set(),
    open: new Map(),
    results: new Map(),
    unsettled: [],
    generation: options.generation,
    clock: 0,
    downtime: downtime < MIN_DOWNTIME ? 0 : downtime,
    printedLines: 0,
    recordedLines: history.printedLines,
    refusedCharacters: 0,
    recordedCharacters: options.events.reduce((sum, event) => sum + getSize(event), 0),
  };
}

/** Returns the first step with a recorded result that the script has not taken. */
export function findExpected({ history, expected }: Replay): number | undefined {
  return history.resultOrder[expected];
}

/** Returns the next state and effects of an input. */
export function advance(state: Replay, event: ReplayEvent): Transition {
  return limitRecorded(reduce(state, event));
}

/** Stops an input that records too much. What exceeds the limit is recorded, because it has happened. */
function limitRecorded({ state, effects }: Transition): Transition {
  const added = effects.reduce((sum, effect) => effect.type === "append" ? sum + getSize(effect.event) : sum, 0);
  if (added === 0) return { state, effects };
  const recordedCharacters = state.recordedCharacters + added;
  const { maxJournalMiB = Infinity } = state.options;
  const isTooMuch = recordedCharacters > maxJournalMiB * 1024 * 1024;
  return {
    state: { ...state, recordedCharacters },
    effects: isTooMuch ? [...effects, stop(journalFull(maxJournalMiB))] : effects,
  };
}

function getSize({ content }: EventRecord): number {
  return content.length + EVENT_COST;
}

function reduce(state: Replay, event: ReplayEvent): Transition {
  switch (event.type) {
    case "step":
      return takeStep(state, event);
    case "rewound":
      return continueAfterRewind({ ...state, generation: event.generation });
    case "sending":
      return recordSending(state, event);
    case "answered":
      return addResult(state, event.position, { kind: "answer", content: event.content });
    case "refused":
      return refuse(state, event);
    case "delivered":
      return deliver(state, event.position, event.now);
    case "random":
      return { state, effects: [append("random", 0, event.now, event.block)] };
    case "patched":
      return { state, effects: [append("patched", 0, event.now, event.name)] };
    case "printed":
      return print(state, event.text, event.now);
    case "stalled":
      return checkStalled(state);
    case "idle":
      return event.position <= state.lastStep ? nothing(state) : diverge(state, findMissing(state, event.position));
    case "paused":
      return nothing(state.phase === "disposed" ? state : { ...state, phase: "paused" });
    case "drained":
      return drain(state, event.now);
    case "finished":
      return finish(state, event.failure);
    case "failed":
      return diverge(state, event.error);
    case "disposed":
      return nothing({ ...state, phase: "disposed" });
  }
}

function nothing(state: Replay): Transition {
  return { state, effects: [] };
}

function append(kind: EventRecord["kind"], position: number, at: number, content: string): ReplayEffect {
  return { type: "append", event: { kind, position, at, content } };
}

/** Runs one transition after another. */
function andThen({ state, effects }: Transition, next: (state: Replay) => Transition): Transition {
  const following = next(state);
  return { state: following.state, effects: [...effects, ...following.effects] };
}

function takeStep(before: Replay, step: StepEvent): Transition {
  const { position, request } = step;
  const state = moveTo(before, position);
  if (state.phase !== "active" || state.divergence !== undefined) return nothing(state);
  const recorded = state.history.steps.get(position);
  if (recorded === undefined) return startStep(state, step);
  if (recorded.request === request) return continueStep(state, step, recorded);
  if (!state.options.force) return diverge(state, changedStep(position, recorded, request));
  return rewind({ ...state, blockedStep: step }, position);
}

/** Notes that the script has taken all steps up to a position. */
function moveTo(state: Replay, position: number): Replay {
  const { resultOrder } = state.history;
  const lastStep = Math.max(state.lastStep, position);
  let { expected } = state;
  while (expected < resultOrder.length && (resultOrder[expected] ?? 0) <= lastStep) expected++;
  return { ...state, lastStep, expected };
}

/** Continues a step of the history: with its recorded result, or with a call that has no result yet. */
function continueStep(state: Replay, step: StepEvent, recorded: RecordedStep<StoredEvent>): Transition {
  const { position } = step;
  if (recorded.result === undefined) {
    return step.isTimer ? continueTimer(state, step, recorded) : makeCall(state, position, recorded);
  }
  // The index is -1 if the script got the result before it took the step.
  if (state.history.resultOrder.indexOf(position, state.nextResult) <= state.nextResult) {
    return { state, effects: [{ type: "replay", position }] };
  }
  return nothing({ ...state, waiting: new Set([...state.waiting, position]) });
}

/** Continues a timer, which was paused while the input did not run, unless it was due before. */
function continueTimer(state: Replay, { position, now }: StepEvent, recorded: RecordedStep): Transition {
  const { downtime, options: { waitedUntil = 0 } } = state;
  const at = recorded.at + (recorded.downtime ?? 0);
  const isDue = at + (parseSleep(recorded.request) ?? 0) <= waitedUntil;
  if (downtime === 0 || isDue) return makeCall(state, position, { ...recorded, at });
  const noted = { state, effects: [append("downtime", position, now, String(downtime))] };
  return andThen(noted, (next) => makeCall(next, position, { ...recorded, at: at + downtime }));
}

/** Returns when a script that only sleeps continues, in milliseconds since 1970. Returns undefined for another one. */
export function findWaitEnd(state: Replay): number | undefined {
  const isSettled = hasReplayed(state) && state.results.size === 0 && state.blockedStep === undefined;
  if (state.phase !== "active" || state.divergence !== undefined || !isSettled || state.open.size === 0) {
    return undefined;
  }
  let end = Infinity;
  for (const { endsAt } of state.open.values()) {
    if (endsAt === undefined) return undefined;
    end = Math.min(end, endsAt);
  }
  return end;
}

/** Records a new step and makes its call. */
function startStep(before: Replay, { position, request, operation, now }: StepEvent): Transition {
  const rewound = [...before.history.rewound];
  const same = takeRewound(rewound, request);
  const state = { ...before, history: { ...before.history, rewound } };
  // Another call of the same operation may be the same change, with another time or random number in it.
  const similar = same === undefined && !state.options.force
    ? rewound.find((one) => one.sent && !one.isForced && getOperation(one) === operation)
    : undefined;
  if (similar !== undefined) return diverge(state, similarStep(position, similar.request, request));
  const recorded = { state, effects: [append("call", position, now, request)] };
  return andThen(recorded, (next) => makeCall(next, position, { ...same, request, at: now }));
}

/** Creates the idempotency key of a change. An input uses new keys after a rewind. */
function createKey({ options: { keyPrefix }, generation }: Replay, position: number): string {
  return `${keyPrefix}.${position}` + (generation === 0 ? "" : `.${generation}`);
}

function makeCall(before: Replay, position: number, call: RecordedStep): Transition {
  const milliseconds = parseSleep(call.request);
  const endsAt = milliseconds === undefined ? undefined : call.at + milliseconds;
  const open = new Map(before.open).set(position, { call, sent: call.sent, endsAt });
  const state = { ...before, open };
  if (call.earlierAnswer !== undefined) {
    return addResult(state, position, { kind: "answer", content: call.earlierAnswer });
  }
  const sent = call.sent ?? { key: createKey(state, position) };
  return { state, effects: [{ type: "call", position, call, sent }] };
}

/**
 * Records the headers of a change, unless the history contains them already. The entity tag of a change without a key is
 * recorded later if the service demands it.
 */
function recordSending(state: Replay, event: ReplayEvent & { readonly type: "sending" }): Transition {
  const { position, tag, isKeyed, now } = event;
  const opened = state.open.get(position);
  const isNewTag = !isKeyed && tag !== undefined && opened?.sent?.tag === undefined;
  if (opened === undefined || (opened.sent !== undefined && !isNewTag)) return nothing(state);
  const sent: SentHeaders = {
    key: createKey(state, position),
    tag,
    ...(!isKeyed && { unkeyed: true }),
  };
  return {
    state: { ...state, open: new Map(state.open).set(position, { ...opened, sent }) },
    effects: [append("sent", position, now, JSON.stringify(sent))],
  };
}

function refuse(
  state: Replay,
  { position, error, isAbandoned }: ReplayEvent & { readonly type: "refused" },
): Transition {
  if (isAbandoned || (state.phase !== "active" && !error.rejectedByService)) return nothing(close(state, position));
  const call = state.open.get(position)?.call;
  const isUnknown = error.outcomeUnknown === true || (call?.sent !== undefined && !error.rejectedByService);
  const content = JSON.stringify({ error, unknown: isUnknown });
  const refusedCharacters = state.refusedCharacters + (call?.request.length ?? 0);
  const refused = addResult({ ...state, refusedCharacters }, position, { kind: "refusal", content });
  if (refusedCharacters <= MAX_OUTPUT_CHARACTERS) return refused;
  return {
    ...refused,
    effects: [...refused.effects, stop(tooMuch(`rejected requests of more than ${MAX_OUTPUT_CHARACTERS} characters`))],
  };
}

function close(state: Replay, position: number): Replay {
  const open = new Map(state.open);
  open.delete(position);
  return { ...state, open };
}

/** Adds the result of a call. The script gets it after all recorded results. */
function addResult(before: Replay, position: number, result: Result): Transition {
  const state = { ...close(before, position), results: new Map(before.results).set(position, result) };
  if (hasReplayed(state)) return { state, effects: [{ type: "settle", position }] };
  return nothing({ ...state, unsettled: [...state.unsettled, position] });
}

function hasReplayed({ history, nextResult }: Replay): boolean {
  return nextResult >= history.resultOrder.length;
}

/** Records that the script gets a result, unless the history contains this already. */
function deliver(state: Replay, position: number, now: number): Transition {
  const { resultOrder, steps } = state.history;
  if (resultOrder[state.nextResult] === position) {
    const waiting = new Set(state.waiting);
    waiting.delete(position);
    const clock = steps.get(position)?.result?.at ?? state.clock;
    return releaseNext({ ...state, waiting, clock, nextResult: state.nextResult + 1 });
  }
  const clock = Math.max(state.clock, now);
  const result = state.results.get(position);
  if (result === undefined) return nothing({ ...state, clock });
  const results = new Map(state.results);
  results.delete(position);
  return { state: { ...state, clock, results }, effects: [append(result.kind, position, clock, result.content)] };
}

/** Releases the next recorded result or, after the last one, all results of calls that were made. */
function releaseNext(state: Replay): Transition {
  const next = state.history.resultOrder[state.nextResult];
  if (next !== undefined) {
    return { state, effects: state.waiting.has(next) ? [{ type: "replay", position: next }] : [] };
  }
  const effects = state.unsettled.map((position): ReplayEffect => ({ type: "settle", position }));
  return { state: { ...state, unsettled: [] }, effects };
}

function print(before: Replay, text: string, now: number): Transition {
  const state = { ...before, printedLines: before.printedLines + 1 };
  if (before.printedLines < state.recordedLines) return nothing(state);
  return { state, effects: [append("log", 0, now, text), { type: "print", text }] };
}

/** A script never has to wait while its results are replayed. One that waits has left its history. */
function checkStalled(state: Replay): Transition {
  const expected = findExpected(state);
  const isAwaited = state.waiting.size > 0 || state.unsettled.length > 0;
  return expected === undefined || !isAwaited ? nothing(state) : diverge(state, findMissing(state, expected));
}

/** Records the results that the script does not get, because it ends first. */
function drain(state: Replay, now: number): Transition {
  if (state.phase === "disposed") return nothing(state);
  return [...state.results.keys()].reduce(
    (transition, position) => andThen(transition, (next) => deliver(next, position, now)),
    nothing(state),
  );
}

/** Checks that the script has taken all steps of its history. */
function finish(state: Replay, failure?: ErrorRecord): Transition {
  if (state.divergence !== undefined) return nothing(state);
  const missing = [...state.history.steps.keys()].find((position) => position > state.lastStep);
  if (missing === undefined) return nothing(state);
  if (state.options.force) return rewind(state, missing);
  return nothing({ ...state, divergence: findMissing(state, missing, failure) });
}

/** Drops the steps from a position on. Results of earlier steps stay. */
function rewind(before: Replay, first: number): Transition {
  const steps = new Map(before.history.steps);
  const rewound = [...before.history.rewound];
  const positions = new Set([...steps.keys()].filter((position) => position >= first));
  const dropped = { ...planRewind(before.options.events, positions), isForced: true };
  dropSteps(steps, rewound, dropped);
  const resultOrder = before.history.resultOrder.filter((position, index) =>
    index < before.nextResult || position < first
  );
  const history = { ...before.history, steps, rewound, resultOrder };
  const state = moveTo({ ...before, history, recordedLines: 0, expected: 0 }, before.lastStep);
  return andThen({ state, effects: [{ type: "rewind", rewind: dropped }] }, releaseNext);
}

function continueAfterRewind({ blockedStep, ...state }: Replay): Transition {
  if (blockedStep === undefined || state.phase !== "active" || state.divergence !== undefined) return nothing(state);
  return startStep(state, blockedStep);
}

function findMissing({ history }: Replay, position: number, failure?: ErrorRecord): SvcError {
  return missingStep(position, history.steps.get(position) ?? { request: "{}" }, failure);
}

/** Ends the sandbox, because the script has left its history or the journal cannot be written. */
function diverge(state: Replay, reason: SvcError): Transition {
  return { state: { ...state, divergence: state.divergence ?? reason }, effects: [stop(reason)] };
}

function stop(reason: SvcError): ReplayEffect {
  return { type: "stop", reason };
}
