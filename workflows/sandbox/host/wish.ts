/** A step that a sandbox wishes, read from its message. Nothing in it is trusted: it is a request, no more. */
import type { Answers } from "../../../lib/answers/answer_types.ts";
import { valuesOf } from "../../../lib/client/bind.ts";
import { isJsonObject, parseJsonObject } from "../../../utils/json.ts";
import { hasEffect, type OperationRef } from "../../../lib/operation/operation.ts";
import { filesOf } from "../protocol/files.ts";
import { type CallRequest, SLEEP } from "../protocol/messages.ts";

/** A step that a sandbox wishes. */
export interface Wish {
  /** What to do. */
  readonly request: CallRequest;
  /** Shape of its answer. */
  readonly answer: keyof Answers;
  /** What it is: for a sleep, but for no timer, the time limit of the run stands still. */
  readonly kind: "call" | "sleep" | "timer";
  /** Whether the service is another one after it. */
  readonly hasEffect: boolean;
}

/**
 * The wish of a message; undefined where it is none. An operation that there is not is one all the same, without values:
 * who makes the calls refuses it.
 */
export function wishOf(text: string, operations: ReadonlyMap<string, OperationRef>): Wish | undefined {
  const { operation: name, args, files: piped, timer } = parseJsonObject(text) ?? {};
  const files = filesOf(piped);
  if (typeof name !== "string" || !Array.isArray(args) || files === undefined) return undefined;
  if (name === SLEEP) return sleepOf(args[0], timer === true);
  const operation = operations.get(name)?.operation;
  if (operation === undefined) return nothing({ operation: name, values: {} }, "call");
  const last = args.at(-1);
  const whole = isJsonObject(last) ? [...args.slice(0, -1), { ...last, ...files }] : args;
  // The script's signal stays with it, and a key of its own it was refused there.
  const [values, { timeoutSeconds }] = valuesOf(operation, whole);
  const request = { operation: name, values, ...(timeoutSeconds !== undefined && { timeoutSeconds }) };
  return { request, answer: operation.answer, kind: "call", hasEffect: hasEffect(operation) };
}

function sleepOf(milliseconds: unknown, isTimer: boolean): Wish | undefined {
  if (typeof milliseconds !== "number" || milliseconds < 0) return undefined;
  const request = { operation: SLEEP, values: { milliseconds }, isTimer };
  return nothing(request, isTimer ? "timer" : "sleep");
}

function nothing(request: CallRequest, kind: Wish["kind"]): Wish {
  return { request, answer: "nothing", kind, hasEffect: false };
}
