/**
 * Runs in the sandbox: loads the script, tells the parent what it asks for, waits for the input, runs it, and sends the
 * result. The process has no permission; everything that the script gets done is a message to the parent.
 */
import { call } from "./calls.ts";
import { flush, receiveFirst, send } from "./channel.ts";
import { clientOf } from "./client.ts";
import { installClock, setClock } from "./clock.ts";
import { fail } from "./fail.ts";
import { orderLocalWork } from "./local_work.ts";
import { beginLog, lockDown, log } from "./lockdown.ts";
import { FromSandbox, PROTOCOL, ToSandbox } from "../protocol/messages.ts";
import { installRandomness, recallRandomness } from "./randomness.ts";
import { idle } from "./steps.ts";
import { installTimers } from "./timers.ts";
import { sleep, waitFor } from "./waiting.ts";
import type { Workflow } from "../../mod.ts";
import { getErrorMessage, SvcError } from "../../../lib/errors.ts";
import { type JsonValue, parseJsonObject } from "../../../utils/json.ts";
import { expectKept } from "../../../lib/client/request/json_text.ts";

/** What the script imports: from the very module that reads its errors, so that there is one `SvcError`. */
export * from "../../mod.ts";

/** What a workflow must have and all that it may have, whether a member is that, and what somebody is told where it is not. */
const MEMBERS: readonly [name: string, isRight: (member: unknown) => boolean, advice: string][] = [
  ["name", (name) => typeof name === "string", "give it a text that people know it by"],
  [
    "allow",
    (allow) => Array.isArray(allow) && allow.every((one) => typeof one === "string"),
    "list the operations that it calls, or []",
  ],
  ["run", (run) => typeof run === "function", "give it the function that does the work"],
];

const exit: typeof Deno.exit = Deno.exit;

async function main(): Promise<void> {
  const workflow: unknown = (await import("./script.ts")).default;
  checkScript(workflow);
  send({
    kind: FromSandbox.ready,
    id: 0,
    text: JSON.stringify({ protocol: PROTOCOL, name: workflow.name, allow: workflow.allow }),
  });
  const result = await run(workflow, await start());
  send({ kind: FromSandbox.result, id: 0, text: result });
  flush();
  exit(0);
}

async function start(): Promise<JsonValue | undefined> {
  const frame = await receiveFirst();
  const message = frame?.kind === ToSandbox.start ? parseJsonObject(frame.text) : undefined;
  if (message === undefined) throw new SvcError("INTERNAL_ERROR", "The parent did not say what to run.");
  const { input, startedAt, randomness } = message;
  setClock(Number(startedAt));
  if (Array.isArray(randomness)) recallRandomness(randomness.map((block) => Uint8Array.fromBase64(String(block))));
  beginLog();
  return input;
}

async function run(workflow: Workflow<JsonValue | undefined>, input: JsonValue | undefined): Promise<string> {
  const result = await workflow.run({ svc: clientOf(call), input, log, sleep, waitFor });
  await idle();
  try {
    expectKept(result);
    return JSON.stringify(result) ?? "";
  } catch (cause) {
    const [reason] = getErrorMessage(cause).split("\n");
    throw new SvcError("WORKFLOW_FAILED", `The workflow's result is not JSON: ${reason}`, { cause });
  }
}

function checkScript(script: unknown): asserts script is Workflow<JsonValue | undefined> {
  const fault = faultOf(script);
  if (fault === undefined) return;
  throw new SvcError("WORKFLOW_FAILED", fault, {
    hint: "Write: export default defineWorkflow({ name, allow: [...], run });",
  });
}

/** What keeps a script's default export from being a workflow. */
function faultOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "The script's default export is not a workflow.";
  for (const [name, isRight, advice] of MEMBERS) {
    const member: unknown = Reflect.get(value, name);
    if (member === undefined) return `The workflow has no "${name}": ${advice}.`;
    if (!isRight(member)) return `The workflow's "${name}" is wrong: ${advice}.`;
  }
  const known = MEMBERS.map(([name]) => name);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  return unknown === undefined ? undefined : `A workflow has no "${unknown}": leave it out.`;
}

orderLocalWork();
installRandomness();
installClock();
installTimers();
lockDown();
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  fail(event.reason);
});
globalThis.addEventListener("error", (event) => {
  event.preventDefault();
  fail(event.error);
});
globalThis.addEventListener("beforeunload", () => {
  fail(
    new SvcError("WORKFLOW_FAILED", "The script waits for something that can no longer happen.", {
      hint: "It awaits a promise that nothing settles.",
    }),
  );
});
main().catch(fail);
