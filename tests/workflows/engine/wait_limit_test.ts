/** The total time for which an input waits, and its limit. */
import assert from "node:assert/strict";
import { measureWaits } from "../../../workflows/engine/wait_limit.ts";
import type { EventKind, EventRecord } from "../../../workflows/journal/journal.ts";
import {
  killAfterOutput,
  prepareScriptWorkspaces,
  RUN_SCRIPT,
  runText,
  scriptText,
  TinyApi,
} from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

const event = (kind: EventKind, position: number, at: number, content: unknown = {}): EventRecord => {
  return { kind, position, at, content: JSON.stringify(content) };
};
const sleep = (position: number, at: number, milliseconds: number) =>
  event("call", position, at, { operation: "sleep", values: { milliseconds } });
const read = (position: number, at: number) => event("call", position, at, { operation: "cases.get", values: {} });
const answer = (position: number, at: number) => event("answer", position, at);
const rewind = (at: number, positions: readonly number[]) => event("left", 0, at, { positions, logs: 0 });

for (
  const [what, events, now, waited] of [
    ["nothing without steps", [], 100, 0],
    ["sleeps one after the other", [sleep(1, 10, 5), answer(1, 15), sleep(2, 20, 7), answer(2, 27)], 100, 12],
    ["sleeps at the same time once", [sleep(1, 10, 20), sleep(2, 15, 5), answer(2, 20), answer(1, 30)], 100, 20],
    ["no sleep while a call is open", [sleep(1, 10, 50), read(2, 10), answer(2, 40), answer(1, 60)], 100, 20],
    ["an open sleep until now", [sleep(1, 10, 500)], 100, 90],
    ["a sleep until its end while the input does not run", [sleep(1, 10, 50)], 1000, 50],
    ["a sleep until its end if its result is late", [sleep(1, 10, 50), answer(1, 900)], 1000, 50],
    ["no sleep before a rewind", [sleep(1, 10, 30), answer(1, 40), rewind(50, [1]), sleep(1, 60, 5)], 100, 5],
    ["a sleep that a rewind keeps, from then on", [sleep(1, 10, 500), rewind(50, [])], 100, 50],
  ] as const
) {
  Deno.test(`the waiting time of an input includes ${what}`, () => assert.equal(measureWaits(events, now), waited));
}

const waits = async (body: string, maxWaitSeconds: number) => {
  const { error, result } = await runText(scriptText(body, []), { limits: { maxWaitSeconds } });
  return error === undefined ? result : [error.code, error.message, error.hint];
};

const REACHED = (seconds: number) => [
  "TIMEOUT",
  `The workflow was stopped: its total waiting time exceeds ${seconds} s.`,
  "Raise --max-wait if it needs to wait longer.",
];

Deno.test("sleeps and waits that exceed --max-wait together stop the input", async () => {
  assert.deepEqual(await waits("for (;;) await sleep(20).catch(() => {});", 0.2), REACHED(0.2));
  const poll = "await waitFor(async () => 1, () => false, { everySeconds: 0.02 });";
  assert.deepEqual(await waits(poll, 0.2), REACHED(0.2));
});

Deno.test("a sleep that is longer than --max-wait stops the input at once", async () => {
  assert.deepEqual(await waits("await sleep(600_000);", 599), REACHED(599));
});

Deno.test("an input that waits less than --max-wait succeeds", async () => {
  const body = `
    const abandoned = AbortSignal.timeout(900_000);
    await Promise.all([sleep(300), sleep(300)]);
    return abandoned.aborted;`;
  assert.equal(await waits(body, 600), false);
});

Deno.test("a sleep that loses a race against slow calls does not exceed the limit", async () => {
  await using api = new TinyApi(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return Response.json({ id: "C-1", type: "T", status: "Open", urgency: 10, data: { caseInfo: {} } });
  });
  const body = `return (await Promise.race([svc.cases.get("C-1"), sleep(1000).then(() => svc.cases.get("C-2"))])).id;`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller, limits: { maxWaitSeconds: 1 } });
  assert.equal(result, "C-1", error?.message);
});

Deno.test("workflow record has the flags that its errors suggest", async () => {
  await using workspace = await openScriptWorkspace("await sleep(2000);");
  const output = `${workspace.config}/recorded.json`;
  const limits = ["--max-wait", "1", "--max-journal", "1", "--max-outage", "0"];
  const { stderr } = await workspace.svc("record", "script.ts", "-o", output, "--allow-declared", ...limits);
  assert.match(stderr, /"TIMEOUT".*Raise --max-wait/);
});

Deno.test("the waiting time includes an interruption, and starts again with a retry", async () => {
  await using workspace = await openScriptWorkspace(
    `const asleep = sleep(60_000); await sleep(1000); log("first"); await asleep; log("second"); await sleep(60_000);`,
  );
  await killAfterOutput(workspace.start(...RUN_SCRIPT), "first"); // The journal is written after 100 ms.
  workspace.sql("UPDATE events SET at = at - 3600000");
  const resumed = await workspace.svc("resume", "r1", "--max-wait", "60");
  const { code, message, hint } = JSON.parse(resumed.stderr.trimEnd().split("\n").at(-1) ?? "").error;
  const [expectedCode, expectedMessage, expectedHint = ""] = REACHED(60);
  assert.deepEqual([code, message], [expectedCode, expectedMessage]);
  assert.ok(hint.startsWith(`${expectedHint} Run 'svc workflow retry r1'`), hint);
  await killAfterOutput(workspace.start("retry", "r1"), "second");
  assert.match((await workspace.svc("run", "script.ts", "--max-wait", "0")).stderr, /"INVALID_ARGS".*above 0, not 0/);
});
