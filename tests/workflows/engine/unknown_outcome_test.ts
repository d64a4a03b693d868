/** Changes with a lost response, on a service without idempotency keys: they are settled, or the user decides. */
import assert from "node:assert/strict";
import { saveProfile } from "../../../lib/auth/profiles.ts";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { retrying } from "../../../lib/client/retry.ts";
import { createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { type InputOutcome, Runner } from "../../../workflows/runs/runner.ts";
import type { OnUnknown } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { type ProxyFault, startFaultProxy } from "../../harness/fault_proxy.ts";
import { makeFolder, runCommand } from "../../harness/svc.ts";
import {
  createCaseBody,
  newRun,
  openScript,
  RUN_SCRIPT,
  scriptText,
  TinyApi,
  workflowCommand,
} from "../../harness/workflow.ts";

const TYPE = `type: "City-Permit-Work-Permit"`;

const CREATE = `try { return (await svc.cases.create({ ${TYPE} })).status; } catch (error) { return error.code; }`;

/** After `perform` the assignment does not exist any longer. After `save` it has another entity tag. */
const takeAssignment = (operation: string) =>
  `const next = await svc.assignments.getNext();
  const data = { Applicant: "Ada", Address: "Main St 1" };
  return await svc.assignments.${operation}(next.id, { action: "Register", data }, { ifMatch: next.etag });`;

interface Result {
  readonly outcome: InputOutcome;
  readonly cases: number;
  readonly status?: string;
}

/** Runs a script through a proxy that loses the response of its first change. */
async function runWithLoss(body: string, change: RegExp, onUnknown: OnUnknown = "stop"): Promise<Result> {
  await using service = await startService();
  const credentials = await service.addClient("clerk@city");
  const direct = createClient({ baseUrl: service.url, ...credentials, noCache: true });
  const made = await direct.cases.create({ type: "City-Permit-Work-Permit" });
  let lost = false;
  await using proxy = await startFaultProxy({
    target: new URL(service.url),
    seed: 1,
    faults: { pass: 1 },
    choose: (head: string): ProxyFault => {
      if (lost || !change.test(head)) return "pass";
      lost = true;
      return "cut-after";
    },
  });
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  await using workflow = await openScript({ script: `${folder.path}/script.ts`, allowDeclared: true });
  const profile = { baseUrl: proxy.url, ...credentials, idempotencyKeys: false };
  await saveProfile("default", profile, folder.path);
  const caller = retrying(createCaller({ configDirectory: folder.path, profile: "default" }));
  const runner = new Runner({ workflow, live: new GrantedCalls(caller, workflow, onUnknown) });
  const outcome = await runner.run({ number: 1, place: "input" });
  assert(lost, "no response was lost");
  return {
    outcome,
    cases: (await direct.data.count("D_Permits")).resultCount,
    status: (await direct.cases.get(made.id)).status,
  };
}

const CREATING = /^POST .*\/cases /;
const PERFORMING = /^PATCH .*\/actions\//;

function codeOf({ outcome }: Result): unknown {
  return "failure" in outcome ? outcome.failure.code : outcome.result;
}

for (const [operation, status] of [["save", "New"], ["perform", "Pending-Review"]] as const) {
  Deno.test(`${operation} is sent again with its old entity tag, which shows that it was applied`, async () => {
    const result = await runWithLoss(takeAssignment(operation), PERFORMING);
    assert.deepEqual(codeOf(result), { settled: "arrived" });
    assert.equal(result.status, status);
  });
}

Deno.test("an unknown outcome stops the input, even if the script catches errors", async () => {
  const { outcome, cases } = await runWithLoss(CREATE, CREATING);
  assert("failure" in outcome);
  assert.equal(outcome.failure.code, "OUTCOME_UNKNOWN");
  assert.match(outcome.failure.message, /^cases\.create was sent and its response was lost/);
  assert.match(outcome.failure.hint ?? "", /--on-unknown skip.*--on-unknown repeat/);
  assert.equal(cases, 2);
});

Deno.test("--on-unknown skip throws the error in the script and sends nothing", async () => {
  const result = await runWithLoss(CREATE, CREATING, "skip");
  assert.deepEqual([codeOf(result), result.cases], ["OUTCOME_UNKNOWN", 2]);
});

Deno.test("--on-unknown repeat sends the change again", async () => {
  const result = await runWithLoss(CREATE, CREATING, "repeat");
  assert.deepEqual([codeOf(result), result.cases], ["New", 3]);
});

Deno.test("an interruption does not wait for the next attempt at a change, which resume makes", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`return await svc.assignments.perform("A", { action: "b" });`),
  });
  const script = `${folder.path}/script.ts`;
  let changes = 0;
  await using api = new TinyApi((call) => {
    if (call.startsWith("GET")) return Response.json({ id: "A" }, { headers: { etag: "v1" } });
    return new Response("", { status: ++changes === 1 ? 502 : 412 });
  });
  await using journal = await openJournal(`${folder.path}/journal.db`);
  await journal.createRun(newRun("r1", script));
  const credentials = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  const caller = createCaller({ ...credentials, idempotencyKeys: false });
  const attempt = async (interrupts: boolean) => {
    await using workflow = await openScript({ script, allowDeclared: true });
    const interrupting: Caller = {
      ...caller,
      async prepare(...args) {
        const prepared = await caller.prepare(...args);
        const sendAndInterrupt = () =>
          prepared.send().catch((error) => {
            if (interrupts) setTimeout(() => void runner.interrupt()); // After the lost response was handled.
            throw error;
          });
        return { ...prepared, send: sendAndInterrupt };
      },
    };
    const runner = new Runner({ workflow, live: new GrantedCalls(interrupting, workflow), journal, id: "r1" });
    return await runner.run({ number: 1, place: "input" });
  };
  const interrupted = await attempt(true);
  assert.deepEqual(["failure" in interrupted && interrupted.failure.code, interrupted.isOpen, changes], [
    "INTERRUPTED",
    true,
    1,
  ]);
  assert.deepEqual([await attempt(false), changes], [{ result: { settled: "arrived" } }, 2]);
});

