/** `svc service copy`: from a data directory to PostgreSQL, and back. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { copyService } from "../../../service/copy/copy.ts";
import { copyRows } from "../../../service/copy/copy_rows.ts";
import { openPostgresSource } from "../../../service/copy/postgres_copy.ts";
import { openSqliteSource, openSqliteTarget } from "../../../service/copy/sqlite_copy.ts";
import type { CopySource } from "../../../service/copy/copied_database.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { openBytes } from "../../../service/store/bytes_on_disk.ts";
import type { Filter } from "../../../service/store/query.ts";
import { STORE_SCHEMA } from "../../../service/store/postgres/schema.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { TABLE_NAMES } from "../../../service/store/tables.ts";
import { ExactNumber } from "../../../utils/exact_number.ts";
import { migrate } from "../../../utils/postgres/migrate.ts";
import { LimitedCommand, makeFolder, parseErrorRecord, PROGRAM, svcInProcess } from "../../harness/svc.ts";
import { runAll, SHARED_POSTGRES, useTestSchema } from "../../harness/postgres_schema.ts";
import { LOCK_SECONDS } from "../../harness/stores.ts";
import { eventually } from "../../harness/wait.ts";

const AT = "2026-01-01T00:00:00.000Z";

const noPassword = () => Promise.resolve(undefined);

/** Creates a data directory with rows in all tables, gaps between them, and a file. */
async function fillDirectory(data: string, cases: number): Promise<void> {
  await Deno.mkdir(data, { recursive: true });
  const { database, files } = locateFiles(data);
  const bytes = openBytes(files);
  const pieces = [new Uint8Array(300_000).fill(7), new TextEncoder().encode("end")];
  const { id: fileId, size } = await bytes.write(ReadableStream.from(pieces), Infinity);
  const store = openSqliteStore(database);
  await store.transact(async (tx) => {
    for (let n = 0; n < cases; n++) {
      await tx.nextNumber("P");
      const id = `P-${n}`;
      await tx.putCase({
        id,
        businessId: id,
        typeId: "T",
        ...(n > 0 && { parentId: "P-0" }),
        status: "Open",
        urgency: n % 100,
        stageId: "S",
        createdBy: "ada",
        createdAt: AT,
        updatedBy: "ben",
        updatedAt: AT,
        tag: AT,
        content: { z: n, a: "ä\0\u0001\ud800", digits: new ExactNumber("12345678901234567890.10"), n: null },
        flow: { visits: {} },
      });
      await tx.putAssignment({
        id: `A-${n}`,
        caseId: id,
        processId: "P",
        stepId: "S",
        urgency: 0,
        createdAt: AT,
        assignee: { kind: "queue", id: "Q" },
        state: {},
      });
      await tx.addEvent({ caseId: id, at: AT, by: "ada", kind: "created", text: "é", facts: { n } });
    }
    await tx.deleteAssignment("A-1");
    await tx.putRecord({ classId: "D", key: '["\\u0000"]', tag: AT, content: { a: "\0" } });
    const file = { id: fileId, name: "plan.txt", type: "text/plain", size, links: 1, by: "ada", at: AT };
    await tx.putItem({ kind: "file", id: fileId, owner: "linked", at: AT, content: file });
    const response = { request: "r", at: AT, status: 200, headers: { etag: "x" } };
    await tx.putResponse({ caller: "ada", key: "k", body: "text ".repeat(500), ...response });
    for (const id of ["a", "ä", "b"]) {
      await tx.putClient({ id, secretHash: "h", operator: "ada", createdAt: AT });
      await tx.putToken({ hash: `#${id}`, clientId: id, expiresAt: AT }, "");
    }
  });
  await store.close();
}

/** Reads all rows, with their places. */
async function readAll(source: CopySource): Promise<unknown> {
  await using opened = source;
  const tables = [];
  for (const table of TABLE_NAMES) tables.push(await opened.read(table, undefined, 1_000_000));
  return tables;
}

