/** The parent's end of a sandbox: one process, one script, one run. Whatever the process says is a request, no more. */
import { parseErrorRecord, SvcError, toSvcError } from "../../../lib/errors.ts";
import { type JsonObject, type JsonValue, parseJsonObject } from "../../../utils/json.ts";
import { escapeToOneLine } from "../../../utils/text/control_characters.ts";
import { planPages } from "../../../lib/operation/pages.ts";
import type { OperationRef } from "../../../lib/operation/operation.ts";
import type { Limits } from "../../runs/limits.ts";
import { type Place, startHost } from "./command.ts";
import { broken, explainExit, outOfTime, tooMuch } from "./exit.ts";
import { type Frame, FrameError, FrameReader } from "../protocol/frames.ts";
import {
  type CallRequest,
  type Declaration,
  FromSandbox,
  MAX_MESSAGE_BYTES,
  MAX_OPEN_CALLS,
  MAX_OPEN_CHARACTERS,
  MAX_OPEN_SLEEPS,
  MAX_SAID_CHARACTERS,
  PROTOCOL,
  ToSandbox,
} from "../protocol/messages.ts";
import { isTooDeep } from "./nesting.ts";
import { Outbox } from "./outbox.ts";
import { printable, printableRecord } from "./printable.ts";
import { isBase64, isTextArray, resultOf } from "./said.ts";
import { tailOf } from "./tail.ts";
import { TimeLimit } from "./time_limit.ts";
import { Wakening } from "./wakening.ts";
import { type Wish, wishOf } from "./wish.ts";

/** An answer for the script: the service's text as it came, or its content in base64. */
export interface CallAnswer {
  /** What is known of it: `etag`, and of a content its head. */
  readonly head: JsonObject;
  /** Body; empty where there is none. */
  readonly text: string;
}

/** What a script was given before. */
export interface GivenBefore {
  /** Positions of the steps that were answered, in the order in which the script got the answers. */
  readonly turns: readonly number[];
  /** What the script was given for a step. */
  answerTo(
    position: number,
  ): { readonly operation: string } & ({ readonly answer: CallAnswer } | { readonly error: SvcError });
}

/** What a run does with the wishes of its script. */
export interface RunHandlers {
  /**
   * What the script was given before, to be sent before it asks: a run that goes on is much faster then. The steps are
   * still handed to `call` when they come, whose answer then counts for nothing.
   */
  readonly before?: GivenBefore;
  /** Whether a sleep takes no time: what the script waits for then counts against its time like all else. */
  readonly isTimeless?: boolean;
  /**
   * Makes a call, or sleeps, or throws. The position counts these steps of the run from 1: the same script takes them in
   * the same order.
   */
  call(request: CallRequest, position: number, signal: AbortSignal): Promise<CallAnswer>;
  /**
   * The answer or refusal of this call is sent now: the script gets them in the order of these calls. Gives the time for
   * the script's clock: milliseconds since 1970.
   */
  delivering(position: number): number;
  /** The script drew this randomness, in base64. */
  drew(block: string): void;
  /** Is told that the script does nothing, and has not taken the step whose answer it was given before. */
  waits?(position: number): void;
  /** Takes what the script prints: one or more lines, safe for a terminal. */
  log(text: string): void;
}

/** What a script finds where it begins. */
export interface Beginning {
  /** Its clock: milliseconds since 1970. */
  readonly startedAt: number;
  /** Randomness that it draws first, in base64. */
  readonly randomness: readonly string[];
}

/** Bytes that are read at a time. */
const READ_BYTES = 64 * 1024;

/**
 * How much more than its open calls we hold for a sandbox: it may have read an answer, and asked again, before we know
 * that the answer was taken.
 */
const HELD = 2;

/** Characters that a message counts beside its text: to keep or to read it costs something, even if it says nothing. */
const SAID_BESIDE = 64;

/** Answers that are sent before the script asks. */
const MAX_AHEAD = 64;

