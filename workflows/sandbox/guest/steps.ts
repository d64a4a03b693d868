/** The steps of the script: calls and sleeps, numbered in the order in which it takes them. Each is a message to the parent. */
import { createCancelledError } from "../../../lib/errors.ts";
import { send } from "./channel.ts";
import { deliverTo, type Delivery } from "./deliveries.ts";
import { Lane } from "./lane.ts";
import { FromSandbox, MAX_OPEN_CALLS, MAX_OPEN_CHARACTERS, MAX_OPEN_SLEEPS, SLEEP } from "../protocol/messages.ts";

interface Step {
  readonly lane: Lane<Step>;
  readonly signal?: AbortSignal;
  readonly resolve: (delivery: Delivery) => void;
  readonly reject: (error: unknown) => void;
  /** Forgets the signal: it may outlive many calls. */
  forgetSignal?: () => void;
  text?: string;
  position: number;
}

const open = new Map<number, Step>();
const calls = new Lane<Step>(MAX_OPEN_CALLS, MAX_OPEN_CHARACTERS, openStep);
const sleeps = new Lane<Step>(MAX_OPEN_SLEEPS, MAX_OPEN_CHARACTERS, openStep);
const timers = new Lane<Step>(MAX_OPEN_SLEEPS, MAX_OPEN_CHARACTERS, openStep);
let lastPosition = 0;
let becameIdle: (() => void) | undefined;

/** Makes a call, given its message. One that is still being made has its turn before all later calls, too. */
export function openCall(message: string | Promise<string>, signal?: AbortSignal): Promise<Delivery> {
  return new Promise((resolve, reject) => {
    const step: Step = { lane: calls, signal, resolve, reject, position: 0 };
    if (typeof message === "string") step.text = message;
    else void awaitText(step, message);
    if (signal !== undefined) abandonOnAbort(step, signal);
    calls.add(step);
    if (signal?.aborted) abandon(step);
  });
}

/** Sleeps; the time limit of the run stands still meanwhile. */
export function openSleep(milliseconds: number): Promise<Delivery> {
  const text = JSON.stringify({ operation: SLEEP, args: [milliseconds] });
  return new Promise((resolve, reject) => sleeps.add({ lane: sleeps, text, resolve, reject, position: 0 }));
}

/** Acts after a time; gives what cancels that. */
export function openTimer(milliseconds: number, act: () => void): () => void {
  const text = JSON.stringify({ operation: SLEEP, args: [milliseconds], timer: true });
  let isCancelled = false;
  const resolve = () => isCancelled || act();
  const step: Step = { lane: timers, text, resolve, reject: () => {}, position: 0 };
  timers.add(step);
  return () => {
    isCancelled = true;
    cancel(step);
  };
}

/** Resolves when the calls and sleeps that the script did not wait for are finished, and those that they led to. */
export async function idle(): Promise<void> {
  while (!calls.isEmpty || !sleeps.isEmpty) await new Promise<void>((resolve) => becameIdle = resolve);
}

const deliver = deliverTo({
  isExpected: () => open.size > 0,
  isTaken: (position) => position <= lastPosition,
  take(position, delivery) {
    const step = open.get(position);
    if (step === undefined) return;
    open.delete(position);
    step.forgetSignal?.();
    step.lane.done(step);
    step.resolve(delivery);
  },
  rested: () => {
    if (calls.isEmpty && sleeps.isEmpty) becameIdle?.();
  },
});

function openStep(step: Step, text: string): boolean {
  const { signal, reject } = step;
  if (signal?.aborted) {
    reject(createCancelledError());
    return false;
  }
  try {
    send({ kind: FromSandbox.call, id: lastPosition + 1, text });
  } catch (error) {
    reject(error);
    return false;
  }
  step.position = ++lastPosition;
  open.set(step.position, step);
  deliver();
  return true;
}

function abandonOnAbort(step: Step, signal: AbortSignal): void {
  const onAbort = () => abandon(step);
  signal.addEventListener("abort", onAbort, { once: true });
  step.forgetSignal = () => signal.removeEventListener("abort", onAbort);
}

/** A step that was sent stays open until the parent has answered; nobody waits for that. One that waits is never sent. */
function abandon(step: Step): void {
  cancel(step);
  step.reject(createCancelledError());
  deliver(); // There may be nothing more to wait for.
}

function cancel(step: Step): void {
  if (open.get(step.position) === step) send({ kind: FromSandbox.cancel, id: step.position, text: "" });
  else step.lane.remove(step);
}

async function awaitText(step: Step, text: Promise<string>): Promise<void> {
  try {
    step.text = await text;
    step.lane.proceed();
  } catch (error) {
    step.lane.remove(step);
    step.reject(error);
    deliver(); // There may be nothing more to wait for.
  }
}
