/**
 * The `svc` of a script. It does not know the operations: every call is a message with the operation's name, and the host
 * maps the arguments to values.
 */
import { parseBody } from "../../../lib/client/response/reply.ts";
import { checkAnswer } from "../../../lib/client/response/check_answer.ts";
import { checkJson, checkSignal, jsonText } from "../../../lib/client/request/values.ts";
import { parseErrorRecord, SvcError } from "../../../lib/errors.ts";
import { isAnswer } from "../../../lib/operation/answer.ts";
import { permissionName } from "../../../lib/operation/operation.ts";
import { isPagePlan, iteratePages, type PagePlan } from "../../../lib/operation/pages.ts";
import { isJsonObject, isString, type JsonObject, parseJsonObject } from "../../../utils/json.ts";
import type { WorkflowClient } from "../../mod.ts";
import { decodeContent, extractFiles } from "../protocol/files.ts";
import { createPlaceholder } from "./placeholder.ts";
import { openCall } from "./steps.ts";

/** Pattern of the names of groups and operations. JavaScript looks up other names on every object. */
const NAME = /^[a-z][A-Za-z]*$/;

/** Names that match the pattern and that JavaScript looks up. With `then`, `await svc.cases` would make a call. */
const RESERVED: readonly string[] = ["then", "toJSON", ...Object.getOwnPropertyNames(Object.prototype)];

/** Creates the client. It has every group and every operation; the host rejects unknown ones. */
export function createGuestClient(): WorkflowClient {
  const client = createMembers((group) =>
    createMembers((operation) => (...args: unknown[]) => startCall(permissionName(group, operation), args))
  );
  return client as unknown as WorkflowClient; // The members are those that the host knows.
}

/** Creates a frozen object that creates its members on first use. */
function createMembers<T>(create: (name: string) => T): object {
  const members = new Map<string, T>();
  return new Proxy(Object.freeze({}), {
    get(target, name, receiver) {
      if (typeof name !== "string" || RESERVED.includes(name) || !NAME.test(name)) {
        return Reflect.get(target, name, receiver);
      }
      const member = members.get(name) ?? create(name);
      members.set(name, member);
      return member;
    },
  });
}

/** Makes a call. Its promise also iterates over the items of all pages; the first reply says how. */
function startCall(operation: string, args: readonly unknown[]): Promise<unknown> {
  let pages: PagePlan | undefined;
  const answer = call(operation, args, (plan) => pages = plan);
  const iterate = async function* () {
    const first = await answer;
    if (pages === undefined) throw hasNoPages(operation, first);
    yield* iteratePages(pages, args, first, (args) => call(operation, args));
  };
  return Object.defineProperty(answer, Symbol.asyncIterator, { value: iterate });
}

function hasNoPages(operation: string, answer: unknown): SvcError {
  if (typeof answer === "function") Reflect.get(answer, Symbol.asyncIterator); // Ends the plan if it is a placeholder.
  return new SvcError("INVALID_ARGS", `${operation} returns no pages.`, { hint: "Await the call." });
}

async function call(
  operation: string,
  args: readonly unknown[],
  onPages?: (pages: PagePlan) => void,
): Promise<unknown> {
  const { rest, signal, files } = splitArguments(args);
  rest.forEach((arg) => checkJson(arg));
  const message = files === undefined
    ? jsonText({ operation, args: rest })
    : files.then((files) => jsonText({ operation, args: rest, files }));
  const { isReply, head, text } = await openCall(message, signal);
  // The error is created here so that its stack includes the line of the call.
  if (!isReply) throw parseErrorRecord(parseJsonObject(text) ?? {}) ?? invalidReply();
  const { answer, pages, etag, content: contentHead, placeholder: mark } = head;
  if (typeof mark === "string") return createPlaceholder(mark);
  if (!isAnswer(answer)) throw invalidReply();
  if (isPagePlan(pages)) onPages?.(pages);
  const content = isJsonObject(contentHead) ? decodeContent(contentHead, text) : undefined;
  const body = content ? undefined : parseBody(answer, text, { operation });
  return checkAnswer(answer, { body, content, ...(typeof etag === "string" && { etag }) }, getRequestedId(args));
}

/** Returns the identifier of the requested resource: an option, or the first argument. */
function getRequestedId([first, options]: readonly unknown[]): unknown {
  return isJsonObject(options) && isString(options.participantId) ? options.participantId : first;
}

interface SplitArguments {
  /** Arguments to be sent as JSON. */
  readonly rest: readonly unknown[];
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Files among the parameters. */
  readonly files?: Promise<JsonObject>;
}

/** Separates what is not JSON from the arguments: a signal in the last one, and files. */
function splitArguments(args: readonly unknown[]): SplitArguments {
  const last = args.at(-1);
  if (!isRecord(last)) return { rest: args };
  const { signal, idempotencyKey, ...options } = last;
  checkSignal(signal);
  if (idempotencyKey !== undefined) throw rejectKey();
  const parts = args.with(-1, options).map((arg) =>
    isRecord(arg) ? extractFiles(arg) : { files: undefined, others: arg }
  );
  const files = parts.find(({ files }) => files !== undefined)?.files;
  return { rest: parts.map(({ others }) => others), files, ...(signal !== undefined && { signal }) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value instanceof Object && !Array.isArray(value);
}

function rejectKey(): SvcError {
  return new SvcError("INVALID_ARGS", "A call in a workflow takes no idempotencyKey.", {
    hint: "Omit it. Each change gets a key from its run, input and step.",
  });
}

function invalidReply(): SvcError {
  return new SvcError("INTERNAL_ERROR", "A message of the host is invalid.");
}