/** A step that is not answered yet. */
interface OpenStep {
  readonly wish: Wish;
  readonly controller: AbortController;
}

/** One process that runs one script once. */
export class Sandbox {
  /** What the script says of itself, once it is loaded. */
  readonly ready: Promise<Declaration>;
  readonly #process: Deno.ChildProcess;
  readonly #limits: Limits;
  readonly #outbox: Outbox;
  readonly #stderr: Promise<string>;
  readonly #declared = Promise.withResolvers<Declaration>();
  readonly #result = Promise.withResolvers<JsonValue | undefined>();
  readonly #steps = new Map<number, OpenStep>();
  readonly #held = { call: 0, sleep: 0, timer: 0, characters: 0 };
  readonly #wakening: Wakening;
  readonly #restAwaited: (() => void)[] = [];
  /** Positions of the steps that were answered before the script took them. */
  readonly #ahead = new Set<number>();
  #turn = 0;
  #operations: ReadonlyMap<string, OperationRef> = new Map();
  #lastPosition = 0;
  #saidCharacters = 0;
  #state: "loading" | "ready" | "running" | "ended" = "loading";
  #handlers?: RunHandlers;
  #timeLimit: TimeLimit;

  /** Whether it has ended. */
  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /** Starts to load the script. */
  constructor(place: Place, limits: Limits) {
    this.#limits = limits;
    this.#process = startHost(place, limits);
    this.#outbox = new Outbox(this.#process.stdin);
    this.#stderr = tailOf(this.#process.stderr);
    this.ready = this.#declared.promise;
    // Both may fail while nobody waits: for a sandbox in reserve, or before the run.
    this.ready.catch(() => {});
    this.#result.promise.catch(() => {});
    this.#timeLimit = this.#limitTime();
    this.#wakening = new Wakening(() => this.#nudge(ToSandbox.wake));
    void this.#listen();
  }

