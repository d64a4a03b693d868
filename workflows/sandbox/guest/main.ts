/**
 * The main module of a guest. Loads the script, sends its declaration, receives the input, runs the script, and sends the
 * result. Then it does the same with the next instance of the script, unless the script has left something behind. The
 * process has no permissions: every effect of the script is a message to the host.
 */
import { SvcError } from "../../../lib/errors.ts";
import { type JsonValue, parseJsonObject } from "../../../utils/json.ts";
import type { Workflow } from "../../mod.ts";
import { CONTINUES, GuestMessage, HostMessage, PROTOCOL } from "../protocol/messages.ts";
import type { Frame } from "../protocol/frames.ts";
import { exitWith, fail, receiveFirst, send } from "./channel.ts";
import { createGuestClient } from "./client.ts";
import { installClock, setClock } from "./clock.ts";
import { createContinuation } from "./continue_as_new.ts";
import { watchGlobals } from "./globals.ts";
import { toJsonText } from "./json_text.ts";
import { orderLocalWork } from "./local_work.ts";
import { lockDown, log, startLog } from "./lockdown.ts";
import { runInputs } from "./many_inputs.ts";
import { patched, restorePatches } from "./patches.ts";
import { canRunMany, replaceInput } from "./per_input.ts";
import { installRandomness, restoreRandomness } from "./randomness.ts";
import { allCallsEnded, hasEndedSteps } from "./steps.ts";
import { installTimers } from "./timers.ts";
import { receive, sleep, waitFor } from "./wait_for.ts";

/** The module that scripts import. It is this one so that guest and script share one class `SvcError`. */
export * from "../../mod.ts";

const { memoryUsage } = Deno;

/** The required members of a workflow, with their checks and advice. */
const MEMBERS: readonly [name: string, isValid: (member: unknown) => boolean, advice: string][] = [
  ["name", (name) => typeof name === "string", "set it to a text"],
  [
    "allow",
    (allow) => Array.isArray(allow) && allow.every((operation) => typeof operation === "string"),
    "list the operations that it calls, or use []",
  ],
  ["run", (run) => typeof run === "function", "set it to the function that does the work"],
];

async function main(): Promise<void> {
  const { default: instances } = await import("./instances.ts");
  const isUnchanged = instances.length === 1 ? () => false : watchGlobals([log, sleep, waitFor, receive, patched]);
  for (const [index, load] of instances.entries()) {
    const { default: workflow } = await load();
    checkWorkflow(workflow);
    const { name, allow, stateless = false } = workflow;
    const declaration = { protocol: PROTOCOL, name, allow, stateless: stateless && canRunMany() };
    send({ kind: GuestMessage.ready, id: 0, text: JSON.stringify(declaration) });
    const frame = await receiveFirst(HostMessage.start);
    if (frame.input > 0) {
      return await runInputs(frame, async (frame) => send(await run(workflow, readStart(frame).input)));
    }
    const { input, maxKeptBytes } = readStart(frame);
    const end = await run(workflow, input);
    const isLast = index === instances.length - 1 || end.kind !== GuestMessage.result;
    if (isLast || !isUnchanged() || countKeptBytes() > maxKeptBytes || !hasEndedSteps()) exitWith(end);
    send({ ...end, id: CONTINUES });
    replaceInput();
  }
}

function countKeptBytes(): number {
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

/** Reads the start of a run, and sets the clock, the random numbers and the patches of the input. */
function readStart(frame: Frame): { input: JsonValue | undefined; maxKeptBytes: number } {
  const message = parseJsonObject(frame.text);
  if (message === undefined) throw new SvcError("INTERNAL_ERROR", "The host sent no input.");
  const { input, startedAt, randomness, patches, recordedSteps = 0, maxKeptBytes } = message;
  setClock(Number(startedAt));
  if (Array.isArray(randomness)) restoreRandomness(randomness.map((block) => Uint8Array.fromBase64(String(block))));
  restorePatches(Array.isArray(patches) ? patches.map(String) : [], Number(recordedSteps));
  startLog();
  return { input, maxKeptBytes: Number(maxKeptBytes) };
}

/** Runs the script and returns the message with its end. */
async function run(
  workflow: Workflow<JsonValue | undefined>,
  input: JsonValue | undefined,
): Promise<Omit<Frame, "input">> {
  const { continueAsNew, requested } = createContinuation();
  const context = { svc: createGuestClient(), input, log, sleep, waitFor, receive, patched, continueAsNew };
  const running = Promise.resolve(workflow.run(context));
  const end = await Promise.race([
    requested.then((next) => ({ next })),
    running.then((result) => ({ result })),
  ]);
  await allCallsEnded();
  if ("next" in end) return { kind: GuestMessage.continued, id: 0, text: end.next };
  return { kind: GuestMessage.result, id: 0, text: toJsonText(end.result, "The workflow's result") };
}

function checkWorkflow(value: unknown): asserts value is Workflow<JsonValue | undefined> {
  const issue = findIssue(value);
  if (issue === undefined) return;
  throw new SvcError("WORKFLOW_FAILED", issue, {
    hint: "Write: export default defineWorkflow({ name, allow: [...], run });",
  });
}

/** Returns the first reason why the default export of a script is not a workflow. */
function findIssue(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "The script's default export is not a workflow.";
  for (const [name, isValid, advice] of MEMBERS) {
    const member: unknown = Reflect.get(value, name);
    if (member === undefined) return `The workflow has no "${name}": ${advice}.`;
    if (!isValid(member)) return `The workflow's "${name}" is invalid: ${advice}.`;
  }
  const stateless: unknown = Reflect.get(value, "stateless");
  if (stateless !== undefined && typeof stateless !== "boolean") {
    return `The workflow's "stateless" is invalid: set it to true or false.`;
  }
  const known = [...MEMBERS.map(([name]) => name), "stateless"];
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
    new SvcError("WORKFLOW_FAILED", "The script waits for something that can never happen.", {
      hint: "It awaits a promise that never settles.",
    }),
  );
});
main().catch(fail);
