/** Parses the messages of a guest. They are untrusted: everything in them is checked here or by the code that uses it. */
import { splitArguments } from "../../../lib/client/bind.ts";
import { misplaced, type Values } from "../../../lib/client/request/values.ts";
import { parseErrorRecord, type SvcError } from "../../../lib/errors.ts";
import type { Answer } from "../../../lib/operation/answer.ts";
import { hasEffect, type Operation, type OperationRef } from "../../../lib/operation/operation.ts";
import { type PagePlan, planPages } from "../../../lib/operation/pages.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, parseJsonObject } from "../../../utils/json.ts";
import { escapeControlCharacters, escapeLines, escapeToOneLine } from "../../../utils/text/control_characters.ts";
import { decodeFiles } from "../protocol/files.ts";
import { isSignalName } from "../protocol/signal_name.ts";
import { FrameError } from "../protocol/frames.ts";
import {
  type CallRequest,
  type Declaration,
  MAX_LOG_CHARACTERS,
  PROTOCOL,
  RECEIVE,
  SLEEP,
} from "../protocol/messages.ts";

/** A step that a guest requests. */
export interface RequestedStep {
  /** Operation and values of the call, or duration of the sleep. */
  readonly request: CallRequest;
  /** Shape of the response. */
  readonly answer: Answer;
  /** Parameters for iterating over pages, if the operation has pages. */
  readonly pages?: PagePlan;
  /** The time limit of the run is paused during a sleep, but not during a timer. */
  readonly kind: "call" | "sleep" | "timer";
  /** True if the call may change something in the service. */
  readonly hasEffect: boolean;
}

/**
 * Parses a call message. Returns undefined if it is invalid. The call of an unknown operation is valid and has no values:
 * making the call fails.
 */
export function parseCall(text: string, operations: ReadonlyMap<string, OperationRef>): RequestedStep | undefined {
  const { operation: name, args, files: encoded, timer } = parseJsonObject(text) ?? {};
  const files = decodeFiles(encoded);
  if (typeof name !== "string" || !Array.isArray(args) || files === undefined) return undefined;
  if (name === SLEEP) return parseSleep(args[0], timer === true);
  if (name === RECEIVE) return parseReceive(args[0]);
  const operation = operations.get(name)?.operation;
  if (operation === undefined) return withoutAnswer({ operation: name, values: {} }, "call");
  // The guest handles the script's signal and rejects an idempotency key.
  const [given, { timeoutSeconds }] = splitArguments(operation, completeArguments(args, operation, files));
  const values = acceptEarlierTag(given);
  const request = {
    operation: name,
    values,
    hasFile: operation.answer === "content",
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  };
  return {
    request,
    answer: operation.answer,
    pages: planPages(operation),
    kind: "call",
    hasEffect: hasEffect(operation),
  };
}

/**
 * Adds the files of a call to its parameters. `timeoutSeconds` among the parameters becomes a request option, so that
 * scripts written for an earlier version can resume their runs.
 */
function completeArguments(args: readonly JsonValue[], operation: Operation, files: object): readonly unknown[] {
  const { args: positional = [], flags } = operation;
  const [params, options] = args.slice(positional.length);
  if (flags === undefined || !isJsonObject(params)) return args;
  const { timeoutSeconds, ...others } = params;
  const earlier = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  return [...args.slice(0, positional.length), { ...others, ...files }, { ...earlier, ...Object(options ?? {}) }];
}

/** Accepts `ifMatch` among the parameters, for the same reason. Its position stays: the history compares the order of values. */
function acceptEarlierTag(values: Values): Values {
  const earlier = misplaced("params", "ifMatch");
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name === earlier ? "ifMatch" : name, value]),
  );
}

function parseSleep(milliseconds: unknown, isTimer: boolean): RequestedStep | undefined {
  if (typeof milliseconds !== "number" || milliseconds < 0) return undefined;
  const request = { operation: SLEEP, values: { milliseconds }, isTimer };
  return withoutAnswer(request, isTimer ? "timer" : "sleep");
}

function parseReceive(name: unknown): RequestedStep | undefined {
  return isSignalName(name) ? withoutAnswer({ operation: RECEIVE, values: { name } }, "sleep") : undefined;
}

function withoutAnswer(request: CallRequest, kind: RequestedStep["kind"]): RequestedStep {
  return { request, answer: "nothing", kind, hasEffect: false };
}

/** Parses the declaration of a loaded script. Returns undefined if it is invalid. */
export function parseDeclaration(text: string): Declaration | undefined {
  const { protocol, name, allow, stateless } = parseJsonObject(text) ?? {};
  if (protocol !== PROTOCOL || typeof name !== "string" || !isNameList(allow)) return undefined;
  return { name: escapeToOneLine(name.slice(0, 200)), allow, isStateless: stateless === true };
}

function isNameList(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.length <= 1000 &&
    value.every((name) => typeof name === "string" && name.length <= 200);
}

/** Parses the result of a run. */
export function parseResult(text: string): JsonValue | undefined {
  if (text === "") return undefined;
  try {
    return parseJson(text);
  } catch (cause) {
    throw new FrameError("a result that is not JSON", { cause });
  }
}

/** Parses the error of a run. Returns undefined if it is invalid. */
export function parseFailure(text: string): SvcError | undefined {
  const record = parseJsonObject(text);
  return record && parseErrorRecord(escapeRecord(record));
}

/** Escapes and truncates the texts of an error record that are printed. */
function escapeRecord(record: JsonObject): JsonObject {
  const { message, hint } = record;
  return {
    ...record,
    ...(typeof message === "string" && { message: escapeControlCharacters(message.slice(0, 10_000)) }),
    ...(typeof hint === "string" && { hint: escapeControlCharacters(hint.slice(0, 1000)) }),
  };
}

/** Escapes and truncates lines of a log, so that they neither control a terminal nor overwrite the prefix of their input. */
export function escapeLog(text: string): string {
  return escapeLines(text.slice(0, MAX_LOG_CHARACTERS));
}

/** Returns true if a text is at least one byte in base64. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
