/** A journal in PostgreSQL: its claims across processes, and its use by commands. */
import assert from "node:assert/strict";
import { migrate } from "../../../utils/postgres/migrate.ts";
import { grantSlots, toRunTarget } from "../../../workflows/journal/postgres/call_limits.ts";
import { JOURNAL_SCHEMA } from "../../../workflows/journal/postgres/schema.ts";
import { openPostgresJournal } from "../../../workflows/journal/postgres/postgres_journal.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { LimitedCommand, makeFolder, parseErrorRecord, svcInProcess } from "../../harness/svc.ts";
import { newRun, scriptText, writeInput } from "../../harness/workflow.ts";
import { eventually, readUntil, within } from "../../harness/wait.ts";

const RUN = "r1";
const BEGIN = { place: "in:1", startedAt: 0, generation: 0 };
const LINE = { kind: "log", position: 0, at: 0 } as const;

Deno.test("writes through a claim that another process has taken over are refused, and others are written", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  await using other = await openPostgresJournal(schema.location);
  await journal.createRun(newRun(RUN));
  await using lost = await journal.claimInput(RUN, 1);
  await using kept = await journal.claimInput(RUN, 2);
  assert.ok(lost && kept);
  lost.begin(BEGIN);
  lost.append({ ...LINE, content: "before" });
  await lost.durable();
  assert.equal(await other.claimInput(RUN, 1), undefined);
  await other.database.query("UPDATE inputs SET worker = NULL, fence = fence + 1 WHERE number = 1");
  await writeInput(other, RUN, 1, (input) => input.append({ ...LINE, content: "theirs" }));
  lost.append({ ...LINE, content: "late" });
  lost.end({ state: "done" });
  kept.begin({ ...BEGIN, place: "in:2" });
  kept.append({ ...LINE, content: "ours" });
  await kept.durable();
  await assert.rejects(lost.durable(), { code: "INTERRUPTED" });
  assert.equal(lost.lost?.aborted, true);
  assert.deepEqual((await journal.events(RUN, 1)).map(({ content }) => content), ["before", "theirs"]);
  assert.equal((await journal.findInput(RUN, 1))?.end, undefined);
  assert.deepEqual((await other.events(RUN, 2)).map(({ content }) => content), ["ours"]);
});

for (let version = 1; version < JOURNAL_SCHEMA.steps.length; version++) {
  Deno.test(`a journal of version ${version} is upgraded and keeps its rows, and processes of both versions use it`, async () => {
    await using schema = useTestSchema();
    const pool = await schema.open();
    const earlier = { ...JOURNAL_SCHEMA, steps: JOURNAL_SCHEMA.steps.slice(0, version) };
    await migrate(pool, schema.parsed, earlier);
    const run = (sql: string, parameters: readonly string[] = []) =>
      pool.use(async (connection) => (await connection.run(sql, parameters)).rows);
    const { settings } = newRun(RUN);
    await run(
      `INSERT INTO runs (id, name, digest, settings, state, "startedAt") VALUES ($1, 'test', '', $2, 'open', 0)`,
      [RUN, JSON.stringify(settings)],
    );
    await run("INSERT INTO inputs (run, number, place, state, outcome) SELECT seq, 1, 'in:1', 'open', '{}' FROM runs");
    await run("INSERT INTO workers (name, kind, concurrency, service) VALUES ('earlier', 'worker', 1, 'http://s c')");
    if (version >= 2) {
      await run(
        "INSERT INTO schedules (name, record, workflow, digest, script) VALUES ('nightly', '{}', 'test', '', '')",
      );
      await run(`
        INSERT INTO assignments (service, queue, assignment, run, input, failures)
        SELECT 'http://s', 'Review', 'A-1', seq, 1, 2 FROM runs`);
    }
    {
      const session = { name: "current", kind: "worker", concurrency: 1, service: "http://s d", callRate: 5 } as const;
      await using journal = await openPostgresJournal(schema.location, { session });
      assert.deepEqual((await journal.listRuns()).map(({ id }) => id), [RUN]);
      assert.equal((await journal.findInput(RUN, 1))?.place, "in:1");
      assert.equal((await journal.openSession()).callRate, 5); // The earlier worker has no limit.
      const kept = await run(`
        SELECT (SELECT count(*)::integer FROM schedules) AS schedules,
          (SELECT sum(failures)::integer FROM assignments) AS failures`);
      assert.deepEqual(kept, [version >= 2 ? { schedules: 1, failures: 2 } : { schedules: 0, failures: null }]);
      await grantSlots(journal.database, toRunTarget(RUN), { count: 1, perSecond: 1 });
      await journal.deleteRun(RUN);
      assert.deepEqual(await run("SELECT target FROM call_limits"), []);
    }
    assert.equal(await migrate(pool, schema.parsed, earlier), false);
    await pool.close();
  });
}

