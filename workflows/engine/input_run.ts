/**
 * One input, from its first call to its last, whether it did some of them before or not. What it did is answered from the
 * journal, in the order of the first time, so that the script takes the same path; what is new is made for real, after
 * the journal has it.
 */
import { type ErrorRecord, SvcError, toSvcError } from "../../lib/errors.ts";
import type { EventRecord, StoredEvent } from "../journal/journal.ts";
import type { CallAnswer, GivenBefore, RunHandlers } from "../sandbox/host/sandbox.ts";
import { tooMuch } from "../sandbox/host/exit.ts";
import { type CallRequest, MAX_SAID_CHARACTERS } from "../sandbox/protocol/messages.ts";
import { never } from "../../utils/async/never.ts";
import { whenSent } from "./when_sent.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { asked } from "./asked.ts";
import { likeKept, missingCall, otherCall } from "./diverged.ts";
import { type LiveCalls, StopInput } from "./live_call.ts";
import {
  errorIn,
  leave,
  type Left,
  leftOf,
  operationOf,
  readRecording,
  readRefusal,
  type RecordedCall,
  type Recording,
  type SentWith,
  takeKept,
} from "./recording.ts";
import { isSleep } from "./sleeping.ts";
import { Turns } from "./turns.ts";

/** Where what happens is written. */
export interface EventSink {
  /** Writes what happened, soon. */
  append(event: EventRecord): void;
  /** Resolves when all that was written is on disk. */
  durable(): Promise<void>;
  /** Writes that the input goes on anew from some steps, as another generation, whose number it answers. */
  leave(left: Left): Promise<number>;
}

/** Milliseconds without any step after which a script that is told what it was told before is taken to have left its path. */
const PATIENCE = 30_000;

/** Milliseconds that a script which has nothing else to do may take to load a module. */
const MOMENT = 2_000;

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
  /** Milliseconds for which it may wait for something else than it did; half a minute without it. */
  readonly patience?: number;
  /** Takes what the script prints. */
  readonly onLog: (text: string) => void;
  /** Ends the sandbox. */
  readonly stop: (reason: SvcError) => void;
}

/** One input in progress. */
export class InputRun implements RunHandlers {
  /** What the script was given before. */
  readonly before?: GivenBefore;
  readonly #options: InputRunOptions;
  readonly #recording: Recording<StoredEvent>;
  readonly #turns: Turns;
  readonly #answers = new Map<number, { kind: "answer" | "refusal"; content: string }>();
  readonly #asked = new Set<number>();
  #generation: number;
  #checked: Promise<unknown> = Promise.resolve();
  #divergence?: SvcError;
  #patience?: ReturnType<typeof setTimeout>;
  /** Index of the first turn whose step the script has not taken yet. */
  #behind = 0;
  /** Lines that the script has printed, and how many of them it had printed before. */
  #logs = 0;
  #oldLogs: number;
  #clock = 0;
  /** Milliseconds for which nobody ran it before it goes on, as far as its events tell. */
  readonly #away: number;
  #inFlight = 0;
  /** Characters of the calls that were refused: they are kept, too, and to be refused here takes no time. */
  #refused = 0;
  #paused?: PromiseWithResolvers<void>;
  readonly #lastAttempt = new AbortController();
  #isOver = false;

