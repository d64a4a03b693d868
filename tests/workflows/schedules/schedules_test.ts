/** `svc workflow schedule` and `svc worker start`, with a clock of the test or with run-now. */
import assert from "node:assert/strict";
import { isPostgresLocation } from "../../../utils/postgres/location.ts";
import { type JsonValue, parseJsonObject } from "../../../utils/json.ts";
import { LimitedCommand, makeFolder, parseErrorRecord, PROGRAM, svcInProcess } from "../../harness/svc.ts";
import {
  CREATE_CASE,
  killAfterOutput,
  prepareScriptWorkspaces,
  scriptText,
  type ScriptWorkspace,
  WAIT_FOR_SECOND_CASE,
  waitForOutput,
} from "../../harness/workflow.ts";
import { eventually, within } from "../../harness/wait.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { openRuns } from "../../../workflows/runs/mod.ts";
import { openShared } from "../../../workflows/runs/runs.ts";
import { PostgresScheduleStore } from "../../../workflows/schedules/postgres_schedule_store.ts";
import type { ScheduleRecord } from "../../../workflows/schedules/schedule.ts";
import { openScheduleStore } from "../../../workflows/schedules/sqlite_schedule_store.ts";
import { openClockwork, testSchedules } from "./_clockwork.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

testSchedules("a due time starts exactly one run", `log("input", input); return input;`, async (work, database) => {
  const { clock, schedules, script } = work;
  await schedules.add({ name: "every-ten", script, cron: "*/10 * * * *", timeZone: "UTC", input: { n: 1 } });
  await work.work();
  assert.deepEqual(await work.listRuns(), []);
  clock.time = "2026-01-01T12:10:00.100Z";
  if (database === "SQLite") { // Ordering and starting a run is one step in PostgreSQL.
    await work.work(AbortSignal.abort());
    assert.deepEqual((await schedules.show("every-ten")).ordered, ["every-ten-20260101-1210"]);
  }
  await work.work();
  await work.work();
  assert.deepEqual(await work.listRuns(), ["every-ten-20260101-1210 done every-ten"]);
  const { next, later, lastRun, lastState, ordered } = await schedules.show("every-ten");
  assert.deepEqual([next, ...later ?? []], [
    "2026-01-01T12:20:00.000Z",
    "2026-01-01T12:30:00.000Z",
    "2026-01-01T12:40:00.000Z",
  ]);
  assert.deepEqual([lastRun, lastState, ordered], ["every-ten-20260101-1210", "done", undefined]);
  if (database === "SQLite") {
    assert.deepEqual(work.log, [
      "every-ten: starting run every-ten-20260101-1210, due 2026-01-01T12:10:00.000Z.",
      "every-ten-20260101-1210: input { n: 1 }",
      "every-ten: run every-ten-20260101-1210 succeeded.",
    ]);
  } else {
    assert.deepEqual(work.log.filter((line) => line.startsWith("every-ten")), [
      "every-ten: started run every-ten-20260101-1210, due 2026-01-01T12:10:00.000Z.",
      "every-ten-20260101-1210 input: input { n: 1 }",
      "every-ten: run every-ten-20260101-1210 succeeded.",
    ]);
  }
});

Deno.test("an edited script is used from the next run on, and a run that cannot start does not block the next one", async () => {
  await using work = await openClockwork("SQLite", `return 1;`);
  const { clock, schedules, script } = work;
  await schedules.add({ name: "s", script, cron: "*/10 * * * *", timeZone: "UTC" });
  await Deno.writeTextFile(script, "export const = 1;");
  clock.time = "2026-01-01T12:10:00Z";
  await work.work();
  const { lastError = "", ordered } = await schedules.show("s");
  assert.match(lastError, /^s-20260101-1210: The script cannot be loaded: /);
  assert.equal(ordered, undefined);
  await Deno.writeTextFile(script, scriptText("return 2;", []));
  clock.time = "2026-01-01T12:20:00Z";
  await work.work();
  assert.deepEqual(await work.listRuns(), ["s-20260101-1220 done s"]);
});