Deno.test("a run is recorded once, although the answer was lost and the statement is repeated", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location, { patienceMilliseconds: 0 });
  await journal.createRun(newRun(RUN));
  await journal.createRun(newRun(RUN));
  assert.deepEqual((await journal.listRuns()).map(({ id }) => id), [RUN]);
  await assert.rejects(journal.createRun({ ...newRun(RUN), startedAt: 1 }), { message: /duplicate key/ });
});

Deno.test("a journal that closes ends the claims of runs", async () => {
  await using schema = useTestSchema();
  await using other = await openPostgresJournal(schema.location);
  const journal = await openPostgresJournal(schema.location);
  assert.ok(await journal.claimRun(RUN));
  assert.equal(await other.claimRun(RUN), undefined);
  await within("the journal closes", journal[Symbol.asyncDispose](), { seconds: 10 });
  await using claim = await other.claimRun(RUN);
  assert.ok(claim);
});

Deno.test("a signal that arrives while an input gets a new history does not damage it", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  await using other = await openPostgresJournal(schema.location);
  await journal.createRun(newRun(RUN));
  await using claim = await journal.claimInput(RUN, 1);
  assert.ok(claim);
  claim.begin(BEGIN);
  claim.append({ ...LINE, content: "before" });
  await claim.durable();
  const signal = { kind: "signal", position: 0, at: 1, content: '{"name":"approved"}' } as const;
  const start = { kind: "continued", position: 0, at: 2, content: `{"input":2,"count":1}` } as const;
  const pool = await schema.open();
  const written = await pool.use(async (connection) => {
    const waitFor = (count: number) =>
      eventually(`${count} statements wait`, async () => {
        const { rows: [row] } = await connection.run(`
          WITH RECURSIVE waiting AS (
            SELECT pg_backend_pid() AS pid
            UNION SELECT other.pid FROM pg_stat_activity AS other, waiting
              WHERE waiting.pid = ANY(pg_blocking_pids(other.pid))
          ) SELECT count(*) - 1 AS count FROM waiting`);
        return Number(row?.count) === count;
      });
    await connection.run("BEGIN");
    await connection.run("SELECT 1 FROM inputs FOR UPDATE");
    const signalled = other.signalInput(RUN, 1, signal);
    await waitFor(1);
    const continued = claim.continue(start);
    await waitFor(2);
    await connection.run("COMMIT");
    return [signalled, continued];
  });
  await Promise.all(written);
  await pool.close();
  assert.deepEqual((await journal.events(RUN, 1)).map(({ kind }) => kind), ["continued"]);
  assert.deepEqual((await journal.verify()).damaged, []);
});

Deno.test("an input that is taken again while its claim is being released can be claimed", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  await journal.createRun(newRun(RUN));
  const claim = await journal.claimInput(RUN, 1);
  assert.ok(claim);
  const released = claim[Symbol.asyncDispose]();
  const [row] = await journal.database.query("UPDATE inputs SET fence = fence + 1 WHERE number = 1 RETURNING *");
  assert.ok(row);
  const [taken] = journal.addClaims(RUN, [row]);
  await released;
  assert.equal(await journal.claimInput(RUN, 1), taken);
});

Deno.test("a run whose record is damaged is reported, and the others are listed", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  await journal.createRun(newRun(RUN));
  await journal.createRun(newRun("r2"));
  await journal.database.query("UPDATE runs SET settings = '{' WHERE id = 'r2'");
  const list = async () => JSON.parse((await svcInProcess(["workflow", "list", "--journal", schema.location])).stdout);
  const [intact, damaged] = await list();
  assert.deepEqual([intact.id, damaged], [RUN, { id: "r2", state: "damaged" }]);
  await assert.rejects(journal.listRuns(), { code: "JOURNAL_DAMAGED", message: /run r2/ });
});

Deno.test("the inputs of a process that others thought gone are lost to it", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  await journal.createRun(newRun(RUN));
  await using claim = await journal.claimInput(RUN, 1);
  const session = await journal.openSession();
  const { id } = session;
  await journal.database.query("UPDATE workers SET state = 'ended'");
  await eventually("the session has another number", () => session.id !== id);
  assert.equal(claim?.lost?.aborted, true);
});

