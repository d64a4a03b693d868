/** Runs whose inputs are recorded for workers: what their commands report, and how they end. */
import assert from "node:assert/strict";
import type { CallerOptions } from "../../../lib/client/caller.ts";
import { openPostgresJournal } from "../../../workflows/journal/postgres/postgres_journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { openRuns } from "../../../workflows/runs/mod.ts";
import { readStatus } from "../../../workflows/workers/read_status.ts";
import { type SubmitOptions, submitRun } from "../../../workflows/workers/submit_run.ts";
import { WorkQueue } from "../../../workflows/workers/work_queue.ts";
import { runWorker } from "../../../workflows/workers/worker.ts";
import { findSandboxes } from "../../../tasks/support/processes.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually, within } from "../../harness/wait.ts";
import { newRun, scriptText, TinyApi, writeInput } from "../../harness/workflow.ts";

/** A script, a journal, and a run for workers. */
async function openSubmission(allow: readonly string[] = [], body = "return input;", name = "script.ts") {
  const folder = await makeFolder({ [name]: scriptText(body, allow) });
  const schema = useTestSchema();
  const submitted = { script: `${folder.path}/${name}`, id: "r1", workers: schema.location, allow };
  return {
    location: schema.location,
    service: { configDirectory: folder.path },
    submit: (
      options: Pick<SubmitOptions, "input" | "inputs" | "signal" | "maxOutageSeconds" | "onEnd">,
      service: CallerOptions = {},
    ) => submitRun({ ...submitted, ...options }, { configDirectory: folder.path, ...service }),
    async [Symbol.asyncDispose]() {
      await schema[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a command that is interrupted reports whether workers have all inputs, and what to do", async () => {
  await using submission = await openSubmission();
  const first = new AbortController();
  const next = Promise.withResolvers<number>();
  async function* readSlowly() {
    yield 1;
    first.abort();
    yield await next.promise;
  }
  {
    const run = await submission.submit({ inputs: readSlowly(), signal: first.signal });
    await assert.rejects(run.finish(), {
      code: "INTERRUPTED",
      message: "Not all inputs of run r1 are recorded. Workers continue the others.",
      hint: "Repeat the command with --run-id r1 to record the rest.",
    });
    await within("the run is closed although no input comes", run[Symbol.asyncDispose](), { seconds: 10 });
    next.resolve(2);
  }
  const second = new AbortController();
  await using run = await submission.submit({ inputs: [1, 2], signal: second.signal });
  await run.recorded;
  second.abort();
  await assert.rejects(run.finish(), ({ message, hint }) => {
    assert.equal(message, "Workers continue run r1.");
    assert.match(hint, /svc workflow watch r1 .*svc workflow cancel r1 /);
    return true;
  });
});

Deno.test("a run for workers is listed as running, even before a worker starts", async () => {
  await using submission = await openSubmission();
  await using run = await submission.submit({ inputs: [1] });
  await run.recorded;
  await using runs = openRuns({ journal: submission.location });
  assert.deepEqual((await runs.list()).map(({ id, state }) => [id, state]), [["r1", "running"]]);
});

Deno.test("a run ends although the worker of its last input was killed before it could end the run", async () => {
  await using submission = await openSubmission();
  const { location, service } = submission;
  await using run = await submission.submit({ inputs: [1] });
  await run.recorded;
  await using journal = await openPostgresJournal(location);
  await writeInput(journal, "r1", 1, (input) => {
    input.begin({ place: "inputs:1", value: 1, startedAt: 1, generation: 0 });
    input.end({ state: "done" });
  });
  assert.equal(await journal.readState("r1"), "open");
  const { signal } = new AbortController();
  await runWorker({ store: location, concurrency: 1, allow: [], service, untilIdle: true, signal, log: () => {} });
  assert.equal(await journal.readState("r1"), "done");
});

Deno.test("the status counts an input that has waited once: as running, or as stopped", async () => {
  await using submission = await openSubmission();
  await using run = await submission.submit({ inputs: [1, 2] });
  await run.recorded;
  await using shared = await openPostgresJournal(submission.location);
  await using own = await openJournal(`${submission.service.configDirectory}/own.db`);
  await own.createRun(newRun("r1"));
  await using _claim = await own.claimRun("r1");
  for (const journal of [own, shared]) {
    await using first = await journal.claimInput("r1", 1);
    first?.begin({ place: "inputs:1", value: 1, startedAt: 1, generation: 0 });
    first?.wait(1);
    await writeInput(journal, "r1", 2, (input) => {
      input.begin({ place: "inputs:2", value: 2, startedAt: 1, generation: 0 });
      input.wait(1);
      input.stop({ code: "OUTCOME_UNKNOWN", message: "Unknown." });
    });
    await journal.durable();
    const found = await journal.findRun("r1");
    assert.ok(found);
    const { state, running, stopped, waiting } = await readStatus(journal, found);
    assert.deepEqual([state, running, stopped, waiting], ["running", 1, 1, 0]);
  }
});

Deno.test("the note of a worker about a run is deleted when the run has ended", async () => {
  await using submission = await openSubmission(["cases.get"]);
  const { location, service } = submission;
  await using run = await submission.submit({ inputs: [1] });
  await run.recorded;
  await using journal = await openPostgresJournal(location);
  const readNote = async () => (await new WorkQueue(journal).listWorkers())[0]?.note;
  const stop = new AbortController();
  const log: string[] = [];
  const options = { store: location, concurrency: 1, allow: [], service, signal: stop.signal };
  const working = runWorker({ ...options, log: (line) => log.push(line) });
  await eventually("the note is listed", readNote);
  await journal.setState("r1", "cancelled");
  await eventually("the note is deleted", async () => await readNote() === undefined);
  stop.abort();
  await working;
  assert.deepEqual(log.slice(1), ["Run r1: This worker does not grant cases.get."]);
});

Deno.test("the error of a run with one input is that of its input", async () => {
  await using submission = await openSubmission([], `throw new Error("The permit has no address.");`);
  const { location: store, service } = submission;
  const ends: unknown[] = [];
  await using run = await submission.submit({ input: 1, onEnd: (counts) => ends.push(counts) });
  await run.recorded;
  const { signal } = new AbortController();
  await runWorker({ store, concurrency: 1, allow: [], service, untilIdle: true, signal, log: () => {} });
  const { error } = await run.finish();
  assert.match(String(error?.message), /The permit has no address\./);
  assert.match(String(error?.hint), /svc workflow retry r1 /);
  assert.deepEqual(ends, []);
});

Deno.test("a worker runs many inputs of a run in one process", async () => {
  const name = "many_inputs.ts"; // Other tests of this process start sandboxes at the same time.
  await using submission = await openSubmission([], `log("runs"); await sleep(50); return input;`, name);
  const { location, service } = submission;
  await using run = await submission.submit({ inputs: Array.from({ length: 20 }, (_, index) => index) });
  await run.recorded;
  const { signal } = new AbortController();
  const listing: Promise<number[]>[] = [];
  const log = (line: string) => void (line.endsWith("runs") && listing.push(findSandboxes(Deno.pid, name)));
  await runWorker({ store: location, concurrency: 1, allow: [], service, untilIdle: true, signal, log });
  const processes = new Set((await Promise.all(listing)).flat());
  assert.equal(listing.length, 20);
  assert.ok(processes.size > 0 && processes.size < 10, `${processes.size} processes ran 20 inputs`);
});

Deno.test("workers wait for an unavailable service as long as the run says", async () => {
  await using submission = await openSubmission(["cases.get"], `return await svc.cases.get("C-1");`);
  await using api = new TinyApi(() => new Response(null, { status: 502 }));
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  await using run = await submission.submit({ inputs: [1], maxOutageSeconds: 0 }, service);
  await run.recorded;
  const { signal } = new AbortController();
  const { location: store, service: { configDirectory } } = submission;
  const options = { store, concurrency: 1, allow: ["*"], service: { ...service, configDirectory }, signal };
  await runWorker({ ...options, untilIdle: true, log: () => {} });
  const { failed, error } = await run.finish();
  assert.equal(failed, 1);
  assert.match(String(error?.message), /SERVER_ERROR/);
});
