/** Schedules that several workers run, with a journal in PostgreSQL. */
import assert from "node:assert/strict";
import { formatCommandLine } from "../../../lib/errors.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { LimitedCommand, makeFolder, svcInProcess } from "../../harness/svc.ts";
import { CREATE_CASE, openScriptWorkspace, scriptText, waitForOutput } from "../../harness/workflow.ts";
import { eventually, within } from "../../harness/wait.ts";
import { openRuns } from "../../../workflows/runs/mod.ts";
import { openShared } from "../../../workflows/runs/runs.ts";
import { PostgresScheduleStore } from "../../../workflows/schedules/postgres_schedule_store.ts";
import { openSchedules } from "../../../workflows/schedules/schedules.ts";
import { SharedSchedules } from "../../../workflows/schedules/shared_schedules.ts";
import { WorkQueue } from "../../../workflows/workers/work_queue.ts";
import { openClockwork } from "./_clockwork.ts";

Deno.test("each due time starts one run, although two workers look at the schedules at the same time", async () => {
  await using work = await openClockwork("PostgreSQL", "return 1;");
  const { clock, schedules, script, journal } = work;
  const names = ["a", "b", "c"];
  for (const name of names) {
    await schedules.add({ name, script, cron: "* * * * *", timeZone: "UTC", overlap: "allow" });
  }
  const log: string[] = [];
  await using first = await openShared(journal);
  await using second = await openShared(journal);
  const workers = [first, second].map((shared) =>
    new SharedSchedules(shared, { path: journal }, (line) => void log.push(line), () => Date.parse(clock.time))
  );
  const minutes = Array.from({ length: 12 }, (_, index) => String(index + 6).padStart(2, "0"));
  for (const minute of minutes) {
    clock.time = `2026-01-01T12:${minute}:00.500Z`;
    await Promise.all([...workers, ...workers].map((worker) => worker.startDueRuns()));
  }
  const expected = names.flatMap((name) => minutes.map((minute) => `${name}-20260101-12${minute}`)).toSorted();
  const runs = await first.listRuns();
  assert.deepEqual(runs.map(({ id }) => id).toSorted(), expected);
  assert.deepEqual(log.map((line) => /started run (\S+),/.exec(line)?.[1]).toSorted(), expected);
  assert.deepEqual((await new WorkQueue(first).readProgress("a-20260101-1206"))?.total, 1);
});

Deno.test("a worker that is killed while it records a run loses nothing, and another one records it once", async () => {
  await using schema = useTestSchema();
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []), "in.ndjson": "1\n2\n3\n" });
  await using schedules = openSchedules({ journal: schema.location, configDirectory: folder.path });
  const each = `${folder.path}/in.ndjson`;
  await schedules.add({ name: "s", script: `${folder.path}/script.ts`, cron: "0 0 1 1 *", each });
  const id = await schedules.runNow("s");
  const pool = await schema.open();
  const worker = () =>
    new LimitedCommand(Deno.execPath(), {
      args: ["run", "-A", "-q", new URL("_start_due_runs.ts", import.meta.url).href, schema.location],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
  await pool.use(async (connection) => {
    await connection.run("BEGIN");
    await connection.run("LOCK TABLE inputs IN SHARE MODE");
    const killed = worker();
    const [waiting] = await eventually("the worker has recorded the run and waits to record its inputs", async () => {
      const { rows } = await connection.run(
        "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'inputs'::regclass",
      );
      return rows.length > 0 && rows;
    });
    killed.kill("SIGKILL");
    await within("the worker ends", Promise.all([killed.status, killed.stdout.cancel()]));
    await connection.run("ROLLBACK");
    // Other workers skip the schedule as long as the transaction of the killed worker has locked it.
    await eventually("the connection of the killed worker has ended", async () => {
      const { rows } = await connection.run("SELECT FROM pg_stat_activity WHERE pid = $1", [Number(waiting?.pid)]);
      return rows.length === 0;
    });
  });
  await pool.close();
  const { success, stdout } = await worker().output();
  assert.ok(success);
  assert.match(new TextDecoder().decode(stdout), new RegExp(`^s: started run ${id}, due `));
  await using journal = await openShared(schema.location);
  assert.deepEqual((await journal.listRuns()).map((run) => run.id), [id]);
  assert.equal((await new WorkQueue(journal).readProgress(id))?.total, 3);
});

Deno.test("an error while a run is recorded leaves no part of it, and the schedule is checked again before it counts as missed", async () => {
  await using work = await openClockwork("PostgreSQL", "return 1;");
  const { clock, schedules, script } = work;
  await schedules.add({ name: "s", script, cron: "0 * * * *", timeZone: "UTC" });
  await using shared = await openShared(work.journal);
  const store = new PostgresScheduleStore(shared, () => Date.parse(clock.time));
  clock.time = "2026-01-01T13:00:01Z";
  await assert.rejects(
    store.workOnNext(async ({ connection }) => {
      await connection.run(`
        INSERT INTO runs (id, name, digest, settings, state, "startedAt") VALUES ('part', 'n', 'd', '{}', 'open', 1)`);
      throw new TypeError("unexpected");
    }),
    /unexpected/,
  );
  assert.deepEqual(await shared.listRuns(), []);
  await work.order();
  assert.deepEqual(work.log, []);
  clock.time = "2026-01-01T13:00:12Z";
  await work.order();
  assert.deepEqual(work.log, ["s: started run s-20260101-1300, due 2026-01-01T13:00:00.000Z."]);
});

