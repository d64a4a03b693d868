/** A step that a sandbox wishes, read from its message. Nothing in it is trusted: it is a request, no more. */
import type { Answer } from "../../../lib/operation/answer.ts";
import { splitArguments } from "../../../lib/client/bind.ts";
import { misplaced, type Values } from "../../../lib/client/request/values.ts";
import { isJsonObject, type JsonValue, parseJsonObject } from "../../../utils/json.ts";
import { hasEffect, type Operation, type OperationRef } from "../../../lib/operation/operation.ts";
import { type PagePlan, planPages } from "../../../lib/operation/pages.ts";
import { filesOf } from "../protocol/files.ts";
import { type CallRequest, SLEEP } from "../protocol/messages.ts";

/** A step that a sandbox wishes. */
export interface Wish {
  /** What to do. */
  readonly request: CallRequest;
  /** Shape of its answer. */
  readonly answer: Answer;
  /** How the script iterates over the pages of its answer. */
  readonly pages?: PagePlan;
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
  // The guest has kept the script's signal, and refused an idempotency key of its own.
  const [given, { timeoutSeconds }] = splitArguments(operation, completeArguments(args, operation, files));
  const values = acceptEarlierTag(given);
  const request = { operation: name, values, ...(timeoutSeconds !== undefined && { timeoutSeconds }) };
  return {
    request,
    answer: operation.answer,
    pages: planPages(operation),
    kind: "call",
    hasEffect: hasEffect(operation),
  };
}

/**
 * Adds the files of a call to its parameters. `timeoutSeconds` among the parameters becomes a request option: a run that
 * began before there was an argument for those continues with its script unchanged.
 */
function completeArguments(args: readonly JsonValue[], operation: Operation, files: object): readonly unknown[] {
  const { args: positional = [], flags } = operation;
  const [params, options] = args.slice(positional.length);
  if (flags === undefined || !isJsonObject(params)) return args;
  const { timeoutSeconds, ...others } = params;
  const earlier = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  return [...args.slice(0, positional.length), { ...others, ...files }, { ...earlier, ...Object(options ?? {}) }];
}

/** Accepts `ifMatch` among the parameters for the same reason, in its place: the order of values is part of the history. */
function acceptEarlierTag(values: Values): Values {
  const earlier = misplaced("params", "ifMatch");
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name === earlier ? "ifMatch" : name, value]),
  );
}

function sleepOf(milliseconds: unknown, isTimer: boolean): Wish | undefined {
  if (typeof milliseconds !== "number" || milliseconds < 0) return undefined;
  const request = { operation: SLEEP, values: { milliseconds }, isTimer };
  return nothing(request, isTimer ? "timer" : "sleep");
}

function nothing(request: CallRequest, kind: Wish["kind"]): Wish {
  return { request, answer: "nothing", kind, hasEffect: false };
}
