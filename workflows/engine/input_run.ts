/** Runs an input: `replay.ts` decides what to do next, and this module does it with timers, calls, journal and sandbox. */
import { type ErrorRecord, SvcError, toSvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import { sha256Text } from "../../utils/text/sha256.ts";
import { never } from "../../utils/async/never.ts";
import type { EventRecord, StoredEvent } from "../journal/journal.ts";
import { waitedTooLong } from "../sandbox/host/guest_errors.ts";
import { LeftOpen, waits } from "../sandbox/host/interruption.ts";
import type { CallAnswer, RecordedResults, RunHandlers } from "../sandbox/host/sandbox.ts";
import { type CallRequest, isReceive, isSleep, isWait } from "../sandbox/protocol/messages.ts";
import { type Delivery, DeliveryBudget } from "./delivery_budget.ts";
import { type LiveCalls, StopInput } from "./live_calls.ts";
import { type ReadSignals, Signals } from "./signals.ts";
import { measureWaits, WaitLimit } from "./wait_limit.ts";
import {
  decodeAnswer,
  encodeAnswer,
  encodeRepeatedAnswer,
  getOperation,
  type History,
  parseRefusal,
  type RecordedStep,
  type Rewind,
  type SentHeaders,
  serializeRequest,
  toRecordedError,
} from "./history.ts";
import {
  advance,
  findExpected,
  findWaitEnd,
  type Replay,
  type ReplayEffect,
  type ReplayEvent,
  startReplay,
} from "./replay.ts";

/** The part of the journal that an input uses. */
export interface EventSink {
  /** Appends an event. It is on disk when a later `durable` resolves. */
  append(event: EventRecord): void;
  /** Resolves when all appended events are on disk. */
  durable(): Promise<void>;
  /** Records a rewind and returns the new generation of the input. */
  rewind(rewind: Rewind): Promise<number>;
  /** Reads the signals of the input after a sequence number. It is missing if the input can get none. */
  readonly readSignals?: ReadSignals;
}

/** Time without a step after which a replayed script counts as stalled, in milliseconds. */
const STALL_MILLISECONDS = 30_000;

/** Time that an idle script may take to load a module, in milliseconds. */
const IDLE_MILLISECONDS = 2_000;

/** Latest time of a `Date`, in milliseconds since 1970. */
const MAX_TIME = 8.64e15;

/** Time for which a script must be idle before its sandbox ends, in milliseconds. It may be loading a module. */
const RELEASE_MILLISECONDS = 50;

/** Size from which a response counts as large, in characters. */
const LARGE_CHARACTERS = 1024 * 1024;

/** Size from which a repeated response is recorded as a reference, in characters. */
const MIN_REPEATED_CHARACTERS = 1024;

/** Number of recent distinct responses whose repetition is recognized. */
const MAX_KNOWN_ANSWERS = 1000;

/** Options of an input's run. */
export interface InputRunOptions {
  /** The recorded events of the input. */
  readonly events: readonly StoredEvent[];
  /** The history that `events` contain. Default: parsed from them. */
  readonly history?: History<StoredEvent>;
  /** Receives new events. */
  readonly sink: EventSink;
  /** Makes the calls. */
  readonly live: LiveCalls;
  /** Start of the idempotency keys of the input. */
  readonly keyPrefix: string;
  /** How often the input was opened again. */
  readonly generation: number;
  /** Rewinds to the step at which the script leaves its history, instead of failing there. */
  readonly force: boolean;
  /** Mebibytes of text that the journal may store about the input. Default: no limit. */
  readonly maxJournalMiB?: number;
  /** Seconds for which the input may wait in total. Default: no limit. */
  readonly maxWaitSeconds?: number;
  /** Until when the input waited without a process, in milliseconds since 1970. */
  readonly waitedUntil?: number;
  /** How the sandbox ends while the script waits. Default: it does not. */
  readonly release?: ReleaseOptions;
  /** Time without a step after which a replayed script counts as stalled, in milliseconds (default: 30,000). */
  readonly stallMilliseconds?: number;
  /** Receives what the script prints. */
  readonly onLog: (text: string) => void;
  /** Ends the sandbox. */
  readonly stop: (reason: SvcError) => void;
}

/** How a sandbox ends while its script waits. */
export interface ReleaseOptions {
  /** Shortest wait for which the sandbox ends, in milliseconds. */
  readonly minMilliseconds: number;
  /** Resolves when the script is idle. */
  readonly whenIdle: () => Promise<void>;
}

/** A step that waits for its result. */
interface PendingStep {
  readonly request: CallRequest;
  readonly signal: AbortSignal;
  readonly onWaiting?: (isWaiting: boolean) => void;
  readonly result: PromiseWithResolvers<CallAnswer>;
  /** The result or the error of a call that was made. */
  outcome?: { readonly answer: CallAnswer } | { readonly error: SvcError };
}

/** One input in progress. */
export class InputRun implements RunHandlers {
  /** The recorded results, which the sandbox may get before the script takes their steps. */
  readonly recorded?: RecordedResults;
  readonly #options: InputRunOptions;
  readonly #steps = new Map<number, PendingStep>();
  readonly #lastAttempt = new AbortController();
  readonly #budget = new DeliveryBudget();
  readonly #waitLimit: WaitLimit;
  readonly #signals?: Signals;
  readonly #deliveries = new Map<number, Delivery>();
  /** Digests of responses that are not recorded yet, by position. */
  readonly #digests = new Map<number, string>();
  /** Positions of recorded responses, by digest. */
  readonly #knownAnswers = new Map<string, number>();
  #continuation?: { readonly input?: JsonValue };
  #replay: Replay;
  /** Settles when all steps so far are dispatched, in order. */
  #dispatched: Promise<void> = Promise.resolve();
  #watchdog?: ReturnType<typeof setTimeout>;
  #isReleasing = false;
  #releaseTimer?: ReturnType<typeof setTimeout>;
  #inFlight = 0;
  /** Resolves after a pause, when no call is in flight. */
  #drained?: PromiseWithResolvers<void>;

  /** Starts from the recorded events. */
  constructor(options: InputRunOptions) {
    this.#options = options;
    this.#replay = startReplay(options, Date.now());
    this.#waitLimit = this.#limitWaits();
    const { events, sink: { readSignals } } = options;
    if (readSignals) this.#signals = new Signals(events, this.#replay.history.steps, readSignals);
    this.#watch();
    // With `force` the script may take another path, and must not get results of the old one.
    if (options.force) return;
    this.recorded = { order: this.#replay.history.resultOrder, find: (position) => this.#findRecorded(position) };
  }

  /** The next input, if the script has ended its history. */
  get continuation(): { readonly input?: JsonValue } | undefined {
    return this.#continuation;
  }

  /** Notes the next input of a script that ends its history. */
  onContinued(input: JsonValue | undefined): void {
    this.#continuation = { input };
  }

  /** Takes a step: returns its recorded result, or makes the call. */
  async call(
    request: CallRequest,
    position: number,
    signal: AbortSignal,
    onWaiting?: (isWaiting: boolean) => void,
  ): Promise<CallAnswer> {
    if (this.#replay.phase !== "active") return await never();
    const result = Promise.withResolvers<CallAnswer>();
    this.#steps.set(position, { request, signal, onWaiting, result });
    this.#dispatched = this.#dispatchStep(request, position, this.#dispatched);
    this.#dispatched.catch(result.reject);
    return await result.promise;
  }

  /** Records that the script gets the result of a step. Returns the time of the script's clock. */
  onDelivery(position: number): number {
    this.#dispatch({ type: "delivered", position, now: Date.now() });
    this.#steps.delete(position); // Its response may be large.
    return this.#replay.clock;
  }

  /** Frees the memory of a response. A large one is in memory until it is on disk, too. */
  onTaken(position: number): void {
    const isLarge = (this.#deliveries.get(position)?.characters ?? 0) >= LARGE_CHARACTERS;
    const end = () => this.#endDelivery(position);
    if (!isLarge) return end();
    this.#options.sink.durable().then(end, end); // The next change reports a failure.
  }

  /** Stops a script that stays idle and does not take the step whose result it has. */
  onStalled(position: number): void {
    if (position <= this.#replay.lastStep) return;
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#dispatch({ type: "idle", position }), IDLE_MILLISECONDS);
  }

  /** Records random bytes that the script used, in base64. */
  onRandomBytes(block: string): void {
    this.#dispatch({ type: "random", block, now: Date.now() });
  }

  /** Records that the input takes the new path of a patch. */
  onPatched(name: string): void {
    this.#dispatch({ type: "patched", name, now: Date.now() });
  }

  /** Prints and records a line, unless it was printed before. */
  onLog(text: string): void {
    this.#dispatch({ type: "printed", text, now: Date.now() });
  }

  /** Stops making calls. Resolves when the calls in flight have ended and their results are recorded. */
  async pause(): Promise<void> {
    this.#dispatch({ type: "paused" });
    this.#lastAttempt.abort();
    this.#drained ??= Promise.withResolvers();
    if (this.#inFlight === 0) this.#drained.resolve();
    await this.#drained.promise;
    this.#dispatch({ type: "drained", now: Date.now() });
  }

  /** Throws if the script does not match its history. */
  async verify(): Promise<void> {
    await this.#dispatched;
    if (this.#replay.divergence !== undefined) throw this.#replay.divergence;
  }

  /** Checks that a script that has ended, possibly with a failure, took all steps of its history. */
  async finish(failure?: ErrorRecord): Promise<void> {
    await this.verify();
    await this.#dispatch({ type: "finished", failure });
    await this.verify();
  }

  /** Ends the run: it records and sends nothing more. */
  dispose(): void {
    this.#dispatch({ type: "disposed" });
    this.#drained?.resolve();
    clearTimeout(this.#watchdog);
    clearTimeout(this.#releaseTimer);
    this.#signals?.end();
    this.#waitLimit.end();
  }

  #limitWaits(): WaitLimit {
    const { events, maxWaitSeconds = Infinity, stop } = this.#options;
    const waited = maxWaitSeconds === Infinity ? 0 : measureWaits(events, Date.now());
    return new WaitLimit(maxWaitSeconds, waited, () => stop(waitedTooLong(maxWaitSeconds)));
  }

  async #dispatchStep(request: CallRequest, position: number, earlier: Promise<void>): Promise<void> {
    const text = await serializeRequest(request);
    await earlier;
    const { operation, isTimer = false } = request;
    await this.#dispatch({ type: "step", position, request: text, operation, isTimer, now: Date.now() });
    this.#watch();
  }

  /** Advances the replay and carries out its effects. Resolves after a rewind, if there is one. */
  #dispatch(event: ReplayEvent): Promise<void> | undefined {
    const { state, effects } = advance(this.#replay, event);
    this.#replay = state;
    let rewinding: Promise<void> | undefined;
    for (const effect of effects) {
      if (effect.type === "rewind") rewinding = this.#rewind(effect.rewind);
      else this.#perform(effect);
    }
    void this.#release();
    return rewinding;
  }

  /** Ends the sandbox if the script does nothing but wait for a long time. */
  async #release(): Promise<void> {
    const { release, stop } = this.#options;
    if (release === undefined || this.#isReleasing) return;
    this.#isReleasing = true;
    while (this.#findLongWait(release) !== undefined) {
      await Promise.resolve(); // The result that is being delivered is sent before the question.
      const before = this.#replay;
      await release.whenIdle();
      await new Promise((resolve) => this.#releaseTimer = setTimeout(resolve, RELEASE_MILLISECONDS));
      await this.#dispatched;
      const until = this.#findLongWait(release);
      if (this.#replay === before && until !== undefined) return stop(waits(until, this.#signals?.last ?? 0));
    }
    this.#isReleasing = false;
  }

  /** Returns when the wait of the script ends, if that is long. A wait ends at the limit of the waits. */
  #findLongWait({ minMilliseconds }: ReleaseOptions): number | undefined {
    const now = Date.now();
    const end = findWaitEnd(this.#replay);
    if (end === undefined || end - now <= minMilliseconds) return undefined;
    return Math.min(Math.ceil(end), Math.ceil(now + this.#waitLimit.left), MAX_TIME);
  }

  #perform(effect: Exclude<ReplayEffect, { type: "rewind" }>): void {
    switch (effect.type) {
      case "append":
        if (effect.event.kind === "answer") this.#noteAnswer(effect.event.position);
        return this.#options.sink.append(effect.event);
      case "replay":
        return this.#giveRecorded(effect.position);
      case "call":
        return void this.#makeCall(effect.position, effect.call, effect.sent);
      case "settle":
        return this.#settle(effect.position);
      case "print":
        return this.#options.onLog(effect.text);
      case "stop":
        return this.#options.stop(effect.reason);
    }
  }

  async #rewind(rewind: Rewind): Promise<void> {
    this.#signals?.release(rewind.positions);
    const generation = await this.#orFail(this.#options.sink.rewind(rewind));
    await this.#dispatch({ type: "rewound", generation });
  }

  /** Restarts the timer that finds a stalled script. A script that takes no step and waits for none is computing. */
  #watch(): void {
    clearTimeout(this.#watchdog);
    if (findExpected(this.#replay) === undefined || this.#replay.phase === "disposed") return;
    this.#watchdog = setTimeout(() => {
      this.#dispatch({ type: "stalled" });
      if (this.#replay.divergence === undefined) this.#watch();
    }, this.#options.stallMilliseconds ?? STALL_MILLISECONDS);
  }

  #giveRecorded(position: number): void {
    const result = this.#steps.get(position)?.result;
    const recorded = this.#findRecorded(position);
    if ("error" in recorded) result?.reject(recorded.error);
    else result?.resolve(recorded.answer);
    this.#steps.delete(position);
  }

  /** Gives the script the result of a new step: that of its call, or that of the same call before a rewind. */
  #settle(position: number): void {
    const { result, outcome } = this.#steps.get(position) ?? {};
    const earlier = this.#replay.results.get(position);
    if (outcome !== undefined && "error" in outcome) result?.reject(outcome.error);
    else if (outcome !== undefined) result?.resolve(outcome.answer);
    else if (earlier !== undefined) result?.resolve(decodeAnswer(earlier.content));
  }

  #findRecorded(position: number): ReturnType<RecordedResults["find"]> {
    const call = this.#replay.history.steps.get(position);
    if (call?.result === undefined) {
      throw new SvcError("INTERNAL_ERROR", `The journal has no result of step ${position}.`);
    }
    const operation = getOperation(call);
    if (call.result.kind === "answer") return { operation, answer: decodeAnswer(call.result.content) };
    return { operation, error: toRecordedError(parseRefusal(call.result.content).error) };
  }

  /** Makes a call, or sleeps. A call waits until the script has taken earlier responses if they are large. */
  async #makeCall(position: number, call: RecordedStep, sent: SentHeaders): Promise<void> {
    const step = this.#steps.get(position);
    if (step === undefined) return;
    const { request, signal } = step;
    if (isWait(request)) return await this.#wait(step, position, call, sent);
    const delivery = this.#budget.tryBegin(request) ?? await this.#budget.begin(request, signal);
    if (this.#replay.phase !== "active") return this.#budget.end(delivery);
    this.#deliveries.set(position, delivery);
    this.#inFlight++;
    {
      using _open = this.#waitLimit.beginCall();
      await this.#complete(step, position, call, sent);
    }
    this.#inFlight--;
    if (this.#inFlight === 0) this.#drained?.resolve();
  }

  /** Sleeps, or waits for a signal. A pause of the input does not wait for that. */
  async #wait(step: PendingStep, position: number, call: RecordedStep, sent: SentHeaders): Promise<void> {
    const { values, isTimer = false } = step.request;
    const hasDuration = isSleep(step.request) && !isTimer;
    using _open = !hasDuration ? this.#waitLimit.beginTimer() : this.#waitLimit.beginSleep(Number(values.milliseconds));
    await this.#complete(step, position, call, sent);
  }

  async #complete(step: PendingStep, position: number, call: RecordedStep, sent: SentHeaders): Promise<void> {
    const event = await this.#send(step, position, call, sent).then(
      async (answer): Promise<ReplayEvent> => {
        step.outcome = { answer };
        const content = encodeAnswer(answer);
        this.#noteSize(position, content.length);
        return { type: "answered", position, content: await this.#shortenRepeated(position, content) };
      },
      (thrown): ReplayEvent => this.#describeFailure(step, position, thrown),
    );
    this.#dispatch(event);
  }

  /** Returns a reference if a response is already recorded, e.g. when a script polls a case. */
  async #shortenRepeated(position: number, content: string): Promise<string> {
    if (content.length < MIN_REPEATED_CHARACTERS) return content;
    const digest = (await sha256Text(content)).toBase64();
    const known = this.#knownAnswers.get(digest);
    if (known !== undefined) return encodeRepeatedAnswer(known);
    this.#digests.set(position, digest);
    return content;
  }

  /** Notes that a response is recorded, so that later ones can be recorded as references to it. */
  #noteAnswer(position: number): void {
    const digest = this.#digests.get(position);
    if (digest === undefined) return;
    this.#digests.delete(position);
    this.#knownAnswers.set(digest, position);
    const [oldest] = this.#knownAnswers.keys();
    if (oldest !== undefined && this.#knownAnswers.size > MAX_KNOWN_ANSWERS) this.#knownAnswers.delete(oldest);
  }

  #endDelivery(position: number): void {
    const delivery = this.#deliveries.get(position);
    if (delivery === undefined) return;
    this.#deliveries.delete(position);
    this.#budget.end(delivery);
  }

  #noteSize(position: number, characters: number): void {
    const delivery = this.#deliveries.get(position);
    if (delivery !== undefined) this.#deliveries.set(position, this.#budget.arrive(delivery, characters));
  }

  #describeFailure(step: PendingStep, position: number, thrown: unknown): ReplayEvent {
    const error = toSvcError(thrown);
    step.outcome = { error };
    this.#endDelivery(position);
    if (thrown instanceof StopInput) {
      const { reason } = thrown;
      this.#options.stop(reason.cause instanceof LeftOpen ? reason : reason.with({ cause: thrown }));
      return { type: "refused", position, error, isAbandoned: true };
    }
    return { type: "refused", position, error, isAbandoned: step.signal.reason instanceof SvcError };
  }

  async #send(
    { request, signal, onWaiting }: PendingStep,
    position: number,
    call: RecordedStep,
    sent: SentHeaders,
  ): Promise<CallAnswer> {
    if (isReceive(request) && this.#signals) {
      return await this.#signals.receive(position, String(request.values.name), signal);
    }
    let recorded: Promise<void> | undefined;
    let hasTag = sent.tag !== undefined;
    return await this.#options.live.call(request, {
      signal,
      lastAttempt: this.#lastAttempt.signal,
      onWaiting,
      calledAt: call.at,
      sent,
      sentAt: call.sentAt,
      commit: async (tag, isKeyed) => {
        // A later attempt at the input may have read the events, and would miss this one.
        if (this.#replay.phase === "disposed") throw new SvcError("INTERRUPTED", "The input has ended.");
        if (!isKeyed && !hasTag && tag !== undefined) recorded = undefined;
        hasTag ||= tag !== undefined;
        await (recorded ??= this.#recordSending(position, tag, isKeyed));
      },
    });
  }

  /** Records the headers of a change. Resolves when they, and all earlier events, are on disk. */
  async #recordSending(position: number, tag: string | undefined, isKeyed: boolean): Promise<void> {
    this.#dispatch({ type: "sending", position, tag, isKeyed, now: Date.now() });
    await this.#orFail(this.#options.sink.durable());
  }

  /** Ends the input if the journal fails: a script must not catch that and continue unrecorded. */
  async #orFail<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (thrown) {
      this.#dispatch({ type: "failed", error: toSvcError(thrown) });
      throw thrown;
    }
  }
}