  /**
   * Runs the script on an input; gives its result, or throws what it failed with. The operations say what the arguments
   * of its calls mean. A sandbox runs once.
   */
  async run(
    input: JsonValue | undefined,
    handlers: RunHandlers,
    { startedAt, randomness }: Beginning,
    operations: ReadonlyMap<string, OperationRef>,
  ): Promise<JsonValue | undefined> {
    await this.ready;
    if (this.hasEnded) return await this.#result.promise; // Somebody killed it while it waited: it says so.
    if (this.#state !== "ready") throw new SvcError("INTERNAL_ERROR", "A sandbox runs once.");
    this.#state = "running";
    this.#handlers = handlers;
    this.#operations = operations;
    this.#timeLimit.end();
    this.#timeLimit = this.#limitTime();
    this.#outbox.send({ kind: ToSandbox.start, id: 0, text: JSON.stringify({ input, startedAt, randomness }) });
    this.#sendAhead();
    return await this.#result.promise;
  }

  /**
   * Ends the process, with this reason where a run is in progress. Changes that are on their way are still answered, for
   * the handlers to keep; all else is given up for the same reason.
   */
  stop(reason: SvcError = new SvcError("INTERRUPTED", "The workflow was stopped.")): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#timeLimit.end();
    this.#wakening.end();
    this.#declared.reject(reason);
    this.#result.reject(reason);
    for (const { wish, controller } of this.#steps.values()) if (!wish.hasEffect) controller.abort(reason);
    this.#outbox.close();
    kill(this.#process);
  }

  /** Resolves when the script has done all that follows from what it was given so far. */
  async rested(): Promise<void> {
    this.#nudge(ToSandbox.askRest);
    await new Promise<void>((resolve) => this.#restAwaited.push(resolve));
  }

  /** Resolves when the process is gone. */
  async gone(): Promise<void> {
    await this.#process.status;
  }

  #limitTime(): TimeLimit {
    const stop = () => this.stop(outOfTime(this.#limits));
    return new TimeLimit(this.#limits.timeoutSeconds, stop, () => this.rested());
  }

  #nudge(kind: number): void {
    this.#outbox.send({ kind, id: 0, text: "" });
  }

  async #listen(): Promise<void> {
    try {
      await this.#takeAll();
      if (!this.hasEnded) this.stop(explainExit(await this.#process.status, await this.#stderr, this.#limits));
    } catch (error) {
      this.stop(error instanceof FrameError ? broken(error.message) : toSvcError(error));
    }
  }

  async #takeAll(): Promise<void> {
    const frames = new FrameReader(MAX_MESSAGE_BYTES);
    const stdout = this.#process.stdout.getReader({ mode: "byob" });
    let buffer = new Uint8Array(READ_BYTES);
    try {
      while (!this.hasEnded) {
        const { value, done } = await stdout.read(buffer);
        if (done) return;
        for (const frame of frames.push(value)) {
          if (!this.hasEnded) this.#take(frame);
        }
        buffer = new Uint8Array(value.buffer); // The same memory again: a new buffer costs more than a message.
      }
    } finally {
      await stdout.cancel();
    }
  }

  #take({ kind, id, text }: Frame): void {
    if (kind !== FromSandbox.log && isTooDeep(text)) throw tooMuch("a message that is nested too deep");
    switch (kind) {
      case FromSandbox.ready:
        return this.#declare(text);
      case FromSandbox.call:
        return this.#open(id, text);
      case FromSandbox.cancel:
        this.#allow(text, "cancellations");
        return this.#steps.get(id)?.controller.abort();
      case FromSandbox.log:
        return this.#print(text);
      case FromSandbox.drew:
        return this.#draw(text);
      case FromSandbox.waits:
        this.#allow(text, "waits");
        if (!this.#ahead.has(id)) throw new FrameError("a wait for nothing");
        return this.#handlers?.waits?.(id);
      case FromSandbox.rests: {
        const resolve = this.#restAwaited.shift();
        if (resolve === undefined) throw new FrameError("an answer to nothing");
        return resolve();
      }
      case FromSandbox.result:
        return this.#finish(text);
      case FromSandbox.failure:
        return this.stop(parseErrorRecord(printableRecord(parseJsonObject(text))) ?? broken("an error that is none"));
      default:
        throw new FrameError(`a message of an unknown kind (${kind})`);
    }
  }

  #declare(text: string): void {
    const { protocol, name, allow } = parseJsonObject(text) ?? {};
    if (this.#state !== "loading" || protocol !== PROTOCOL || typeof name !== "string" || !isTextArray(allow)) {
      throw new FrameError("a declaration that is none");
    }
    this.#state = "ready";
    this.#timeLimit.end();
    this.#declared.resolve({ name: escapeToOneLine(name.slice(0, 200)), allow });
  }

  #print(text: string): void {
    const lines = printable(text);
    this.#allow(lines);
    this.#handlers?.log(lines);
  }

  #draw(text: string): void {
    if (this.#state !== "running" || !isBase64(text)) throw new FrameError("randomness that is none");
    this.#allow(text);
    this.#handlers?.drew(text);
  }

  #allow({ length }: string, what = "text and randomness"): void {
    this.#saidCharacters += length + SAID_BESIDE;
    if (this.#saidCharacters > MAX_SAID_CHARACTERS) throw tooMuch(`more ${what} than it may`);
  }

  #open(position: number, text: string): void {
    const wish = wishOf(text, this.#operations);
    if (this.#state !== "running" || position !== this.#lastPosition + 1 || wish === undefined) {
      throw new FrameError("a call that is none");
    }
    this.#lastPosition = position;
    const controller = new AbortController();
    if (this.#ahead.delete(position)) {
      void this.#make(wish, position, controller.signal);
      return this.#sendAhead();
    }
    this.#timeLimit.step();
    if (this.hasEnded) return; // That was one too many: nothing is done for it any more.
    this.#hold(wish, text.length);
    this.#steps.set(position, { wish, controller });
    this.#wakening.expect();
    this.#watchTime();
    void this.#answer(wish, position, controller.signal, text.length);
  }

  /** Makes room for a step until its answer is taken: a script that asks and never reads must not fill our memory. */
  #hold({ kind }: Wish, characters: number): void {
    const held = this.#held;
    const isMuch = held.characters > 0 && held.characters + characters > HELD * MAX_OPEN_CHARACTERS;
    const most = kind === "call" ? MAX_OPEN_CALLS : MAX_OPEN_SLEEPS;
    if (held[kind] >= HELD * most || isMuch) throw new FrameError("more calls at a time than it may");
    held[kind]++;
    held.characters += characters;
  }

  /** The time of a script that sleeps does not count, unless it does something else meanwhile. */
  #watchTime(): void {
    const kinds = this.#steps.values().map(({ wish }) => wish.kind).toArray();
    const isAsleep = kinds.includes("sleep") && !kinds.includes("call");
    this.#timeLimit.standStill(isAsleep && !this.#handlers?.isTimeless);
  }

