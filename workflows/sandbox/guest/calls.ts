/** The script's calls: their arguments as a message, and the answer as what the operation promises. */
import { parseBody } from "../../../lib/client/response/parse_body.ts";
import { checkAnswer } from "../../../lib/client/response/check_answer.ts";
import { parseErrorRecord, SvcError } from "../../../lib/errors.ts";
import { isJsonObject, isString, type JsonObject, parseJsonObject } from "../../../utils/json.ts";
import { checkKept, jsonText } from "../../../lib/client/request/json_text.ts";
import { isAnswer } from "../../../lib/operation/answer.ts";
import { isPagePlan, type PagePlan } from "../../../lib/operation/pages.ts";
import { checkSignal } from "../../../lib/operation/param_types.ts";
import { contentOf, filesIn } from "../protocol/files.ts";
import { standIn } from "./placeholder.ts";
import { openCall } from "./steps.ts";

/** Calls an operation with the arguments of its function; the parent knows which value each of them is. */
export async function call(
  operation: string,
  args: readonly unknown[],
  onPages?: (pages: PagePlan) => void,
): Promise<unknown> {
  const { rest, signal, files } = split(args);
  rest.forEach((arg) => checkKept(arg));
  const message = files === undefined
    ? jsonText({ operation, args: rest })
    : files.then((files) => jsonText({ operation, args: rest, files }));
  const { isReply, head, text } = await openCall(message, signal);
  // Errors are made here, not where the message arrives, so that their stack leads to the line that made the call.
  if (!isReply) throw parseErrorRecord(parseJsonObject(text) ?? {}) ?? brokenAnswer();
  const { answer, pages, etag, content: contentHead, placeholder: mark } = head;
  if (typeof mark === "string") return standIn(mark);
  if (!isAnswer(answer)) throw brokenAnswer();
  if (isPagePlan(pages)) onPages?.(pages);
  const content = isJsonObject(contentHead) ? contentOf(contentHead, text) : undefined;
  const body = content ? undefined : parseBody(answer, text, { operation });
  return checkAnswer(answer, { body, content, ...(typeof etag === "string" && { etag }) }, askedFor(args));
}

/** Of what is asked for, its name: an option's, or the first argument; the next assignment has none. */
function askedFor([first, options]: readonly unknown[]): unknown {
  return isJsonObject(options) && isString(options.participantId) ? options.participantId : first;
}

interface Arguments {
  /** What crosses the pipe as JSON. */
  readonly rest: readonly unknown[];
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Files among the parameters. */
  readonly files?: Promise<JsonObject>;
}

/** Splits the arguments into JSON and what cannot be JSON: a signal in the last of them, and files. */
function split(args: readonly unknown[]): Arguments {
  const last = args.at(-1);
  if (!isRecord(last)) return { rest: args };
  const { signal, idempotencyKey, ...options } = last;
  checkSignal(signal);
  if (idempotencyKey !== undefined) throw keyOfItsOwn();
  const parts = args.with(-1, options).map((arg) => isRecord(arg) ? filesIn(arg) : { files: undefined, others: arg });
  const files = parts.find(({ files }) => files !== undefined)?.files;
  return { rest: parts.map(({ others }) => others), files, ...(signal !== undefined && { signal }) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value instanceof Object && !Array.isArray(value);
}

function keyOfItsOwn(): SvcError {
  return new SvcError("INVALID_ARGS", "A call of a workflow takes no idempotencyKey.", {
    hint: "Leave it out: each change has a key already, by its run, input and step.",
  });
}

function brokenAnswer(): SvcError {
  return new SvcError("INTERNAL_ERROR", "The message of the parent cannot be read.");
}