Deno.test("another process continues the inputs of one that was silent for 12 seconds", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  await journal.createRun(newRun(RUN));
  const pool = await schema.open();
  await pool.use(async (connection) => {
    const { rows: [row] } = await connection.run(`
      INSERT INTO workers (name, kind, concurrency, "seenAt") VALUES ('silent', 'worker', 1, now() - interval '9 seconds')
      RETURNING id, pg_advisory_lock(hashtext('svc journal ' || current_schema()), id::integer)`);
    const silent = Number(row?.id);
    await connection.run("INSERT INTO inputs (run, number, worker) SELECT seq, 1, $1 FROM runs", [silent]);
    await using claim = await eventually("the input can be claimed", () => journal.claimInput(RUN, 1));
    assert.ok(claim);
    const { rows: [ended] } = await connection.run(
      `SELECT extract(epoch FROM "endedAt" - "seenAt") AS seconds FROM workers WHERE id = $1`,
      [silent],
    );
    assert.ok(Number(ended?.seconds) >= 12 && Number(ended?.seconds) < 30, `${ended?.seconds} s`);
  });
  await pool.close();
});

Deno.test("an input that a process has claimed after its session ended is released", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  await journal.createRun(newRun(RUN));
  const [ended] = await journal.database.query(
    "INSERT INTO workers (name, kind, concurrency, state) VALUES ('late', 'worker', 1, 'ended') RETURNING id",
  );
  await journal.database.query("INSERT INTO inputs (run, number, worker) SELECT seq, 1, $1 FROM runs", [
    Number(ended?.id),
  ]);
  await using claim = await eventually("the input can be claimed", () => journal.claimInput(RUN, 1));
  assert.ok(claim);
});

Deno.test("another process continues the inputs of one that was killed", async () => {
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  await journal.createRun(newRun(RUN));
  const module = import.meta.resolve("../../../workflows/journal/postgres/postgres_journal.ts");
  const program = `
    import { openPostgresJournal } from ${JSON.stringify(module)};
    const journal = await openPostgresJournal(${JSON.stringify(schema.location)});
    const input = await journal.claimInput("r1", 1);
    input.begin({ place: "in:1", startedAt: 0, generation: 0 });
    await input.durable();
    console.log("claimed");
    await new Promise(() => setInterval(() => {}, 1000));`;
  const command = new LimitedCommand(Deno.execPath(), {
    args: ["eval", "--no-check", program],
    stdin: "null",
    stdout: "piped",
  });
  await using child = command.spawn();
  await readUntil(child.stdout, "claimed");
  await journal.openSession(); // It looks for processes that are gone.
  assert.equal(await journal.claimInput(RUN, 1), undefined);
  child.kill("SIGKILL");
  let claim: AsyncDisposable | undefined;
  await eventually("the input can be claimed", async () => {
    claim = await journal.claimInput(RUN, 1);
    return claim !== undefined;
  });
  await claim?.[Symbol.asyncDispose]();
});

Deno.test("commands of svc workflow use a journal in PostgreSQL", async () => {
  await using schema = useTestSchema();
  await using folder = await makeFolder({
    "script.ts": scriptText(`log("saw " + input); if (input === 2) throw new Error("oops"); return input;`, []),
    "in.ndjson": "1\n2\n3\n",
  });
  const run = (...args: string[]) => svcInProcess(["workflow", ...args, "--journal", schema.location]);
  const ended = await run("run", `${folder.path}/script.ts`, "--each", `${folder.path}/in.ndjson`, "--run-id", RUN);
  assert.equal(ended.stdout.split("\n")[0], `{"input":"in.ndjson:1","result":1}`);
  assert.ok(ended.stderr.includes(`svc workflow retry ${RUN} --journal`), ended.stderr);
  const [listed] = JSON.parse((await run("list")).stdout);
  assert.deepEqual([listed.id, listed.state, listed.failed], [RUN, "failed", 1]);
  assert.match((await run("show", RUN)).stdout, /in\.ndjson:2 failed/);
  assert.match((await run("logs", RUN)).stdout, /in\.ndjson:3: saw 3/);
  assert.equal((await run("verify", RUN)).code, 0);
  assert.equal((await run("retry", RUN)).code, 1);
  assert.equal((await run("delete", RUN)).code, 0);
  assert.equal((await run("list")).stdout, "[]\n");
});

Deno.test("a password in the location of a journal is refused, and a missing server is named", async () => {
  const list = (journal: string) => svcInProcess(["workflow", "list", "--journal", journal]);
  const refused = parseErrorRecord(await list("postgres://svc:secret@127.0.0.1/city"));
  assert.match(String(refused.message), /^The location contains a password/);
  const missing = parseErrorRecord(await list("postgres://svc@127.0.0.1:1/city"));
  assert.match(
    String(missing.message),
    /^The journal postgres:\/\/svc@127\.0\.0\.1:1\/city\?schema=svc cannot be opened: the server cannot be reached: /,
  );
});
