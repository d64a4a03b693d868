/** Runs a script on an input in a guest process. Everything that the guest sends is a request. */
import { SvcError, toSvcError } from "../../../lib/errors.ts";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { isNestedDeeper, MAX_LEVELS } from "../../../utils/json_depth.ts";
import { planPages } from "../../../lib/operation/pages.ts";
import type { OperationRef } from "../../../lib/operation/operation.ts";
import { type Frame, FrameError } from "../protocol/frames.ts";
import {
  type CallRequest,
  CONTINUES,
  type Declaration,
  GuestMessage,
  HostMessage,
  MAX_OPEN_CALLS,
  MAX_OPEN_CHARACTERS,
  MAX_OPEN_SLEEPS,
  MAX_OUTPUT_CHARACTERS,
  PATCH_NAME,
} from "../protocol/messages.ts";
import { brokenProtocol, explainExit, outOfTime, tooMuch } from "./guest_errors.ts";
import type { GuestPort } from "./guest.ts";
import {
  escapeLog,
  isBase64,
  parseCall,
  parseDeclaration,
  parseFailure,
  parseResult,
  type RequestedStep,
} from "./parse_message.ts";
import { TimeLimit, WakeTimer } from "./timeouts.ts";

/** The response of a call: the body as received, or a content in base64. */
export interface CallAnswer {
  /** Metadata: the entity tag as `etag`, and that of a content as `content`. */
  readonly head: JsonObject;
  /** Body, or an empty string. */
  readonly text: string;
}

/** Recorded results of an earlier attempt. */
export interface RecordedResults {
  /** Positions of the steps with a result, in the order in which the script got the results. */
  readonly order: readonly number[];
  /** Finds the result of a step. */
  find(
    position: number,
  ): { readonly operation: string } & ({ readonly answer: CallAnswer } | { readonly error: SvcError });
}

/** Handles the requests of a script. */
export interface RunHandlers {
  /**
   * Recorded results, which are sent before the script requests them: this makes a replay much faster. The steps are still
   * passed to `call`, and its result is ignored.
   */
  readonly recorded?: RecordedResults;
  /** True if sleeps take no time. They do not pause the time limit then. */
  readonly isTimeless?: boolean;
  /**
   * Makes a call, or sleeps. The position is the number of the step in the run, from 1. The same script takes the same steps
   * in the same order. Calls `onWaiting` when the call starts or stops to wait for a service that may be unavailable.
   */
  call(
    request: CallRequest,
    position: number,
    signal: AbortSignal,
    onWaiting?: (isWaiting: boolean) => void,
  ): Promise<CallAnswer>;
  /**
   * Called when the result of a step is sent. The script gets the results in the order of these calls. Returns the time of
   * the script's clock, in milliseconds since 1970.
   */
  onDelivery(position: number): number;
  /** Called when the script has taken the result of a step that `call` returned. */
  onTaken?(position: number): void;
  /** Called with random bytes that the script used, in base64. */
  onRandomBytes(block: string): void;
  /** Called with the name of a patch when the input takes its new path, and has not recorded that before. */
  onPatched?(name: string): void;
  /** Called with the next input when the script has ended the history of this one. The run then has no result. */
  onContinued?(input: JsonValue | undefined): void;
  /** Called when the script is idle and has not taken a step whose recorded result it has. */
  onStalled?(position: number): void;
  /** Called with lines that the script printed. They are safe for a terminal. */
  onLog(text: string): void;
}

/** The clock and the random numbers that a script starts with. */
export interface StartState {
  /** Time of the clock, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Random bytes that the script uses first, in base64. */
  readonly randomness: readonly string[];
  /** Names of the patches whose new path the input takes. Default: none. */
  readonly patches?: readonly string[];
  /** Position of the last recorded step. Default: 0. */
  readonly recordedSteps?: number;
}

/**
 * Factor between the open steps that a guest may have and those that the host accepts. A guest may have read a result, and
 * taken another step, before the host knows that the result was read.
 */
const HOST_TOLERANCE = 2;

/** Characters that a message counts in addition to its text: an empty message has a cost, too. */
const MESSAGE_COST = 64;

/** Maximum number of recorded results that are sent before the script takes their steps. */
const MAX_AHEAD = 64;

/** Maximum total size of recorded results that the guest has not read, in characters. A single one may be larger. */
const MAX_AHEAD_CHARACTERS = 16 * 1024 * 1024;

/** Bytes that a process may keep for its next input, per mebibyte of the memory limit. */
const KEPT_SHARE = 256 * 1024;