testSchedules("a scheduled run keeps what --keep of its schedule says", `log("line"); return 1;`, async (work) => {
  const { clock, schedules, script } = work;
  await schedules.add({ name: "s", script, cron: "*/10 * * * *", timeZone: "UTC", keep: "results" });
  clock.time = "2026-01-01T12:10:00Z";
  await work.work();
  await using journal = isPostgresLocation(work.journal)
    ? await openShared(work.journal)
    : await openJournal(work.journal);
  const events = await journal.events("s-20260101-1210", 1);
  assert.deepEqual(events.map(({ kind }) => kind), ["pruned"]);
});

testSchedules(
  "a failed run has ended, and a worker says which policy skipped a time",
  `throw new Error("no");`,
  async (work, database) => {
    const { clock, schedules, script } = work;
    await schedules.add({ name: "s", script, cron: "0 * * * *", timeZone: "UTC" });
    clock.time = "2026-01-01T13:30:00Z";
    await work.work();
    assert.deepEqual(work.log.filter((line) => line.startsWith("s: ")), [
      "s: skipped the run of 2026-01-01T13:00:00.000Z, because no worker started it within a minute.",
    ]);
    clock.time = "2026-01-01T14:00:30Z";
    await work.work();
    assert.deepEqual(await work.listRuns(), ["s-20260101-1400 failed s"]);
    assert.match(
      work.log.at(-1) ?? "",
      database === "SQLite"
        ? /^s: run s-20260101-1400 failed\. WORKFLOW_FAILED .*'svc workflow retry /
        : /^s: run s-20260101-1400 failed\. To see why, run: svc workflow show s-20260101-1400 --journal /,
    );
  },
);

testSchedules(
  "a paused schedule is not due until it is resumed, and times in between do not count as missed",
  `return 1;`,
  async (work) => {
    const { clock, schedules, script } = work;
    await schedules.add({ name: "s", script, cron: "0 * * * *", timeZone: "UTC", missed: "once" });
    assert.deepEqual((await schedules.pause("s")).state, "paused");
    clock.time = "2026-01-01T15:30:00Z";
    await work.work();
    assert.equal((await schedules.resume("s")).next, "2026-01-01T16:00:00.000Z");
    await work.work();
    assert.deepEqual(await work.listRuns(), []);
  },
);

Deno.test("the schedule commands check their arguments, and name what to do", async (t) => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", ["cases.get"]) });
  const at = ["--journal", `${folder.path}/journal.db`];
  const schedule = (...args: string[]) => svcInProcess(["workflow", "schedule", ...args, ...at]);
  const script = `${folder.path}/script.ts`;
  const errors: [args: string[], code: string, message: RegExp][] = [
    [["list"], "INVALID_ARGS", /^There is no journal .*journal\.db\.$/],
    [["add", "a b", script, "--cron", "@daily"], "INVALID_ARGS", /^"a b" is not a valid schedule name\.$/],
    [["add", "a", script], "INVALID_ARGS", /^--cron is required\.$/],
    [["add", "a", script, "--cron", "0 0 30 2 *"], "INVALID_ARGS", /^"0 0 30 2 \*" is never due\.$/],
    [["add", "a", script, "--cron", "@daily"], "PERMISSION_DENIED", /requests cases\.get, but no permission/],
    [["add", "a", script, "--cron", "@daily", "--each", "-"], "INVALID_ARGS", /cannot read .* from standard input\.$/],
    [["add", "a", script, "--cron", "@daily", "--overlap", "run"], "INVALID_ARGS", /^--overlap must be one of /],
    [["lst"], "INVALID_ARGS", /^svc workflow schedule has no command 'lst'\.$/],
  ];
  const shared = await svcInProcess(["worker", "start", "--journal", "postgres://localhost/svc"]);
  const { message, hint } = parseErrorRecord(shared);
  assert.equal(message, "svc worker start takes a PostgreSQL location with --store, not with --journal.");
  assert.match(String(hint), /^Run 'svc worker start --store postgres:\/\/localhost\/svc' /);
  for (const [args, code, message] of errors) {
    await t.step(args.join(" "), async () => {
      const error = parseErrorRecord(await schedule(...args));
      assert.deepEqual(error.code, code);
      assert.match(String(error.message), message);
    });
  }
});

testSchedules("one run is started for all missed times, and the latest of them names it", `return 1;`, async (work) => {
  const { clock, schedules, script } = work;
  await schedules.add({ name: "s", script, cron: "0 * * * *", timeZone: "UTC", missed: "once" });
  clock.time = "2026-01-01T15:30:00Z";
  await work.work();
  assert.deepEqual(await work.listRuns(), ["s-20260101-1500 done s"]);
});