Deno.test("the hint of a skipped change says how to continue after the call", async () => {
  const [create, next] = [
    `await svc.cases.create({ type: "T" });`,
    `return (await svc.cases.create({ type: "U" })).id;`,
  ];
  await using folder = await makeFolder({ "script.ts": scriptText(create + next) });
  let received = 0;
  await using api = new TinyApi(() => {
    return ++received === 1
      ? new Response("", { status: 500 })
      : Response.json(createCaseBody(`C-${received}`), { status: 201 });
  });
  const profile = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", idempotencyKeys: false };
  await saveProfile("default", profile, folder.path);
  const svc = (...args: string[]) => runCommand(workflowCommand(args, { directory: folder.path, cwd: folder.path }));
  const getHint = async (...args: string[]) => JSON.parse((await svc(...args)).stderr.trimEnd()).error.hint;
  assert.match(
    await getHint(...RUN_SCRIPT),
    /If it was, add --on-unknown skip: .* Run 'svc workflow resume r1' to continue\.$/,
  );
  const hint = await getHint("resume", "r1", "--on-unknown", "skip");
  const pattern =
    /^The change was not sent again .* catches OUTCOME_UNKNOWN .* retry with (--.*)\. Run 'svc workflow (.*)' to run the failed inputs again\.$/;
  const [, flags = "", retry = ""] = pattern.exec(hint) ?? [];
  await Deno.writeTextFile(
    `${folder.path}/script.ts`,
    scriptText(`try { ${create} } catch (error) { if (error.code !== "OUTCOME_UNKNOWN") throw error; } ${next}`),
  );
  const { stdout, stderr } = await svc(...`${retry} ${flags}`.split(" "), "--format", "compact");
  assert.deepEqual([stdout, received], [`"C-2"\n`, 2], `${hint} ${stderr}`);
});

Deno.test("a batch distinguishes stopped inputs from failed ones", async () => {
  const script = scriptText(
    `if (input === 3) throw new Error("oops"); return (await svc.cases.create({ type: "T" })).id;`,
  );
  await using folder = await makeFolder({ "script.ts": script, "in.ndjson": "1\n2\n3\n" });
  let received = 0;
  await using api = new TinyApi(() => {
    return ++received === 2
      ? new Response("", { status: 500 })
      : Response.json(createCaseBody(`C-${received}`), { status: 201 });
  });
  const { baseUrl } = api;
  const profile = { baseUrl, clientId: "id", clientSecret: "secret", idempotencyKeys: false };
  await saveProfile("default", profile, folder.path);
  const svc = (...args: string[]) => runCommand(workflowCommand(args, { directory: folder.path, cwd: folder.path }));
  const { stderr, code } = await svc(...RUN_SCRIPT, "--each", "in.ndjson", "--concurrency", "1");
  const [summary = "", record = ""] = stderr.split("\n");
  assert.deepEqual([summary, code], ["3 inputs: 1 succeeded, 1 failed, 1 stopped.", 1]);
  const { error } = JSON.parse(record);
  const inputs = "in.ndjson:2 (OUTCOME_UNKNOWN), in.ndjson:3 (WORKFLOW_FAILED)";
  assert.equal(error.message, `2 of 3 inputs failed or stopped: ${inputs}.`);
  assert.match(
    error.hint,
    /\. Run 'svc workflow resume r1' to continue, or 'svc workflow retry r1' to run the failed inputs again\.$/,
  );
  const show = async () => (await svc("show", "r1", "--failed")).stdout;
  assert.match(await show(), /^in\.ndjson:2 open: OUTCOME_UNKNOWN cases\.create was sent[^]*^in\.ndjson:3 failed/m);
  await svc("report", "r1", "-o", "report.html");
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(`${folder.path}/report.html`)).mode! & 0o777, 0o600);
  assert.match(await Deno.readTextFile(`${folder.path}/report.html`), /OUTCOME_UNKNOWN cases\.create was sent/);
  await svc("resume", "r1", "--on-unknown", "repeat");
  assert.doesNotMatch(await show(), /OUTCOME_UNKNOWN/);
  assert.equal(received, 3);
});