/** A step without a result. */
interface OpenStep {
  readonly step: RequestedStep;
  readonly controller: AbortController;
  /** True while the call waits for a service that may be unavailable. */
  isWaiting?: boolean;
}

/** The run of a script on one input in a guest process. */
export class Sandbox {
  /** Declaration of the script. Resolves when it is loaded. */
  readonly ready: Promise<Declaration>;
  readonly #guest: GuestPort;
  readonly #declared = Promise.withResolvers<Declaration>();
  readonly #result = Promise.withResolvers<JsonValue | undefined>();
  readonly #steps = new Map<number, OpenStep>();
  /** Open steps by kind, and their total size. A step is open until the guest has read its result. */
  readonly #open = { call: 0, sleep: 0, timer: 0, characters: 0 };
  readonly #wakeTimer: WakeTimer;
  readonly #onIdle: (() => void)[] = [];
  /** Positions of the steps whose results were sent before the script took them. */
  readonly #ahead = new Set<number>();
  /** Number of recorded results that were sent. */
  #nextResult = 0;
  /** Size of the recorded results that were sent and not read. */
  #aheadCharacters = 0;
  #operations: ReadonlyMap<string, OperationRef> = new Map();
  #lastPosition = 0;
  #outputCharacters = 0;
  #state: "loading" | "ready" | "running" | "ended" = "loading";
  #handlers?: RunHandlers;
  #timeLimit: TimeLimit;
  #next?: Sandbox;

  /** True if the run or its process has ended. */
  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /** The sandbox of the next input in the same process. It is missing if the process ends with this input. */
  get next(): Sandbox | undefined {
    return this.#next;
  }

  /** Takes over a process that loads an instance of the script. */
  constructor(guest: GuestPort) {
    this.#guest = guest;
    this.ready = this.#declared.promise;
    // A sandbox in reserve may fail before its promises are awaited.
    this.ready.catch(() => {});
    this.#result.promise.catch(() => {});
    this.#timeLimit = this.#limitTime();
    this.#wakeTimer = new WakeTimer(() => this.#sendSignal(HostMessage.wake));
    guest.listener = {
      onMessage: (frame) => this.#handle(frame),
      onExit: (status, stderr) => this.#explainExit(status, stderr),
      onError: (error) => this.stop(error instanceof FrameError ? brokenProtocol(error.message) : toSvcError(error)),
    };
  }

  /**
   * Runs the script on an input. Returns its result, or throws its error. The descriptions of the operations are needed to
   * read the arguments of calls.
   */
  async run(
    input: JsonValue | undefined,
    handlers: RunHandlers,
    start: StartState,
    operations: ReadonlyMap<string, OperationRef>,
  ): Promise<JsonValue | undefined> {
    await this.ready;
    if (this.hasEnded) return await this.#result.promise; // It was killed in the reserve.
    if (this.#state !== "ready") throw new SvcError("INTERNAL_ERROR", "A sandbox can run only once.");
    this.#state = "running";
    this.#handlers = handlers;
    this.#operations = operations;
    this.#timeLimit.end();
    this.#timeLimit = this.#limitTime();
    const maxKeptBytes = this.#guest.limits.maxMemoryMiB * KEPT_SHARE;
    const text = JSON.stringify({ input, ...start, maxKeptBytes });
    this.#guest.send({ kind: HostMessage.start, id: 0, text });
    this.#sendAhead();
    return await this.#result.promise;
  }

  /**
   * Ends the process. A run in progress fails with the reason, and its calls are aborted with it. Changes in flight are not
   * aborted: the handlers record their results.
   */
  stop(given?: SvcError): void {
    if (this.#state === "ended") return;
    const reason = given ?? new SvcError("INTERRUPTED", "The workflow was stopped.");
    this.#end();
    this.#declared.reject(reason);
    this.#result.reject(reason);
    for (const { step, controller } of this.#steps.values()) if (!step.hasEffect) controller.abort(reason);
    this.#guest.kill();
  }

  #end(): void {
    this.#state = "ended";
    this.#timeLimit.end();
    this.#wakeTimer.end();
  }

  /** Resolves when the script is idle: it has reacted to all results so far. */
  async whenIdle(): Promise<void> {
    this.#sendSignal(HostMessage.askIdle);
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /** Resolves when the process has ended. */
  async gone(): Promise<void> {
    await this.#guest.gone();
  }

  #limitTime(): TimeLimit {
    const { limits } = this.#guest;
    const stop = () => this.stop(outOfTime(limits));
    // Another input may have blocked a shared process. Then the process does not answer, and this input continues elsewhere.
    const onTimeout = this.#guest.isShared ? () => void this.whenIdle().then(stop) : stop;
    return new TimeLimit(limits.timeoutSeconds, onTimeout, () => this.whenIdle());
  }

  #sendSignal(kind: number): void {
    this.#guest.send({ kind, id: 0, text: "" });
  }

  #explainExit(status: Deno.CommandStatus, stderr: string): void {
    const { paths, limits } = this.#guest;
    this.stop(explainExit(status, paths?.restore(stderr, false) ?? stderr, limits));
  }

