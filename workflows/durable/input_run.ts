/**
 * One input, from its first call to its last, whether it did some of them before or not. What it did is answered from the
 * journal, in the order of the first time, so that the script takes the same path; what is new is made for real, after
 * the journal has it.
 */
import { isVerdict, outcomeUnknown, SvcError, toSvcError } from "../../lib/errors.ts";
import type { EventRecord, StoredEvent } from "../journal/journal.ts";
import type { CallAnswer, RunHandlers } from "../sandbox/sandbox.ts";
import { type CallRequest, errorOfRecord } from "../sandbox/messages.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { asked } from "./asked.ts";
import { missingCall, otherCall } from "./diverged.ts";
import { readRecording, readRefusal, type RecordedCall, type Recording, type SentWith } from "./recording.ts";
import { isSleep } from "./sleeping.ts";
import { Turns } from "./turns.ts";

/** Where what happens is written. */
export interface EventSink {
  /** Writes what happened, soon. */
  append(event: EventRecord): void;
  /** Resolves when all that was written is on disk. */
  durable(): Promise<void>;
  /** Forgets events: the input goes on as another generation, whose number it answers. */
  forget(events: readonly StoredEvent[]): Promise<number>;
}

/** How a call is to be made for real. */
export interface LiveCall {
  /** Aborts when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** When the script asked for it first: milliseconds since 1970. */
  readonly askedAt: number;
  /** What a change is sent with: its key, and the tag that it was sent with before. */
  readonly sent: SentWith;
  /** When it was sent before, if it may have been: milliseconds since 1970. */
  readonly sentAt?: number;
  /** To be awaited before a change is sent. */
  readonly sending: (tag: string | undefined) => Promise<void>;
}

/** Makes calls for real, and sleeps. A `StopInput` that it throws ends the input; all else is given to the script. */
export interface LiveCalls {
  /** Makes a call, or sleeps. */
  call(request: CallRequest, how: LiveCall): Promise<CallAnswer>;
}

/** Ends an input whatever its script would do about it. */
export class StopInput extends Error {
  /** What the input failed of. */
  readonly reason: SvcError;

