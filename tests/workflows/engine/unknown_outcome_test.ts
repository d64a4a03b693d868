/** Changes whose answer is lost, on a service that keeps no keys: they are settled, or somebody decides. */
import assert from "node:assert/strict";
import { saveProfile } from "../../../lib/auth/config.ts";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { retrying } from "../../../lib/client/retry.ts";
import { createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { type InputOutcome, Runner } from "../../../workflows/runs/runner.ts";
import type { OnUnknown } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { type Fault, startFaultProxy } from "../../harness/fault_proxy.ts";
import { makeFolder, runCommand as endOf } from "../../harness/svc.ts";
import {
  createCaseBody as caseAnswer,
  newRun,
  openScript,
  RUN_SCRIPT as RUN,
  scriptText,
  TinyApi,
  workflowCommand,
} from "../../harness/workflow.ts";

const TYPE = `type: "City-Permit-Work-Permit"`;

const CREATE = `try { return (await svc.cases.create({ ${TYPE} })).status; } catch (error) { return error.code; }`;

/** Performing moves the case on, so that its assignment is gone; saving leaves it there with another entity tag. */
const taking = (operation: string) =>
  `const next = await svc.assignments.getNext();
  const data = { Applicant: "Ada", Address: "Main St 1" };
  return await svc.assignments.${operation}(next.id, { action: "Register", data }, { ifMatch: next.etag });`;

interface Result {
  readonly outcome: InputOutcome;
  readonly cases: number;
  readonly status?: string;
}

/** Runs a script through a proxy that loses the answer of its first change. */
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
    choose: (head: string): Fault => {
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
  assert(lost, "the answer of the change was lost");
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
  Deno.test(`${operation} under an entity tag is sent again with its old tag, and is found to have arrived`, async () => {
    const result = await runWithLoss(taking(operation), PERFORMING);
    assert.deepEqual(codeOf(result), { settled: "arrived" });
    assert.equal(result.status, status);
  });
}

Deno.test("what cannot be settled stops its input, whatever the script does about errors", async () => {
  const { outcome, cases } = await runWithLoss(CREATE, CREATING);
  assert("failure" in outcome);
  assert.equal(outcome.failure.code, "OUTCOME_UNKNOWN");
  assert.match(outcome.failure.message, /^cases\.create was sent and its response was lost/);
  assert.match(outcome.failure.hint ?? "", /--on-unknown skip.*--on-unknown repeat/);
  assert.equal(cases, 2);
});

Deno.test("--on-unknown skip gives the script the error, and sends nothing", async () => {
  const result = await runWithLoss(CREATE, CREATING, "skip");
  assert.deepEqual([codeOf(result), result.cases], ["OUTCOME_UNKNOWN", 2]);
});

Deno.test("--on-unknown repeat sends the change again", async () => {
  const result = await runWithLoss(CREATE, CREATING, "repeat");
  assert.deepEqual([codeOf(result), result.cases], ["New", 3]);
});

Deno.test("an interruption does not wait until a change is sent again, and the run goes on with it", async () => {
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
        const { ifMatch, send } = await caller.prepare(...args);
        const sendAndInterrupt = () =>
          send().catch((error) => {
            if (interrupts) setTimeout(() => void runner.interrupt()); // After the lost response was handled.
            throw error;
          });
        return { ifMatch, send: sendAndInterrupt };
      },
    };
    const runner = new Runner({ workflow, live: new GrantedCalls(interrupting, workflow), journal, id: "r1" });
    return await runner.run({ number: 1, place: "input" });
  };
  const cut = await attempt(true);
  assert.deepEqual(["failure" in cut && cut.failure.code, cut.isOpen, changes], ["INTERRUPTED", true, 1]);
  assert.deepEqual([await attempt(false), changes], [{ result: { settled: "arrived" } }, 2]);
});