  #handle({ kind, id, text: received }: Frame): void {
    const text = this.#guest.paths?.restore(received, kind !== GuestMessage.log) ?? received;
    if (kind !== GuestMessage.log && isNestedDeeper(text)) {
      throw tooMuch(`a message with more than ${MAX_LEVELS} levels`);
    }
    switch (kind) {
      case GuestMessage.ready:
        return this.#declare(text);
      case GuestMessage.call:
        return this.#takeStep(id, text);
      case GuestMessage.cancel:
        this.#countOutput(text, "cancellations");
        return this.#steps.get(id)?.controller.abort();
      case GuestMessage.log:
        return this.#print(text);
      case GuestMessage.random:
        return this.#recordRandom(text);
      case GuestMessage.patched:
        return this.#recordPatch(text);
      case GuestMessage.stalled:
        this.#countOutput(text, "messages");
        if (!this.#ahead.has(id)) throw new FrameError("an unexpected message that it is stalled");
        return this.#handlers?.onStalled?.(id);
      case GuestMessage.idle: {
        const resolve = this.#onIdle.shift();
        if (resolve === undefined) throw new FrameError("an unexpected message that it is idle");
        return resolve();
      }
      case GuestMessage.result:
        return this.#finish(parseResult(text), id === CONTINUES);
      case GuestMessage.continued:
        this.#handlers?.onContinued?.(parseResult(text));
        return this.#finish(undefined, false);
      case GuestMessage.failure:
        return this.stop(parseFailure(text) ?? brokenProtocol("an invalid error"));
      default:
        throw new FrameError(`a message of an unknown kind (${kind})`);
    }
  }

  #declare(text: string): void {
    const declaration = parseDeclaration(text);
    if (this.#state !== "loading" || declaration === undefined) throw new FrameError("an invalid declaration");
    this.#state = "ready";
    this.#timeLimit.end();
    this.#declared.resolve(declaration);
  }

