/** `--concurrency`, `--rate`, `--call-rate` and `--max-failures` over several workers, and `retry` and `resume` of their runs. */
import assert from "node:assert/strict";
import { openPostgresJournal } from "../../../workflows/journal/postgres/postgres_journal.ts";
import { openRuns } from "../../../workflows/runs/mod.ts";
import { submitRun } from "../../../workflows/workers/submit_run.ts";
import { WorkQueue } from "../../../workflows/workers/work_queue.ts";
import { runWorker } from "../../../workflows/workers/worker.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";
import { createCaseBody, scriptText, TinyApi, writeInput } from "../../harness/workflow.ts";

const WORKERS = 2;

/** A journal with workers, given their `--call-rate`, and an API that fails calls for cases in `missing`. */
async function openWorkers(
  body: string,
  callRates: readonly (number | undefined)[] = new Array(WORKERS).fill(undefined),
) {
  const callTimes: number[] = [];
  const missing = new Set<string>();
  const folder = await makeFolder({ "script.ts": scriptText(body, ["cases.get"]) });
  const schema = useTestSchema();
  const api = new TinyApi((call) => {
    const id = call.split("/").at(-1) ?? "";
    callTimes.push(performance.now());
    return missing.has(id)
      ? Response.json({ errorDetails: [{ message: "It is missing." }] }, { status: 404 })
      : Response.json(createCaseBody(id), { headers: { etag: "tag-1" } });
  });
  const service = { configDirectory: folder.path, baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret" };
  const stop = new AbortController();
  const workers = callRates.map((callRate) =>
    runWorker({
      ...{ store: schema.location, concurrency: 8, allow: ["cases.get"], service, callRate },
      ...{ signal: stop.signal, log: () => {} },
    })
  );
  return {
    api,
    callTimes,
    missing,
    location: schema.location,
    runs: () => openRuns({ ...service, journal: schema.location }),
    submit: (options: Omit<Parameters<typeof submitRun>[0], "script" | "workers">) =>
      submitRun(
        { script: `${folder.path}/script.ts`, id: "r1", workers: schema.location, allow: ["cases.get"], ...options },
        service,
      ),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(workers);
      await api[Symbol.asyncDispose]();
      await schema[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `C-${index + 1}`);
}

const GET = "await svc.cases.get(input); return input;";

Deno.test("--concurrency and --rate hold for all workers together", async () => {
  await using workers = await openWorkers(`${GET.replace("return", "await sleep(100); return")}`);
  const [concurrency, rate] = [3, 20];
  await using run = await workers.submit({ inputs: numbers(20), concurrency, rate });
  assert.equal((await run.finish()).succeeded, 20);
  await using journal = await openPostgresJournal(workers.location);
  const times: { start: number; end: number }[] = [];
  for await (const { startedAt, endedAt } of journal.inputs("r1")) times.push({ start: startedAt, end: endedAt ?? 0 });
  const atOnce = times.map(({ start }) => times.filter((one) => one.start <= start && start < one.end).length);
  assert.ok(Math.max(...atOnce) <= concurrency, `${Math.max(...atOnce)} inputs at once`);
  assert.ok(workers.api.mostAtOnce <= concurrency);
  const starts = times.map(({ start }) => start).toSorted((one, other) => one - other);
  const seconds = ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / 1000;
  // The first second may start those of its burst in addition, and an input starts up to 100 ms after it was taken.
  assert.ok(starts.length <= (seconds + 0.1) * rate + rate / 4 + 1, `${starts.length} inputs in ${seconds} s`);
});

/** Asserts that no period contains more calls than a rate permits, apart from some that started late. */
function assertRate(times: readonly number[], perSecond: number): void {
  for (const [first, start] of times.entries()) {
    for (let index = first; index < times.length; index++) {
      const milliseconds = (times[index] ?? 0) - start;
      // A slot can be used 100 ms after its time, and a busy machine may deliver a request late.
      const allowed = (milliseconds + 300) * perSecond / 1000 + 1;
      assert.ok(index - first + 1 <= allowed, `${index - first + 1} calls in ${milliseconds} ms`);
    }
  }
}

const CALLS = "for (let call = 0; call < 8; call++) await svc.cases.get(input); return input;";

Deno.test("--call-rate applies to all workers of a run together, also after a retry with another one", async () => {
  await using workers = await openWorkers(CALLS, [undefined, undefined, undefined, undefined]);
  workers.missing.add("C-8");
  {
    await using run = await workers.submit({ inputs: numbers(8), concurrency: 8, callRate: 40 });
    assert.equal((await run.finish()).succeeded, 7);
  }
  assert.equal(workers.callTimes.length, 7 * 8 + 1);
  assertRate(workers.callTimes, 40);
  await using runs = workers.runs();
  assert.equal((await runs.status("r1")).callRate, 40);
  workers.missing.clear();
  workers.callTimes.length = 0;
  await using retried = await runs.retry("r1", { callRate: 20 });
  assert.equal((await retried.finish()).succeeded, 8);
  assert.equal(workers.callTimes.length, 8);
  assertRate(workers.callTimes, 20);
  assert.equal((await runs.status("r1")).callRate, 20);
});

Deno.test("the lowest --call-rate of the workers of a service applies to all of them, over several runs", async () => {
  await using workers = await openWorkers(CALLS, [60, undefined, 30]);
  await using journal = await openPostgresJournal(workers.location);
  const queue = new WorkQueue(journal);
  // A worker learns the lowest rate when it reports that it is alive.
  await eventually("all workers know the lowest rate", async () => {
    const listed = await queue.listWorkers();
    const latest = listed.map(({ startedAt }) => startedAt).toSorted().at(-1) ?? "";
    return listed.length === 3 && listed.every(({ startedAt, seenAt }) => startedAt === latest || seenAt > latest);
  });
  await using one = await workers.submit({ inputs: numbers(4), concurrency: 4 });
  await using other = await workers.submit({ inputs: numbers(4), concurrency: 4, id: "r2" });
  const summaries = await Promise.all([one.finish(), other.finish()]);
  assert.deepEqual(summaries.map(({ succeeded }) => succeeded), [4, 4]);
  assert.equal(workers.callTimes.length, 64);
  assertRate(workers.callTimes, 30);
  const listed = await queue.listWorkers();
  assert.deepEqual(listed.map(({ callRate }) => callRate).toSorted(), [30, 60, undefined]);
});

Deno.test("--max-failures stops all workers, and retry gives the failed inputs back to them", async () => {
  await using workers = await openWorkers(GET);
  const [concurrency, maxFailures] = [2, 3];
  for (const id of numbers(40)) workers.missing.add(id);
  {
    await using run = await workers.submit({ inputs: numbers(40), concurrency, maxFailures });
    const { failed, succeeded, reachedMaxFailures, error } = await run.finish();
    assert.ok(failed >= maxFailures && failed < maxFailures + concurrency, `${failed} failed`);
    assert.deepEqual([succeeded, reachedMaxFailures], [0, "3"]);
    assert.match(
      error?.hint ?? "",
      /svc workflow resume r1 --journal .postgres.*svc workflow retry r1 --journal .postgres/s,
    );
  }
  await using runs = workers.runs();
  assert.equal((await runs.status("r1")).state, "paused");
  {
    await using resumed = await runs.resume("r1");
    const { failed } = await resumed.finish();
    assert.ok(failed >= 2 * maxFailures && failed < 2 * (maxFailures + concurrency), `${failed} failed`);
  }
  workers.missing.clear();
  await using retried = await runs.retry("r1");
  assert.ok(retried.reopened >= 2 * maxFailures);
  const summary = await retried.finish();
  assert.deepEqual([summary.inputs, summary.succeeded, summary.error], [40, 40, undefined]);
  assert.equal((await runs.status("r1")).state, "done");
});

Deno.test("a share of failures stops all workers exactly at the 20th input, even if earlier inputs have exceeded it", async () => {
  await using workers = await openWorkers(GET);
  for (const id of numbers(3)) workers.missing.add(id);
  await using run = await workers.submit({ inputs: numbers(40), concurrency: 1, maxFailures: "10%" });
  const { inputs, failed, reachedMaxFailures } = await run.finish();
  assert.deepEqual([inputs, failed, reachedMaxFailures], [20, 3, "10%"]);
});

Deno.test("stopped inputs count toward --max-failures as soon as they have stopped", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
  await using schema = useTestSchema();
  const options = { script: `${folder.path}/script.ts`, id: "r1", workers: schema.location, inputs: [1, 2, 3, 4] };
  await using run = await submitRun(options, { configDirectory: folder.path });
  await run.recorded;
  await using journal = await openPostgresJournal(schema.location);
  const queue = new WorkQueue(journal);
  const stop = (number: number) =>
    writeInput(journal, "r1", number, (input) => {
      input.begin({ place: `inputs:${number}`, value: number, startedAt: 1, generation: 0 });
      input.stop({ code: "OUTCOME_UNKNOWN", message: "Unknown." });
    });
  await stop(1);
  assert.equal((await queue.take("r1", 1, { failed: 2 })).length, 1);
  await stop(3);
  assert.equal((await queue.take("r1", 1, { failed: 2 })).length, 0);
  assert.equal((await queue.take("r1", 1, { failed: 2, done: 2 })).length, 0);
  assert.equal((await queue.take("r1", 1, { failed: 2, done: 3 })).length, 1);
});

Deno.test("retry of an ended run of workers repeats only its failed inputs, with corrected lines of the file", async () => {
  await using folder = await makeFolder({ "in.ndjson": `"C-1"\n"C-2"\nnot JSON\n` });
  await using workers = await openWorkers(GET);
  workers.missing.add("C-2");
  const each = `${folder.path}/in.ndjson`;
  {
    await using run = await workers.submit({ each });
    assert.equal((await run.finish()).failed, 2);
  }
  await using runs = workers.runs();
  workers.missing.clear();
  {
    await using retried = await runs.retry("r1");
    const { succeeded, failed } = await retried.finish();
    assert.deepEqual([retried.reopened, succeeded, failed], [1, 2, 1]);
  }
  await Deno.writeTextFile(each, `"C-1"\n"C-2"\n"C-3"\n`);
  await using retried = await runs.retry("r1");
  const results = await Array.fromAsync(retried.results);
  assert.deepEqual(results.map((one) => "result" in one && one.result), ["C-3"]);
  const count = (id: string) => workers.api.received.filter(({ call }) => call.endsWith(`/${id}`)).length;
  assert.deepEqual(["C-1", "C-2", "C-3"].map(count), [1, 2, 1]);
});