  async #answer(wish: Wish, position: number, signal: AbortSignal, characters: number): Promise<void> {
    const { kind, head, text } = await this.#make(wish, position, signal);
    this.#steps.delete(position);
    if (this.hasEnded || !this.#handlers) return;
    this.#watchTime();
    if (this.#steps.size === 0) this.#wakening.rest();
    else this.#wakening.expect();
    const isBefore = this.#handlers.before?.turns[this.#turn] === position;
    this.#deliver(kind, position, head, text, () => {
      this.#held[wish.kind]--;
      this.#held.characters -= characters;
    });
    if (!isBefore) return;
    this.#turn++;
    this.#sendAhead();
  }

  #deliver(kind: number, id: number, head: object, text: string, taken?: () => void): void {
    const at = this.#handlers?.delivering(id);
    this.#outbox.send({ kind, id, text: JSON.stringify({ ...head, at }) + "\n" + text }, taken);
  }

  /** Sends what the script was given before, up to the first step that is being answered otherwise. */
  #sendAhead(): void {
    const { before } = this.#handlers ?? {};
    for (;;) {
      const position = before?.turns[this.#turn];
      if (before === undefined || position === undefined || position <= this.#lastPosition) return;
      if (this.#ahead.size >= MAX_AHEAD) return;
      const given = before.answerTo(position);
      this.#turn++;
      this.#ahead.add(position);
      if ("error" in given) this.#deliver(ToSandbox.refusal, position, {}, JSON.stringify(given.error));
      else {
        const operation = this.#operations.get(given.operation)?.operation;
        const described = { answer: operation?.answer ?? "nothing", pages: operation && planPages(operation) };
        this.#deliver(ToSandbox.reply, position, { ...described, ...given.answer.head }, given.answer.text);
      }
    }
  }

  async #make(
    { request, answer, pages }: Wish,
    position: number,
    signal: AbortSignal,
  ): Promise<{ kind: number; head: object; text: string }> {
    try {
      if (!this.#handlers) throw new SvcError("INTERNAL_ERROR", "Nobody makes the calls of this run.");
      const { head, text } = await this.#handlers.call(request, position, signal);
      return { kind: ToSandbox.reply, head: { answer, pages, ...head }, text };
    } catch (error) {
      return { kind: ToSandbox.refusal, head: {}, text: JSON.stringify(toSvcError(error)) };
    }
  }

  #finish(text: string): void {
    const isDone = this.#steps.values().every(({ wish }) => wish.kind === "timer");
    if (this.#state !== "running" || !isDone) throw new FrameError("a result out of turn");
    this.#result.resolve(text === "" ? undefined : resultOf(text));
    this.stop();
  }
}

function kill(process: Deno.ChildProcess): void {
  try {
    process.kill("SIGKILL");
  } catch (error) {
    // It has ended already, which Windows says as if it were forbidden.
    if (!(error instanceof TypeError || error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}