  #print(text: string): void {
    const lines = escapeLog(text);
    this.#countOutput(lines);
    this.#handlers?.onLog(lines);
  }

  #recordRandom(text: string): void {
    if (this.#state !== "running" || !isBase64(text)) throw new FrameError("invalid random bytes");
    this.#countOutput(text);
    this.#handlers?.onRandomBytes(text);
  }

  #recordPatch(name: string): void {
    if (this.#state !== "running" || !PATCH_NAME.test(name)) throw new FrameError("an invalid name of a patch");
    this.#countOutput(name);
    this.#handlers?.onPatched?.(name);
  }

  #countOutput({ length }: string, what = "text and random bytes"): void {
    this.#outputCharacters += length + MESSAGE_COST;
    if (this.#outputCharacters > MAX_OUTPUT_CHARACTERS) {
      throw tooMuch(`${what} of more than ${MAX_OUTPUT_CHARACTERS} characters`);
    }
  }

  #takeStep(position: number, text: string): void {
    const step = parseCall(text, this.#operations);
    if (this.#state !== "running" || position !== this.#lastPosition + 1 || step === undefined) {
      throw new FrameError("an invalid call");
    }
    this.#lastPosition = position;
    const controller = new AbortController();
    if (this.#ahead.delete(position)) {
      void this.#makeCall(step, position, controller.signal);
      return this.#sendAhead();
    }
    this.#timeLimit.countStep();
    if (this.hasEnded) return; // The step exceeded the time limit.
    this.#countOpen(step, text.length);
    this.#steps.set(position, { step, controller });
    if (!this.#guest.isShared) this.#wakeTimer.start();
    this.#pauseTimeLimit();
    void this.#answer(step, position, controller.signal, text.length);
  }

  /** Limits the memory of the host: a script may take steps without reading their results. */
  #countOpen({ kind }: RequestedStep, characters: number): void {
    const open = this.#open;
    const limit = HOST_TOLERANCE * (kind === "call" ? MAX_OPEN_CALLS : MAX_OPEN_SLEEPS);
    if (open[kind] >= limit) throw new FrameError(`more than ${limit} open ${kind}s`);
    const maxCharacters = HOST_TOLERANCE * MAX_OPEN_CHARACTERS;
    if (open.characters > 0 && open.characters + characters > maxCharacters) {
      throw new FrameError(`open calls of more than ${maxCharacters} characters`);
    }
    open[kind]++;
    open.characters += characters;
  }

  /** Pauses the time limit while the script sleeps, or its open calls wait for the service. */
  #pauseTimeLimit(): void {
    const open = this.#steps.values().filter(({ step }) => step.kind !== "timer").toArray();
    const isAsleep = open.length > 0 && open.every(({ step, isWaiting }) => step.kind === "sleep" || isWaiting);
    this.#timeLimit.setPaused(isAsleep && !this.#handlers?.isTimeless);
  }

  async #answer(step: RequestedStep, position: number, signal: AbortSignal, characters: number): Promise<void> {
    const { kind, head, text } = await this.#makeCall(step, position, signal);
    this.#steps.delete(position);
    if (this.hasEnded || !this.#handlers) return;
    this.#pauseTimeLimit();
    if (this.#steps.size === 0) this.#wakeTimer.stop();
    else if (!this.#guest.isShared) this.#wakeTimer.start();
    const isRecorded = this.#handlers.recorded?.order[this.#nextResult] === position;
    this.#sendResult(kind, position, head, text, () => {
      this.#open[step.kind]--;
      this.#open.characters -= characters;
      this.#handlers?.onTaken?.(position);
    });
    if (!isRecorded) return;
    this.#nextResult++;
    this.#sendAhead();
  }

  #sendResult(kind: number, id: number, head: object, text: string, onTaken?: () => void): void {
    const at = this.#handlers?.onDelivery(id);
    this.#guest.send({ kind, id, text: JSON.stringify({ ...head, at }) + "\n" + text }, onTaken);
  }

  /** Sends recorded results, up to the first of a step that the script has taken already. */
  #sendAhead(): void {
    if (this.hasEnded || this.#guest.isShared) return; // A shared process waits for no single input.
    const { recorded } = this.#handlers ?? {};
    for (;;) {
      const position = recorded?.order[this.#nextResult];
      if (recorded === undefined || position === undefined || position <= this.#lastPosition) return;
      if (this.#ahead.size >= MAX_AHEAD || this.#aheadCharacters > MAX_AHEAD_CHARACTERS) return;
      const result = recorded.find(position);
      this.#nextResult++;
      this.#ahead.add(position);
      if ("error" in result) this.#sendResult(HostMessage.error, position, {}, JSON.stringify(result.error));
      else {
        const { head, text } = result.answer;
        const operation = this.#operations.get(result.operation)?.operation;
        const described = { answer: operation?.answer ?? "nothing", pages: operation && planPages(operation), ...head };
        this.#aheadCharacters += text.length;
        this.#sendResult(HostMessage.reply, position, described, text, () => {
          this.#aheadCharacters -= text.length;
          this.#sendAhead();
        });
      }
    }
  }

  async #makeCall(
    { request, answer, pages }: RequestedStep,
    position: number,
    signal: AbortSignal,
  ): Promise<{ kind: number; head: object; text: string }> {
    try {
      if (!this.#handlers) throw new SvcError("INTERNAL_ERROR", "The run has no handlers.");
      const { head, text } = await this.#handlers.call(request, position, signal, (isWaiting) => {
        const open = this.#steps.get(position);
        if (open === undefined || this.hasEnded) return;
        open.isWaiting = isWaiting;
        this.#pauseTimeLimit();
      });
      return { kind: HostMessage.reply, head: { answer, pages, ...head }, text };
    } catch (error) {
      return { kind: HostMessage.error, head: {}, text: JSON.stringify(toSvcError(error)) };
    }
  }

  #finish(result: JsonValue | undefined, continues: boolean): void {
    const isDone = this.#steps.values().every(({ step }) => step.kind !== "call");
    if (this.#state !== "running" || !isDone) throw new FrameError("an unexpected result");
    this.#result.resolve(result);
    if (!continues && this.#steps.size > 0) return this.stop();
    if (this.#steps.size > 0) throw new FrameError("an unfinished run");
    this.#end();
    if (continues) this.#next = new Sandbox(this.#guest);
    else this.#guest.kill();
  }
}