/** Counts all cases, those of an identifier and those with a text, which the store derives from its rows. */
async function countMatches(data: string): Promise<number[]> {
  const store = openSqliteStore(locateFiles(data).database);
  const source = { kind: "cases", typeIds: ["T"] } as const;
  const contains = (property: string, value: string): Filter => {
    return { left: { property }, comparator: "CONTAINS", right: { value } };
  };
  try {
    return await store.read(async (tx) => [
      await tx.countRows({ source, columns: [] }),
      await tx.countRows({ source, columns: [], filter: contains("businessId", "P-11") }),
      await tx.countRows({
        source,
        columns: [],
        filter: { left: { content: ["digits"] }, comparator: "CONTAINS", right: { value: "12345" } },
      }),
    ]);
  } finally {
    await store.close();
  }
}

Deno.test("everything is copied to PostgreSQL, and back to a directory", async () => {
  await using folder = await makeFolder();
  await using schema = useTestSchema();
  const [data, back] = [`${folder.path}/data`, `${folder.path}/back`];
  await fillDirectory(data, 600);
  const expected = await readAll(await openSqliteSource(data));
  const report = await copyService({ from: data, to: schema.location });
  assert.deepEqual(report, { from: data, to: schema.location, rows: 1809, files: 1 });
  assert.deepEqual(await readAll(await openPostgresSource(schema.parsed, noPassword)), expected);
  await copyService({ from: schema.location, to: back });
  assert.deepEqual(await readAll(await openSqliteSource(back)), expected);
  assert.deepEqual(await countMatches(back), await countMatches(data));
  const [id = ""] = await openBytes(locateFiles(data).files).list();
  const [before, after] = await Promise.all(
    [data, back].map((one) => Deno.readFile(`${locateFiles(one).files}/${id}`)),
  );
  assert.deepEqual(after, before);
  await assert.rejects(copyService({ from: data, to: schema.location }), /already contains data/);
  await assert.rejects(copyService({ from: schema.location, to: back }), /already contains data/);
});

/** Makes a copy wait at one case while a test holds a lock, without the usual limit of such a wait. */
const HOLD_COPY = [
  `CREATE FUNCTION hold_copy() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext(TG_TABLE_SCHEMA));
    RETURN NEW;
  END $$`,
  "CREATE TRIGGER hold BEFORE INSERT ON cases FOR EACH ROW WHEN (NEW.seq = 1234) EXECUTE FUNCTION hold_copy()",
];

