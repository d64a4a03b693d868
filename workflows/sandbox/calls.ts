/** The script's calls: each becomes a message to the parent, and its answer a promise of the script. */
import { checkAnswer } from "../../lib/answers.ts";
import { bindOperations, type Client, type Invoke } from "../../lib/client/bind.ts";
import { bodyOf } from "../../lib/client/reply.ts";
import { SvcError } from "../../lib/errors.ts";
import { isJsonObject, type JsonObject } from "../../lib/json.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { receive, send } from "./channel.ts";
import { contentOf, filesIn } from "./files.ts";
import type { Frame } from "./frames.ts";
import {
  errorOfRecord,
  FromSandbox,
  MAX_OPEN_CALLS,
  MAX_OPEN_CHARACTERS,
  parseMessage,
  ToSandbox,
} from "./messages.ts";

interface Call {
  readonly text: string;
  readonly signal?: AbortSignal;
  readonly resolve: (answer: Frame) => void;
  readonly reject: (error: SvcError) => void;
}

const open = new Map<number, Call>();
const queue: Call[] = [];
let openCharacters = 0;
let lastId = 0;
let reading = false;
let becameIdle = () => {};

/** The functions of `svc`. */
export async function connectClient(): Promise<Client> {
  return bindOperations(await loadResources(), invoke);
}

/** Resolves when the calls that the script did not wait for are finished, and those that they led to. */
export async function idle(): Promise<void> {
  while (open.size > 0) {
    await new Promise<void>((resolve) => becameIdle = resolve);
    await new Promise((resolve) => setTimeout(resolve)); // The script goes on first.
  }
}

const invoke: Invoke = async ({ name, operation }, values, { signal, timeoutSeconds }) => {
  const piped = filesIn(operation, values);
  const files = piped && await piped; // A call without files is made at once: the order of calls is the script's.
  const text = JSON.stringify({
    operation: name,
    values: { ...values, ...withoutFiles(files) },
    files,
    timeoutSeconds,
  });
  const { kind, text: answer } = await new Promise<Frame>((resolve, reject) => {
    queue.push({ text, signal, resolve, reject });
    openCalls();
  });
  // Errors are made here, not where the message arrives, so that their stack leads to the line that made the call.
  if (kind !== ToSandbox.reply) throw errorOfRecord(parseMessage(answer) ?? {}) ?? brokenAnswer();
  const end = answer.indexOf("\n");
  const { etag, content: head } = parseMessage(answer.slice(0, end)) ?? {};
  const rest = answer.slice(end + 1);
  const content = isJsonObject(head) ? contentOf(head, rest) : undefined;
  const body = content ? undefined : bodyOf(operation.answer, rest, { operation: name });
  return checkAnswer(operation.answer, { body, content, ...(typeof etag === "string" && { etag }) });
};

function withoutFiles(files: JsonObject = {}): Record<string, undefined> {
  return Object.fromEntries(Object.keys(files).map((name) => [name, undefined]));
}

/** Opens as many of the waiting calls as the parent lets a sandbox have: more, and it would end this process. */
function openCalls(): void {
  for (let call = queue[0]; call !== undefined && hasRoom(call); call = queue[0]) {
    queue.shift();
    if (call.signal?.aborted) call.reject(cancelled());
    else openCall(++lastId, call);
  }
  if (open.size > 0 && !reading) void readAnswers();
}

function hasRoom({ text }: Call): boolean {
  return open.size === 0 || (open.size < MAX_OPEN_CALLS && openCharacters + text.length <= MAX_OPEN_CHARACTERS);
}

function openCall(id: number, call: Call): void {
  const { text, signal, reject, resolve } = call;
  open.set(id, call);
  openCharacters += text.length;
  send({ kind: FromSandbox.call, id, text });
  if (signal === undefined) return;
  const cancel = () => {
    send({ kind: FromSandbox.cancel, id, text: "" });
    reject(cancelled());
  };
  signal.addEventListener("abort", cancel, { once: true });
  open.set(id, {
    ...call,
    resolve: (answer) => {
      signal.removeEventListener("abort", cancel);
      resolve(answer);
    },
  });
}

/** Reads while calls are open, and no longer: a script that waits for nothing must be able to end. */
async function readAnswers(): Promise<void> {
  reading = true;
  while (open.size > 0) {
    for (const frame of await receive()) finish(frame);
  }
  reading = false;
  becameIdle();
}

function finish(frame: Frame): void {
  const call = open.get(frame.id);
  if (call === undefined) return;
  open.delete(frame.id);
  openCharacters -= call.text.length;
  call.resolve(frame);
  openCalls();
}

function cancelled(): SvcError {
  return new SvcError("INTERRUPTED", "The call was cancelled.", {
    hint: "Whether the service did it is not known: read the resource before you try again.",
  });
}

function brokenAnswer(): SvcError {
  return new SvcError("INTERNAL_ERROR", "The message of the parent cannot be read.");
}