Deno.test("a script that does not catch what it skips is told how it goes on after the call, and does", async () => {
  const [create, next] = [
    `await svc.cases.create({ type: "T" });`,
    `return (await svc.cases.create({ type: "U" })).id;`,
  ];
  await using folder = await makeFolder({ "script.ts": scriptText(create + next) });
  let asked = 0;
  await using api = new TinyApi(() => {
    return ++asked === 1 ? new Response("", { status: 500 }) : Response.json(caseAnswer(`C-${asked}`), { status: 201 });
  });
  const profile = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", idempotencyKeys: false };
  await saveProfile("default", profile, folder.path);
  const svc = (...args: string[]) => endOf(workflowCommand(args, { directory: folder.path, cwd: folder.path }));
  const hintOf = async (...args: string[]) => JSON.parse((await svc(...args)).stderr.trimEnd()).error.hint;
  assert.match(
    await hintOf(...RUN),
    /If it was, add --on-unknown skip: .* Run 'svc workflow resume r1' to continue\.$/,
  );
  const hint = await hintOf("resume", "r1", "--on-unknown", "skip");
  const way =
    /^It was skipped, .* catch OUTCOME_UNKNOWN .* add (--.*)\. Run 'svc workflow (.*)' to run the failed inputs again\.$/;
  const [, flags = "", retry = ""] = way.exec(hint) ?? [];
  await Deno.writeTextFile(
    `${folder.path}/script.ts`,
    scriptText(`try { ${create} } catch (error) { if (error.code !== "OUTCOME_UNKNOWN") throw error; } ${next}`),
  );
  const { stdout } = await svc(...`${retry} ${flags}`.split(" "), "--format", "compact");
  assert.deepEqual([stdout, asked], [`"C-2"\n`, 2]);
});

Deno.test("an input of a batch that stopped is told apart from one that failed, until somebody decides about it", async () => {
  const script = scriptText(
    `if (input === 3) throw new Error("oops"); return (await svc.cases.create({ type: "T" })).id;`,
  );
  await using folder = await makeFolder({ "script.ts": script, "in.ndjson": "1\n2\n3\n" });
  let asked = 0;
  await using api = new TinyApi(() => {
    return ++asked === 2 ? new Response("", { status: 500 }) : Response.json(caseAnswer(`C-${asked}`), { status: 201 });
  });
  const { baseUrl } = api;
  const profile = { baseUrl, clientId: "id", clientSecret: "secret", idempotencyKeys: false };
  await saveProfile("default", profile, folder.path);
  const svc = (...args: string[]) => endOf(workflowCommand(args, { directory: folder.path, cwd: folder.path }));
  const { stderr, code } = await svc(...RUN, "--each", "in.ndjson", "--concurrency", "1");
  const [summary = "", said = ""] = stderr.split("\n");
  assert.deepEqual([summary, code], ["3 inputs: 1 succeeded, 1 failed, 1 stopped.", 1]);
  const { error } = JSON.parse(said);
  const named = "in.ndjson:2 (OUTCOME_UNKNOWN), in.ndjson:3 (WORKFLOW_FAILED)";
  assert.equal(error.message, `2 of 3 inputs failed or stopped: ${named}.`);
  assert.match(
    error.hint,
    /\. Run 'svc workflow resume r1' to continue, or 'svc workflow retry r1' to run the failed inputs again \(add --force/,
  );
  const shown = async () => (await svc("show", "r1", "--failed")).stdout;
  assert.match(await shown(), /^in\.ndjson:2 open: OUTCOME_UNKNOWN cases\.create was sent[^]*^in\.ndjson:3 failed/m);
  await svc("report", "r1", "-o", "report.html");
  assert.match(await Deno.readTextFile(`${folder.path}/report.html`), /OUTCOME_UNKNOWN cases\.create was sent/);
  await svc("resume", "r1", "--on-unknown", "repeat");
  assert.doesNotMatch(await shown(), /OUTCOME_UNKNOWN/);
  assert.equal(asked, 3);
});