  /** Ends it for a reason. */
  constructor(reason: SvcError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** How to run an input. */
export interface InputRunOptions {
  /** What it did before. */
  readonly events: readonly StoredEvent[];
  /** Where what it does is written. */
  readonly sink: EventSink;
  /** Makes its calls. */
  readonly live: LiveCalls;
  /** The idempotency key of the change at a position. */
  readonly keyOf: (position: number, generation: number) => string;
  /** How often it was begun anew. */
  readonly generation: number;
  /** Goes on from where the script leaves what it did. */
  readonly force: boolean;
  /** Takes what the script prints. */
  readonly onLog: (text: string) => void;
  /** Ends the sandbox. */
  readonly stop: (reason: SvcError) => void;
}

/** One input in progress. */
export class InputRun implements RunHandlers {
  readonly #options: InputRunOptions;
  readonly #recording: Recording<StoredEvent>;
  readonly #turns: Turns;
  readonly #answers = new Map<number, { kind: "answer" | "refusal"; content: string }>();
  readonly #asked = new Set<number>();
  #generation: number;
  #logs = 0;
  #clock = 0;
  #inFlight = 0;
  #paused?: PromiseWithResolvers<void>;
  #isOver = false;

  /** An input that goes on from its events. */
  constructor(options: InputRunOptions) {
    this.#options = options;
    this.#generation = options.generation;
    this.#recording = readRecording(options.events);
    this.#turns = new Turns(this.#recording.turns, (position) => this.#diverge(this.#missing(position)));
  }

  /** Answers a call from the journal, or makes it. */
  async call(request: CallRequest, position: number, signal: AbortSignal): Promise<CallAnswer> {
    this.#asked.add(position);
    const text = await asked(request);
    if (this.#paused || this.#isOver) return await never();
    const recorded = await this.#matching(position, text);
    if (recorded?.given !== undefined) return await this.#again(position, recorded.given);
    if (recorded === undefined) this.#append("call", position, Date.now(), text);
    const answer = await this.#make(request, position, signal, recorded);
    await this.#turns.over();
    if ("refusal" in answer) throw answer.refusal;
    return answer;
  }

  /** Writes what the script is given now, and tells what time it is for it. */
  delivering(position: number): number {
    const recorded = this.#turns.take(position);
    if (recorded) {
      this.#clock = this.#recording.calls.get(position)?.given?.at ?? this.#clock;
      return this.#clock;
    }
    this.#clock = Math.max(this.#clock, Date.now());
    const answer = this.#answers.get(position);
    this.#answers.delete(position);
    if (answer !== undefined) this.#append(answer.kind, position, this.#clock, answer.content);
    return this.#clock;
  }

  /** Writes randomness that the script drew. */
  drew(block: string): void {
    this.#append("random", 0, Date.now(), block);
  }

  /** Prints and writes a line that was not printed before. */
  log(text: string): void {
    if (this.#logs++ < this.#recording.logs) return;
    this.#append("log", 0, Date.now(), text);
    this.#options.onLog(text);
  }

  /** Makes no further call; resolves when those that are on their way are answered. */
  async pause(): Promise<void> {
    this.#paused ??= Promise.withResolvers();
    if (this.#inFlight === 0) this.#paused.resolve();
    await this.#paused.promise;
    // The sandbox ends before it is given these: that they are kept is what the wait was for.
    for (const position of [...this.#answers.keys()]) this.delivering(position);
  }

  /** Checks that the script, which has come to its end, did all that it did before. */
  async finish(): Promise<void> {
    const left = [...this.#recording.calls.keys()].find((position) => !this.#asked.has(position));
    if (left === undefined) return;
    if (!this.#options.force) throw this.#missing(left);
    await this.#forgetFrom(left);
  }

  /** Waits for nothing any more, and writes nothing. */
  dispose(): void {
    this.#isOver = true;
    this.#turns.end();
  }

  /** The recorded call at a position, if it is the same one; undefined where there is none. */
  async #matching(position: number, text: string): Promise<RecordedCall<StoredEvent> | undefined> {
    const recorded = this.#recording.calls.get(position);
    if (recorded === undefined || recorded.asked === text) return recorded;
    if (!this.#options.force) return await this.#diverge(otherCall(position, recorded.asked, text));
    await this.#forgetFrom(position);
    return undefined;
  }

  async #again(position: number, given: StoredEvent): Promise<CallAnswer> {
    await this.#turns.of(position);
    if (given.kind === "answer") return decodeAnswer(given.content);
    const { error } = readRefusal(given.content);
    throw errorOfRecord(error) ?? new SvcError("INTERNAL_ERROR", "The journal has an error that is none.");
  }

  async #make(
    request: CallRequest,
    position: number,
    signal: AbortSignal,
    recorded: RecordedCall | undefined,
  ): Promise<CallAnswer | { refusal: SvcError }> {
    const weight = isSleep(request) ? 0 : 1; // Who interrupts a run does not wait for its sleeps.
    this.#inFlight += weight;
    try {
      const answer = await this.#live(request, position, signal, recorded);
      this.#answers.set(position, { kind: "answer", content: encodeAnswer(answer) });
      return answer;
    } catch (thrown) {
      if (thrown instanceof StopInput) return await this.#diverge(thrown.reason);
      const error = toSvcError(thrown);
      this.#answers.set(position, {
        kind: "refusal",
        content: JSON.stringify({ error, unknown: mayBeDone(error, recorded) }),
      });
      return { refusal: error };
    } finally {
      this.#inFlight -= weight;
      if (this.#inFlight === 0) this.#paused?.resolve();
    }
  }

  #live(
    request: CallRequest,
    position: number,
    signal: AbortSignal,
    recorded: RecordedCall | undefined,
  ): Promise<CallAnswer> {
    const before = recorded?.sent;
    let isWritten = before !== undefined;
    const sent = before ?? { key: this.#options.keyOf(position, this.#generation) };
    return this.#options.live.call(request, {
      signal,
      askedAt: recorded?.at ?? Date.now(),
      sent,
      sentAt: recorded?.sentAt,
      sending: async (tag) => {
        if (this.#isOver) return await never(); // Another life of the input may have read its events already.
        const content = JSON.stringify({ ...sent, ...(tag !== undefined && { tag }) });
        if (!isWritten) this.#append("sent", position, Date.now(), content);
        isWritten = true;
        // A script must not catch this and go on: nothing that it does would be kept.
        await this.#options.sink.durable().catch((error) => this.#diverge(toSvcError(error)));
      },
    });
  }

  #append(kind: EventRecord["kind"], position: number, at: number, content: string): void {
    this.#options.sink.append({ kind, position, at, content });
  }

  #missing(position: number): SvcError {
    return missingCall(position, this.#recording.calls.get(position)?.asked ?? "{}");
  }

  /** Forgets what was done from a position on; the answers that were given to earlier calls stay. */
  async #forgetFrom(first: number): Promise<void> {
    const forgotten = this.#options.events.filter(({ position }) => position >= first);
    for (const position of [...this.#recording.calls.keys()]) {
      if (position >= first) this.#recording.calls.delete(position);
    }
    this.#turns.leaveOut((position) => position >= first);
    this.#generation = await this.#options.sink.forget(forgotten);
  }

  /** Ends the sandbox; nobody will wait for what this would have answered. */
  #diverge(reason: SvcError): Promise<never> {
    this.#options.stop(reason);
    return never();
  }
}

/** Whether a change that failed may have been done: now, or when it was sent before. */
function mayBeDone(error: SvcError, recorded: RecordedCall | undefined): boolean {
  return outcomeUnknown(error) || (recorded?.sent !== undefined && !isVerdict(error));
}

function never(): Promise<never> {
  return new Promise(() => {});
}
