/**
 * The steps of a script: calls, sleeps and timers, numbered in the order in which the script takes them. Each is a message
 * to the host. Their results are delivered one at a time: the script gets the next one when it has reacted to the last
 * one. So only the order of the messages decides what a script does.
 */
import { createCancelledError } from "../../../lib/errors.ts";
import { type JsonObject, parseJsonObject } from "../../../utils/json.ts";
import type { Frame } from "../protocol/frames.ts";
import {
  GuestMessage,
  HostMessage,
  MAX_OPEN_CALLS,
  MAX_OPEN_CHARACTERS,
  MAX_OPEN_SLEEPS,
  type RECEIVE,
  SLEEP,
} from "../protocol/messages.ts";
import { receive, receiveSync, send } from "./channel.ts";
import { setClock } from "./clock.ts";
import { getLocalWork, nextTurn } from "./local_work.ts";
import { currentInput, perInput } from "./per_input.ts";

/** The result of a step. */
export interface StepResult {
  /** False if the step failed. */
  readonly isReply: boolean;
  /** Metadata. */
  readonly head: JsonObject;
  /** Body of the response, or an error record. */
  readonly text: string;
}

interface Step {
  readonly queue: StepQueue;
  readonly signal?: AbortSignal;
  readonly resolve: (result: StepResult) => void;
  readonly reject: (error: unknown) => void;
  /** Removes the listener: a signal may be used for many calls. */
  removeListener?: () => void;
  /** The message. It is missing while it is created. */
  text?: string;
  /** Number of the step, or 0 before it is sent. */
  position: number;
}

/** Sends steps of one kind in the order in which they are added, and limits how many are open. */
class StepQueue {
  readonly #waiting: Step[] = [];
  readonly #maxOpen: number;
  #open = 0;
  #characters = 0;

  constructor(maxOpen: number) {
    this.#maxOpen = maxOpen;
  }

  /** True if no step is open or waits. */
  get isEmpty(): boolean {
    return this.#open === 0 && this.#waiting.length === 0;
  }

  add(step: Step): void {
    this.#waiting.push(step);
    this.sendNext();
  }

  /** Removes a step that was not sent. */
  remove(step: Step): void {
    const index = this.#waiting.indexOf(step);
    if (index >= 0) this.#waiting.splice(index, 1);
    this.sendNext();
  }

  /** Closes a step that was sent. */
  close({ text = "" }: Step): void {
    this.#open--;
    this.#characters -= text.length;
    this.sendNext();
  }