Deno.test("a copy that was killed continues, and no service uses the target before it is complete", async () => {
  await using folder = await makeFolder();
  await using schema = useTestSchema();
  const data = `${folder.path}/data`;
  await fillDirectory(data, 1500);
  const pool = await schema.open({ lockSeconds: LOCK_SECONDS });
  const read = async (sql: string) => (await pool.use((connection) => connection.run(sql))).rows[0];
  await migrate(pool, schema.parsed, STORE_SCHEMA);
  await runAll(pool, HOLD_COPY);
  await pool.use(async (holder) => {
    await holder.run("SELECT pg_advisory_lock(hashtext(current_schema()))");
    const first = new LimitedCommand(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", PROGRAM, "service", "copy", "--from", data, "--to", schema.location],
      env: { SVC_CONFIG_DIR: folder.path },
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    await eventually(
      "some cases are copied",
      async () => Number((await read("SELECT MAX(seq) AS n FROM cases"))?.n) > 0,
    );
    first.kill("SIGKILL");
    await first.status;
    await holder.run("SELECT pg_advisory_unlock(hashtext(current_schema()))");
  });
  await runAll(pool, ["DROP FUNCTION hold_copy CASCADE"]); // Waits until the transaction of the killed copy has ended.
  const progress = JSON.parse(String((await read(`SELECT progress FROM "copyProgress"`))?.progress));
  assert.deepEqual([progress.source, progress.table], [data, "cases"]);
  assert.equal((await read("SELECT purpose FROM schema_version"))?.purpose, "an unfinished copy");
  await pool.close();
  const other = await svcInProcess(["service", "copy", "--from", folder.path, "--to", schema.location]);
  assert.notEqual(other.code, 0);
  const report = await copyService({ from: data, to: schema.location });
  assert.equal(report.rows, 1500 * 3 + 9);
  assert.deepEqual(
    await readAll(await openPostgresSource(schema.parsed, noPassword)),
    await readAll(await openSqliteSource(data)),
  );
});

Deno.test("a copy to a directory that was interrupted before its last step continues", async () => {
  await using folder = await makeFolder();
  const [data, back] = [`${folder.path}/data`, `${folder.path}/back`];
  await fillDirectory(data, 5);
  {
    await using source = await openSqliteSource(data);
    await using target = await openSqliteTarget(back);
    await Deno.mkdir(locateFiles(back).database); // The database cannot get its name.
    await assert.rejects(copyRows(source, target, data));
  }
  await Deno.remove(locateFiles(back).database);
  assert.deepEqual(await copyService({ from: data, to: back }), { from: data, to: back, rows: 24, files: 1 });
  assert.deepEqual(await readAll(await openSqliteSource(back)), await readAll(await openSqliteSource(data)));
  assert.deepEqual(await countMatches(back), await countMatches(data));
});

Deno.test("an interrupted copy says that a file was deleted from the source in the meantime", async () => {
  await using folder = await makeFolder();
  const [data, back] = [`${folder.path}/data`, `${folder.path}/back`];
  await fillDirectory(data, 1);
  const bytes = openBytes(locateFiles(data).files);
  const [id = ""] = await bytes.list();
  await bytes.write(ReadableStream.from([new Uint8Array(3)]), Infinity);
  {
    await using source = await openSqliteSource(data);
    await using target = await openSqliteTarget(back);
    await Deno.mkdir(locateFiles(back).database); // The database cannot get its name.
    await assert.rejects(copyRows(source, target, data));
  }
  await Deno.remove(locateFiles(back).database);
  const store = openSqliteStore(locateFiles(data).database);
  await store.transact((tx) => tx.deleteItem("file", id));
  await store.close();
  await bytes.remove(id);
  await assert.rejects(copyService({ from: data, to: back }), {
    code: "STORE_DAMAGED",
    message: `The copy differs from its source: the source lacks the bytes of the file ${id}.`,
    hint: /^Stop all services that use the source, delete the target, and copy again\./,
  });
});

Deno.test("a refused source stays unlocked", async () => {
  await using folder = await makeFolder();
  await fillDirectory(folder.path, 1);
  {
    using db = new DatabaseSync(locateFiles(folder.path).database);
    db.exec("PRAGMA user_version = 999");
  }
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(copyService({ from: folder.path, to: `${folder.path}/to` }), /newer version of svc/);
  }
});

Deno.test("wrong places are refused with what to do", async () => {
  await using folder = await makeFolder();
  await using schema = useTestSchema();
  const run = async (from: string, to: string) => {
    return parseErrorRecord(await svcInProcess(["service", "copy", "--from", from, "--to", to]));
  };
  const path = folder.path;
  assert.match(String((await run(path, schema.location)).message), /No service has used/);
  assert.match(String((await run(path, path)).message), /--from and --to both name/);
  assert.match(String((await run(path, "postgres://ada:secret@localhost/city")).message), /contains a password/);
  assert.match(String((await run(schema.location, path)).message), /There are no tables at/);
  const unreachable = "postgres://ada@127.0.0.1:1/city";
  for (const [from, to] of [[unreachable, path], [`${SHARED_POSTGRES}?sslrootcert=${path}/none`, path]] as const) {
    const { code, message, hint } = await run(from, to);
    assert.equal(code, "INVALID_CONFIG");
    assert.match(String(message), /cannot be reached: .*|The sslrootcert file .* cannot be read/);
    assert.match(String(hint), /^Check /);
  }
  await fillDirectory(`${path}/data`, 1);
  assert.equal((await run(`${path}/data`, unreachable)).code, "INVALID_CONFIG");
});