Deno.test("a run that was deleted is not started again, and its schedule continues", async () => {
  await using work = await openClockwork("PostgreSQL", "return 1;");
  const { clock, schedules, script } = work;
  await schedules.add({ name: "s", script, cron: "*/10 * * * *", timeZone: "UTC" });
  clock.time = "2026-01-01T12:10:01Z";
  await work.order();
  {
    await using runs = openRuns({ journal: work.journal });
    await runs.delete("s-20260101-1210");
  }
  clock.time = "2026-01-01T12:20:01Z";
  await work.order();
  assert.deepEqual((await schedules.show("s")).ordered, ["s-20260101-1220"]);
  assert.deepEqual(work.log, [
    "s: started run s-20260101-1210, due 2026-01-01T12:10:00.000Z.",
    "s: run s-20260101-1210 was deleted.",
    "s: started run s-20260101-1220, due 2026-01-01T12:20:00.000Z.",
  ]);
});

Deno.test("a run whose file is missing on this machine is left to other workers for a minute, and then fails", async () => {
  await using work = await openClockwork("PostgreSQL", "return 1;");
  const { clock, schedules, script } = work;
  const each = `${script}.ndjson`;
  await schedules.add({ name: "s", script, cron: "0 * * * *", timeZone: "UTC", each });
  await using shared = await openShared(work.journal);
  const now = () => Date.parse(clock.time);
  const worker = new SharedSchedules(shared, { path: work.journal }, (line) => void work.log.push(line), now);
  clock.time = "2026-01-01T13:00:01Z";
  await worker.startDueRuns();
  const waiting = await schedules.show("s");
  assert.deepEqual(waiting.ordered, ["s-20260101-1300"]);
  assert.match(String(waiting.lastError), /^s-20260101-1300: .*script\.ts\.ndjson/);
  clock.time = "2026-01-01T13:01:02Z";
  await worker.startDueRuns();
  const failed = await schedules.show("s");
  assert.deepEqual([failed.ordered, failed.lastError], [undefined, waiting.lastError]);
  await Deno.writeTextFile(each, "1\n2\n");
  clock.time = "2026-01-01T14:00:00Z";
  await worker.startDueRuns();
  assert.equal((await new WorkQueue(shared).readProgress("s-20260101-1400"))?.total, 2);
  assert.match(
    work.log.join("\n"),
    /cannot start on this machine yet: .*\ns: run s-20260101-1300 failed: .*\ns: started run s-20260101-1400/,
  );
});

Deno.test("the commands name the journal and its worker, which runs the schedule with its own grants", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} return made.id;`);
  await using schema = useTestSchema();
  const at = ["--journal", schema.location];
  const schedule = async (...args: string[]) => {
    const { code, stdout, stderr } = await svcInProcess(["workflow", "schedule", ...args, ...at]);
    assert.equal(code, 0, stderr);
    return { value: JSON.parse(stdout), stderr };
  };
  const add = ["schedule", "add", "s", "script.ts", "--cron", "0 0 1 1 *", "--allow", "cases.create"];
  const added = await workspace.svc(...add, ...at);
  const command = formatCommandLine(["worker", "start", "--store", schema.location]);
  const missing = `No worker is running. Start one, with --allow for the operations of the script: ${command}\n`;
  assert.equal(added.stderr, missing);
  assert.equal((await schedule("pause", "s")).value.state, "paused");
  assert.equal((await schedule("resume", "s")).value.state, "active");
  const { run } = (await schedule("run-now", "s")).value;
  const worker = workspace.worker("start", "--store", schema.location, "--allow", "cases.*");
  await waitForOutput(worker, `s: started run ${run}, due `);
  await eventually("the run ends", async () => (await schedule("list")).value[0].lastState === "done");
  const listed = await schedule("list");
  assert.deepEqual([listed.value[0].lastRun, listed.stderr], [run, ""]);
  worker.kill("SIGTERM");
  await within("the worker ends", worker.status);
  assert.equal(await workspace.permits(), 1);
  assert.deepEqual((await schedule("remove", "s")).value, { name: "s", removed: true });
  assert.deepEqual((await schedule("list")).value, []);
});

Deno.test("a worker takes as many inputs of a scheduled run as it can, or as --concurrency of the schedule allows", async () => {
  await using schema = useTestSchema();
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []), "in.ndjson": "1\n".repeat(6) });
  await using schedules = openSchedules({ journal: schema.location, configDirectory: folder.path });
  const [script, each] = [`${folder.path}/script.ts`, `${folder.path}/in.ndjson`];
  await schedules.add({ name: "free", script, cron: "0 0 1 1 *", each });
  await schedules.add({ name: "limited", script, cron: "0 0 1 1 *", each, concurrency: 2 });
  const ids = [await schedules.runNow("free"), await schedules.runNow("limited")];
  await using journal = await openShared(schema.location);
  await new SharedSchedules(journal, { path: schema.location }, () => {}).startDueRuns();
  const queue = new WorkQueue(journal);
  const taken = await Promise.all(ids.map((id) => queue.take(id, 10)));
  assert.deepEqual(taken.map(({ length }) => length), [6, 2]);
});