  /** An input that goes on from its events. */
  constructor(options: InputRunOptions) {
    this.#options = options;
    this.#generation = options.generation;
    this.#recording = readRecording(options.events);
    this.#oldLogs = this.#recording.logs;
    // Who opens it anew writes that long after the script has ended, maybe.
    const last = options.events.findLast(({ kind }) => kind !== "left")?.at ?? Infinity;
    this.#away = Math.max(0, Date.now() - last);
    this.#turns = new Turns(this.#recording.turns);
    this.#watch();
    // With --force the script may take another path: what follows must not have been given the old one's answers.
    if (!options.force) this.before = { turns: this.#recording.turns, answerTo: (position) => this.#givenTo(position) };
  }

  /** Answers a call from the journal, or makes it. */
  async call(request: CallRequest, position: number, signal: AbortSignal): Promise<CallAnswer> {
    if (this.#paused) return await never();
    this.#asked.add(position);
    this.#watch();
    const recorded = await (this.#checked = this.#check(request, position, this.#checked));
    const text = recorded === undefined ? await asked(request) : "";
    if (this.#divergence !== undefined || this.#paused || this.#isOver) return await never();
    if (recorded?.given !== undefined) return await this.#again(position);
    const call = recorded === undefined
      ? { ...this.#takeKept(request, position, text), asked: text, at: Date.now() }
      : { ...recorded, at: recorded.at + (request.isTimer ? this.#away : 0) }; // A timer guards what is made only now.
    if (this.#divergence !== undefined) return await never();
    if (recorded === undefined) this.#append("call", position, call.at, text);
    const answer = await this.#make(request, position, signal, call);
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

  /** Gives a script that waits for something else than it did a moment to come to its step all the same. */
  waits(position: number): void {
    if (this.#asked.has(position)) return;
    clearTimeout(this.#patience);
    const look = () => this.#asked.has(position) || this.#diverge(this.#missing(position));
    this.#patience = setTimeout(look, MOMENT);
  }

  /** Writes randomness that the script drew. */
  drew(block: string): void {
    this.#append("random", 0, Date.now(), block);
  }

  /** Prints and writes a line that was not printed before. */
  log(text: string): void {
    if (this.#logs++ < this.#oldLogs) return;
    this.#append("log", 0, Date.now(), text);
    this.#options.onLog(text);
  }

  /** Makes no further call; resolves when those that are on their way are answered. */
  async pause(): Promise<void> {
    this.#paused ??= Promise.withResolvers();
    this.#lastAttempt.abort();
    if (this.#inFlight === 0) this.#paused.resolve();
    await this.#paused.promise;
    // The sandbox ends before it is given these: that they are kept is what the wait was for.
    if (this.#isOver) return;
    for (const position of [...this.#answers.keys()]) this.delivering(position);
  }

  /** Throws where the script asked for something else than it did: it may have come to its end before that was seen. */
  async verify(): Promise<void> {
    await this.#checked;
    if (this.#divergence !== undefined) throw this.#divergence;
  }

  /** Checks that the script, which has come to its end or has failed, did all that it did before. */
  async finish(failure?: ErrorRecord): Promise<void> {
    await this.verify();
    const left = [...this.#recording.calls.keys()].find((position) => !this.#asked.has(position));
    if (left === undefined) return;
    if (!this.#options.force) throw this.#missing(left, failure);
    await this.#leaveFrom(left);
  }

  /** Waits for nothing any more, writes nothing and sends nothing; who waits for calls on their way waits no longer. */
  dispose(): void {
    this.#isOver = true;
    this.#paused?.resolve();
    clearTimeout(this.#patience);
  }

  /**
   * While it is told what it was told before, a script has nothing to wait for: one that does has left its path. One that
   * takes no step and waits for none is at work.
   */
  #watch(): void {
    clearTimeout(this.#patience);
    const { turns } = this.#recording;
    while (this.#asked.has(turns[this.#behind] ?? NaN)) this.#behind++;
    const position = turns[this.#behind];
    if (position === undefined || this.#isOver) return;
    const look = () => this.#turns.isAwaited ? void this.#diverge(this.#missing(position)) : this.#watch();
    this.#patience = setTimeout(look, this.#options.patience ?? PATIENCE);
  }

  /**
   * The recorded call at a position, if it is the same one; undefined where there is none. All earlier calls are checked
   * before: a script that was told an answer too early must do nothing new before it is known that it has asked for it.
   */
  async #check(
    request: CallRequest,
    position: number,
    earlier: Promise<unknown>,
  ): Promise<RecordedCall<StoredEvent> | undefined> {
    const text = this.#recording.calls.has(position) ? await asked(request) : undefined;
    await earlier;
    const recorded = this.#recording.calls.get(position); // Only now: an earlier step may have left it.
    if (recorded === undefined || text === undefined || recorded.asked === text) return recorded;
    if (this.#options.force) await this.#leaveFrom(position);
    else this.#diverge(otherCall(position, recorded, text));
    return undefined;
  }

  /**
   * What is kept of the same change. One of the same operation that asks for something else may still be the same, with
   * another time or number in it: it is not sent without being told to.
   */
  #takeKept({ operation }: CallRequest, position: number, text: string): RecordedCall | undefined {
    const { kept } = this.#recording;
    const same = takeKept(kept, text);
    if (same !== undefined || this.#options.force) return same;
    const like = kept.find((one) => one.sent && !one.isForced && operationOf(one) === operation);
    if (like !== undefined) this.#diverge(likeKept(position, like.asked, text));
    return undefined;
  }

  async #again(position: number): Promise<CallAnswer> {
    await this.#turns.of(position);
    const given = this.#givenTo(position);
    if ("error" in given) throw given.error;
    return given.answer;
  }

  #givenTo(position: number): ReturnType<GivenBefore["answerTo"]> {
    const call = this.#recording.calls.get(position);
    if (call?.given === undefined) {
      throw new SvcError("INTERNAL_ERROR", `The journal has no answer to step ${position}.`);
    }
    const operation = operationOf(call);
    if (call.given.kind === "answer") return { operation, answer: decodeAnswer(call.given.content) };
    return { operation, error: errorIn(readRefusal(call.given.content).error) };
  }

  async #make(
    request: CallRequest,
    position: number,
    signal: AbortSignal,
    call: RecordedCall,
  ): Promise<CallAnswer | { refusal: SvcError }> {
    const weight = isSleep(request) ? 0 : 1; // An interrupted run does not wait for its sleeps.
    this.#inFlight += weight;
    const made = await this.#attempt(request, position, signal, call).finally(() => {
      this.#inFlight -= weight;
      if (this.#inFlight === 0) this.#paused?.resolve();
    });
    return made ?? await never();
  }

  /** Makes a call; nothing where the input ends with it, or goes on with it another time. */
  async #attempt(
    request: CallRequest,
    position: number,
    signal: AbortSignal,
    call: RecordedCall,
  ): Promise<CallAnswer | { refusal: SvcError } | undefined> {
    try {
      const { keptAnswer } = call;
      const answer = keptAnswer === undefined
        ? await this.#live(request, position, signal, call)
        : decodeAnswer(keptAnswer);
      this.#answers.set(position, { kind: "answer", content: keptAnswer ?? encodeAnswer(answer) });
      return answer;
    } catch (thrown) {
      if (thrown instanceof StopInput) {
        this.#options.stop(thrown.reason.with({ cause: thrown }));
        return undefined;
      }
      const error = toSvcError(thrown);
      // Given up because the sandbox has ended, or for the interruption: not refused.
      if (signal.reason instanceof SvcError || (this.#paused && !error.rejectedByService)) return undefined;
      this.#refused += call.asked.length;
      if (this.#refused > MAX_SAID_CHARACTERS) this.#options.stop(tooMuch("more of what is refused than it may"));
      this.#answers.set(position, {
        kind: "refusal",
        content: JSON.stringify({ error, unknown: mayBeDone(error, call) }),
      });
      return { refusal: error };
    }
  }

  #live(
    request: CallRequest,
    position: number,
    signal: AbortSignal,
    call: RecordedCall,
  ): Promise<CallAnswer> {
    const sent = call.sent ?? { key: this.#options.keyOf(position, this.#generation) };
    let written: Promise<void> | undefined;
    const write = async (tag?: string, isKeyed = true) => {
      // Another life of the input may have read its events already.
      if (this.#isOver) throw new SvcError("INTERRUPTED", "The input has ended.");
      const sending: SentWith = { ...sent, tag, ...(!isKeyed && { unkeyed: true }) };
      await (written ??= this.#write(position, call.sent === undefined ? sending : undefined));
    };
    return this.#options.live.call(request, {
      signal,
      lastAttempt: this.#lastAttempt.signal,
      askedAt: call.at,
      sent,
      sentAt: call.sentAt,
      sending: write,
      // What it fails with, `sending` fails with, too.
      readingTag: () => whenSent(() => void write().catch(() => {})),
    });
  }

  /** Resolves when it is on disk what a change is sent with, and all that led to it. */
  async #write(position: number, sent: SentWith | undefined): Promise<void> {
    if (sent !== undefined) this.#append("sent", position, Date.now(), JSON.stringify(sent));
    await this.#written(this.#options.sink.durable());
  }

  /** What the sink gives; a script must not catch that it fails and go on: nothing that it does would be kept. */
  #written<T>(writing: Promise<T>): Promise<T> {
    return writing.catch((error) => {
      this.#diverge(toSvcError(error));
      throw error;
    });
  }

  #append(kind: EventRecord["kind"], position: number, at: number, content: string): void {
    this.#options.sink.append({ kind, position, at, content });
  }

  #missing(position: number, failure?: ErrorRecord): SvcError {
    return missingCall(position, this.#recording.calls.get(position) ?? { asked: "{}" }, failure);
  }

  /** Leaves what was done from a position on; the answers that were given to earlier calls stay. */
  async #leaveFrom(first: number): Promise<void> {
    const { calls, kept } = this.#recording;
    const positions = new Set([...calls.keys()].filter((position) => position >= first));
    const left = { ...leftOf(this.#options.events, positions), isForced: true };
    leave(calls, kept, left);
    this.#oldLogs = 0; // What it prints from here on is new.
    this.#turns.leaveOut((position) => position >= first);
    this.#generation = await this.#written(this.#options.sink.leave(left));
  }

  /** Ends the sandbox, because the script has left the path that it took, or the journal cannot be written. */
  #diverge(reason: SvcError): void {
    this.#divergence ??= reason;
    this.#options.stop(reason);
  }
}

/** Whether a change that failed may have been done: now, or when it was sent before. */
function mayBeDone(error: SvcError, { sent }: RecordedCall): boolean {
  return error.outcomeUnknown === true || (sent !== undefined && !error.rejectedByService);
}