testSchedules("--overlap decides about a due time while a run has not ended", `return 1;`, async (work) => {
  const { clock, schedules, script } = work;
  const common = { script, cron: "*/10 * * * *", timeZone: "UTC" };
  await schedules.add({ ...common, name: "skipping" });
  await schedules.add({ ...common, name: "buffering", overlap: "buffer" });
  await schedules.add({ ...common, name: "allowing", overlap: "allow" });
  for (const time of ["12:10:01", "12:20:01", "12:30:01"]) {
    clock.time = `2026-01-01T${time}Z`;
    await work.order();
  }
  const [allowing, buffering, skipping] = await schedules.list();
  assert.deepEqual(allowing?.ordered, ["1210", "1220", "1230"].map((at) => `allowing-20260101-${at}`));
  assert.deepEqual(
    [buffering?.ordered, buffering?.buffered, buffering?.lastSkipped],
    [["buffering-20260101-1210"], "buffering-20260101-1220", "2026-01-01T12:30:00.000Z"],
  );
  assert.deepEqual([skipping?.ordered, skipping?.lastSkipped], [
    ["skipping-20260101-1210"],
    "2026-01-01T12:30:00.000Z",
  ]);
  assert.equal(skipping?.skippedBecause, "the previous run had not ended");
  await assert.rejects(schedules.runNow("skipping"), { code: "CONFLICT" });
});

testSchedules("a buffered run starts when the one before it has ended", `return 1;`, async (work) => {
  const { clock, schedules, script } = work;
  await schedules.add({ name: "s", script, cron: "0 * * * *", timeZone: "UTC", overlap: "buffer" });
  const first = await schedules.runNow("s");
  const second = await schedules.runNow("s");
  await assert.rejects(schedules.runNow("s"), { code: "CONFLICT" });
  assert.deepEqual((await schedules.show("s")).buffered, second);
  clock.time = "2026-01-01T12:06:00Z";
  await work.work();
  assert.deepEqual((await work.listRuns()).toSorted(), [`${first} done s`, `${second} done s`].toSorted());
  const { ordered, buffered } = await schedules.show("s");
  assert.deepEqual([ordered, buffered], [undefined, undefined]);
});

testSchedules("a schedule can be replaced and removed, and its runs remain", `return input;`, async (work) => {
  const { clock, schedules, script } = work;
  const schedule = { name: "s", script, cron: "0 * * * *", timeZone: "UTC" };
  await schedules.add({ ...schedule, input: 1 });
  await assert.rejects(schedules.add({ ...schedule, input: 2 }), { message: "There is already a schedule s." });
  await schedules.add({ ...schedule, input: 2, cron: "*/30 * * * *", replace: true });
  clock.time = "2026-01-01T12:30:00Z";
  await work.work();
  await using runs = openRuns({ journal: work.journal });
  for await (const { result } of runs.inputs("s-20260101-1230")) assert.equal(result, 2);
  await schedules.remove("s");
  await assert.rejects(schedules.show("s"), { message: 'There is no schedule "s".' });
  assert.deepEqual((await runs.list({ schedule: "s" })).map(({ id }) => id), ["s-20260101-1230"]);
  clock.time = "2026-01-01T13:00:00Z";
  await work.work();
  assert.deepEqual(await schedules.list(), []);
});

testSchedules(
  "a stored schedule without a time zone starts no runs, and says why",
  `return 1;`,
  async (work, database) => {
    const { clock, schedules, script } = work;
    await schedules.add({ name: "s", script, cron: "*/10 * * * *", timeZone: "UTC" });
    await schedules.add({ name: "other", script, cron: "*/10 * * * *", timeZone: "UTC" });
    await using shared = database === "PostgreSQL" ? await openShared(work.journal) : undefined;
    const store = shared ? new PostgresScheduleStore(shared) : await openScheduleStore(work.journal);
    await using _store = store;
    // Earlier versions stored such records when TZ was a path.
    await store.change("s", ({ timeZone: _timeZone, ...rest }) => rest as ScheduleRecord);
    clock.time = "2026-01-01T12:10:00Z";
    await work.work();
    assert.deepEqual(await work.listRuns(), ["other-20260101-1210 done other"]);
    const [, { next, lastError } = {}] = await schedules.list();
    assert.deepEqual([next, lastError], [undefined, "The schedule has no time zone."]);
    assert.deepEqual(work.log.filter((line) => line.startsWith("s: ")), [
      "s: The schedule starts no runs. The schedule has no time zone. Add the schedule again with --replace.",
    ]);
  },
);