  /** Sends steps until one has no message yet or a limit is reached. */
  sendNext(): void {
    for (let step = this.#waiting[0]; step?.text !== undefined; step = this.#waiting[0]) {
      const { text } = step;
      const isTooLarge = this.#open > 0 && this.#characters + text.length > MAX_OPEN_CHARACTERS;
      if (this.#open >= this.#maxOpen || isTooLarge) return;
      this.#waiting.shift();
      if (!sendStep(step, text)) continue;
      this.#open++;
      this.#characters += text.length;
    }
  }
}

/** The steps of an input. */
class Steps {
  readonly open = new Map<number, Step>();
  readonly calls = new StepQueue(MAX_OPEN_CALLS);
  readonly sleeps = new StepQueue(MAX_OPEN_SLEEPS);
  readonly timers = new StepQueue(MAX_OPEN_SLEEPS);
  /** Messages that were received and not delivered. */
  readonly received: Frame[] = [];
  lastPosition = 0;
  isDelivering = false;
  onIdle?: () => void;
}

const steps = perInput(() => new Steps());

/** Makes a call. The message may be a promise; the call is sent before all later calls nevertheless. */
export function openCall(message: string | Promise<string>, signal?: AbortSignal): Promise<StepResult> {
  const { calls } = steps();
  return new Promise((resolve, reject) => {
    const step: Step = { queue: calls, signal, resolve, reject, position: 0 };
    if (typeof message === "string") step.text = message;
    else void awaitText(step, message);
    if (signal !== undefined) abandonOnAbort(step, signal);
    calls.add(step);
    if (signal?.aborted) abandon(step);
  });
}

/** Sleeps, or waits for a signal. The time limit of the run is paused. */
export function openWait(
  operation: typeof SLEEP | typeof RECEIVE,
  argument: number | string,
  signal?: AbortSignal,
): Promise<StepResult> {
  const text = JSON.stringify({ operation, args: [argument] });
  const { sleeps } = steps();
  return new Promise((resolve, reject) => {
    const step: Step = { queue: sleeps, signal, text, resolve, reject, position: 0 };
    if (signal !== undefined) abandonOnAbort(step, signal);
    sleeps.add(step);
    if (signal?.aborted) abandon(step);
  });
}

/** Calls a function after a delay. Returns a function that cancels the timer. */
export function openTimer(milliseconds: number, callback: () => void): () => void {
  const text = JSON.stringify({ operation: SLEEP, args: [milliseconds], timer: true });
  let isCancelled = false;
  const resolve = () => isCancelled || callback();
  const { timers } = steps();
  const step: Step = { queue: timers, text, resolve, reject: () => {}, position: 0 };
  timers.add(step);
  return () => {
    isCancelled = true;
    cancel(step);
  };
}

/** Returns the number of steps that were sent. */
export function countSteps(): number {
  return steps().lastPosition;
}

/** Resolves when all calls have ended, including those that the script does not await. Open sleeps end with the script. */
export async function allCallsEnded(): Promise<void> {
  const state = steps();
  while (!state.calls.isEmpty) await new Promise<void>((resolve) => state.onIdle = resolve);
}

/** Reports whether no step and no other work is open: its result would arrive later. */
export function hasEndedSteps(): boolean {
  const { open, calls, sleeps, timers } = steps();
  return open.size === 0 && getLocalWork() === undefined && [calls, sleeps, timers].every((queue) => queue.isEmpty);
}

function sendStep(step: Step, text: string): boolean {
  const { signal, reject } = step;
  const state = steps();
  if (signal?.aborted) {
    reject(createCancelledError());
    return false;
  }
  try {
    send({ kind: GuestMessage.call, id: state.lastPosition + 1, text });
  } catch (error) {
    reject(error);
    return false;
  }
  step.position = ++state.lastPosition;
  state.open.set(step.position, step);
  deliver();
  return true;
}

function abandonOnAbort(step: Step, signal: AbortSignal): void {
  const onAbort = () => abandon(step);
  signal.addEventListener("abort", onAbort, { once: true });
  step.removeListener = () => signal.removeEventListener("abort", onAbort);
}

/** Rejects a step. One that was sent stays open until the host sends its result, which is ignored. */
function abandon(step: Step): void {
  cancel(step);
  step.reject(createCancelledError());
  deliver(); // No step may be left.
}

function cancel(step: Step): void {
  if (steps().open.get(step.position) === step) send({ kind: GuestMessage.cancel, id: step.position, text: "" });
  else step.queue.remove(step);
}

async function awaitText(step: Step, text: Promise<string>): Promise<void> {
  try {
    step.text = await text;
    step.queue.sendNext();
  } catch (error) {
    step.queue.remove(step);
    step.reject(error);
    deliver(); // No step may be left.
  }
}

/** Starts to deliver results, unless that is in progress. */
function deliver(): void {
  const state = steps();
  if (currentInput().number > 0) return void endCalls(state);
  if (state.isDelivering) return;
  state.isDelivering = true;
  void deliverAll(state).finally(() => state.isDelivering = false);
}

/** Does what follows the last call of an input. In a shared process, `runInputs` delivers the results. */
async function endCalls(state: Steps): Promise<void> {
  await nextTurn();
  if (state.calls.isEmpty) state.onIdle?.();
}

/**
 * Delivers results until no step is open. While nothing else can happen, the read blocks the process, which takes half the
 * time of an asynchronous one. A script may do something else, such as loading a module: if a result takes long, the host
 * wakes this process, which then reads asynchronously.
 */
async function deliverAll(state: Steps): Promise<void> {
  const { calls, open, received } = state;
  let isAwake = false;
  let reported: Frame | undefined;
  await Promise.resolve(); // The first messages of the script are sent before.
  for (;;) {
    await nextTurn();
    const work = getLocalWork();
    if (work !== undefined) {
      await work;
      continue;
    }
    if (calls.isEmpty) state.onIdle?.();
    if (open.size === 0) return;
    if (received.length === 0 && isAwake) {
      received.push(...await receive());
      isAwake = false;
      continue; // The script may have continued in the meantime.
    }
    if (received.length === 0) received.push(...receiveSync());
    const [frame] = received;
    if (frame === undefined) continue;
    const isResult = frame.kind === HostMessage.reply || frame.kind === HostMessage.error;
    if (isResult && frame.id > state.lastPosition) {
      // A recorded result may arrive before its step is taken. If no loading module takes it, the host ends the process.
      if (reported !== frame) send({ kind: GuestMessage.stalled, id: frame.id, text: "" });
      reported = frame;
      continue;
    }
    received.shift();
    if (frame.kind === HostMessage.askIdle) reportIdle();
    if (isResult) deliverResult(frame);
    else isAwake = true;
  }
}

/** Tells the host that the current input has reacted to all messages. */
export function reportIdle(): void {
  send({ kind: GuestMessage.idle, id: 0, text: "" });
}

/** Gives the current input the result of a step. */
export function deliverResult(frame: Frame): void {
  const { open } = steps();
  const result = parseStepResult(frame);
  const step = open.get(frame.id);
  if (step === undefined) return;
  open.delete(frame.id);
  step.removeListener?.();
  step.queue.close(step);
  step.resolve(result);
  deliver(); // No step may be left.
}

function parseStepResult({ kind, text }: Frame): StepResult {
  const end = text.indexOf("\n");
  const head = parseJsonObject(text.slice(0, end)) ?? {};
  setClock(Number(head.at));
  return { isReply: kind === HostMessage.reply, head, text: text.slice(end + 1) };
}