Deno.test("the default time zone is the IANA name of TZ, even if TZ is a path", async (t) => {
  await using work = await openClockwork("SQLite", "return 1;");
  await using folder = await makeFolder({ "zoneinfo/Europe/Berlin": "", "copied": "" });
  await Deno.symlink(`${folder.path}/zoneinfo/Europe/Berlin`, `${folder.path}/localtime`);
  const before = Deno.env.get("TZ");
  await using stack = new AsyncDisposableStack();
  stack.defer(() => before === undefined ? Deno.env.delete("TZ") : Deno.env.set("TZ", before));
  const add = async (variable: string) => {
    Deno.env.set("TZ", variable);
    const { timeZone } = await work.schedules.add({ name: "s", script: work.script, cron: "@daily", replace: true });
    return timeZone;
  };
  for (const name of ["Europe/Berlin", ":Europe/Berlin", `${folder.path}/localtime`, `:${folder.path}/localtime`]) {
    await t.step(name, async () => assert.equal(await add(name), "Europe/Berlin"));
  }
  for (const name of ["", "CET-1CEST", "GMT+5", "+02:00", "Foo/Bar", `${folder.path}/copied`, `${folder.path}/none`]) {
    await t.step(`${name} has no IANA name`, async () => {
      await assert.rejects(add(name), {
        code: "INVALID_ARGS",
        message: `The time zone of this machine has no IANA name: TZ is ${JSON.stringify(name)}.`,
      });
    });
  }
});

testSchedules("each run follows the links in the paths of its schedule", `return input;`, async (work, database) => {
  const { clock, schedules, script } = work;
  await using folder = await makeFolder({
    "1/flow.ts": await Deno.readTextFile(script),
    "2/flow.ts": scriptText("return ['new', input];", []),
    "1.ndjson": "1\n",
    "2.ndjson": "2\n",
  });
  const link = async (target: string, name: string) => {
    await Deno.remove(name).catch(() => {});
    await Deno.symlink(target, name);
  };
  const [root, each] = [`${folder.path}/current`, `${folder.path}/latest.ndjson`];
  await link("1", root);
  await link("1.ndjson", each);
  const paths = { script: `${root}/flow.ts`, root, each };
  const added = await schedules.add({ name: "s", ...paths, cron: "*/10 * * * *", timeZone: "UTC" });
  assert.deepEqual([added.script, added.each], [`${root}/flow.ts`, each]);
  const results: JsonValue[] = [];
  for (const time of ["12:10", "12:20"]) {
    clock.time = `2026-01-01T${time}:00Z`;
    await work.work();
    await using runs = openRuns({ journal: work.journal });
    for await (const { result = null } of runs.inputs(`s-20260101-${time.replace(":", "")}`)) results.push(result);
    await link("2", root);
    await link("2.ndjson", each);
  }
  // With a journal in PostgreSQL, the schedule has recorded the script.
  assert.deepEqual(results, database === "SQLite" ? [1, ["new", 2]] : [1, 2]);
});

Deno.test("a schedule that is added in a folder behind a link keeps the path with the link", async () => {
  await using folder = await makeFolder({ "1/flow.ts": scriptText("return 1;", []), "in.ndjson": "1\n" });
  const current = `${folder.path}/current`;
  await Deno.symlink("1", current);
  const journal = `${folder.path}/journal.db`;
  const { stdout, stderr } = await new LimitedCommand(Deno.execPath(), {
    args: [
      ...["run", "-A", PROGRAM, "workflow", "schedule", "add", "s", "./flow.ts", "--each", "../in.ndjson"],
      ...["--cron", "@daily", "--time-zone", "UTC", "--journal", journal],
    ],
    cwd: current,
    env: { PWD: current, SVC_CONFIG_DIR: folder.path },
  }).output();
  const { script, each } = parseJsonObject(new TextDecoder().decode(stdout)) ?? {};
  assert.deepEqual([script, each], [`${current}/flow.ts`, `${current}/../in.ndjson`], new TextDecoder().decode(stderr));
});

/** Adds a schedule whose script creates a case and waits for a second one, and orders a run. */
async function openWaiting(): Promise<ScriptWorkspace> {
  const workspace = await openScriptWorkspace(`${CREATE_CASE} log("created"); ${WAIT_FOR_SECOND_CASE} return made.id;`);
  const grant = ["--allow", "cases.create,data.count"];
  const { code, stderr } = await workspace.svc("schedule", "add", "s", "script.ts", "--cron", "0 0 1 1 *", ...grant);
  assert.deepEqual([code, stderr], [0, "No worker is running. To start one, run 'svc worker start'.\n"]);
  assert.equal((await workspace.svc("schedule", "run-now", "s")).code, 0);
  return workspace;
}

async function listStates(workspace: ScriptWorkspace): Promise<string[]> {
  await using runs = openRuns({ journal: `${workspace.config}/workflows.db` });
  return (await runs.list({ schedule: "s" })).map(({ state }) => state);
}

Deno.test("processes that check for a worker at the same time do not mistake each other for one", async () => {
  await using work = await openClockwork("SQLite", "return 1;");
  const { schedules, script } = work;
  await schedules.add({ name: "s", script, cron: "0 0 1 1 *", timeZone: "UTC" });
  const found = await Promise.all(Array.from({ length: 20 }, () => schedules.hasWorker()));
  assert.deepEqual(new Set(found), new Set([false]));
});

Deno.test("a run of a worker that was killed is resumed by the next one and repeats nothing", async () => {
  await using workspace = await openWaiting();
  await killAfterOutput(workspace.worker("start"), ": created");
  assert.deepEqual(await listStates(workspace), ["interrupted"]);
  await workspace.createPermit();
  const { code, stderr } = await workspace.worker("start", "--until-idle").output();
  const log = new TextDecoder().decode(stderr);
  assert.equal(code, 0, log);
  assert.match(log, / s: resuming run s-\S+, due [^]* s: run s-\S+ succeeded\.\n$/);
  assert.deepEqual([await listStates(workspace), await workspace.permits()], [["done"], 2]);
});

Deno.test("a second worker waits for the first one, which ends with 0 on SIGTERM and leaves its run to the second", async () => {
  await using workspace = await openWaiting();
  const first = workspace.worker("start");
  const { rest } = await waitForOutput(first, ": created");
  const second = workspace.worker("start");
  const waiting = await waitForOutput(
    second,
    "Another worker runs the schedules of this journal. Waiting until it stops.",
  );
  first.kill("SIGTERM");
  const [log, { code }] = await within("the first worker ends", Promise.all([rest, first.status]));
  await first.stdout.cancel();
  assert.match(log, /s: run s-\S+ was interrupted\. It continues when a worker starts again\.\n$/);
  assert.equal(code, 0);
  await workspace.createPermit();
  await eventually("the second worker ends the run", async () => (await listStates(workspace))[0] === "done");
  second.kill("SIGTERM");
  await within("the second worker ends", Promise.all([waiting.rest, second.status, second.stdout.cancel()]));
  assert.equal(await workspace.permits(), 2);
});

Deno.test("a schedule that another user has added, or for another service, does not run", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} return made.id;`);
  await workspace.svc("schedule", "add", "s", "script.ts", "--cron", "0 0 1 1 *", "--allow", "cases.create");
  await workspace.svc("schedule", "run-now", "s");
  workspace.useService({ baseUrl: "http://127.0.0.1:1" });
  const work = async () => new TextDecoder().decode((await workspace.worker("start", "--until-idle").output()).stderr);
  assert.match(
    await work(),
    /s: run s-\S+ failed: The schedule s was added for http:\S+ as \S+, not for http:\/\/127\.0\.0\.1:1/,
  );
  workspace.useOwnService();
  await Deno.writeTextFile(`${workspace.config}/local.key`, "00".repeat(32) + "\n");
  await workspace.svc("schedule", "run-now", "s");
  assert.match(await work(), /The grants of the schedule s were not given by this user on this machine\./);
  assert.equal(await workspace.permits(), 0);
});
