/** A damaged write-ahead log: SQLite ends it at the first damaged frame, and svc reports what is lost. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { backUp, verify } from "../../../service/backup/backup.ts";
import { SvcError } from "../../../lib/errors.ts";
import { locateFiles, registerApplication } from "../../../service/server/directory.ts";
import { findDamage, findLogDamage, locateLog } from "../../../utils/sqlite/log_damage.ts";
import { openService } from "../../harness/service.ts";
import { type Folder, makeFolder } from "../../harness/svc.ts";

const HEADER = 32;

/** Makes a database whose log has a frame for each of some changes, as after a kill. */
async function makeLog(folder: Folder, changes: number, pageSize = 2048): Promise<Uint8Array<ArrayBuffer>> {
  const path = `${folder.path}/log.db`;
  using db = new DatabaseSync(path);
  db.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0`);
  db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
  for (let change = 0; change < changes; change++) db.prepare("INSERT INTO t VALUES (?, ?)").run(change, "text");
  return await Deno.readFile(locateLog(path));
}

function flip(bytes: Uint8Array<ArrayBuffer>, position: number): Uint8Array<ArrayBuffer> {
  const changed = bytes.slice();
  changed[position] = (changed[position] ?? 0) ^ 0x10;
  return changed;
}

Deno.test("a log is intact as SQLite writes it, and after any cut", async () => {
  for (const pageSize of [512, 2048, 65536]) {
    await using folder = await makeFolder();
    const bytes = await makeLog(folder, 20, pageSize);
    assert.equal(findDamage(bytes), undefined);
    for (let length = 0; length < bytes.length; length += 333) {
      assert.equal(findDamage(bytes.slice(0, length)), undefined);
    }
  }
});

Deno.test("a flipped bit before the last two changes is found, wherever it is", async () => {
  await using folder = await makeFolder();
  const bytes = await makeLog(folder, 20);
  const size = 24 + 2048;
  const frames = (bytes.length - HEADER) / size;
  for (let position = 0; position < bytes.length - 4 * size; position += 97) {
    const frame = position < HEADER ? 0 : Math.floor((position - HEADER) / size) + 1;
    const found = findDamage(flip(bytes, position));
    assert.equal(found?.frame, frame, `byte ${position} of frame ${frame}`);
    if (frame > 0) assert.equal(found?.lost, frames - frame);
  }
});

Deno.test("a change that a power loss has interrupted does not count as damage", async () => {
  await using folder = await makeFolder();
  const bytes = await makeLog(folder, 20);
  const size = 24 + 2048;
  for (let position = bytes.length - size; position < bytes.length; position += 97) {
    assert.equal(findDamage(flip(bytes, position)), undefined);
  }
});

Deno.test("frames of an earlier log behind the current one do not count as damage", async () => {
  await using folder = await makeFolder();
  await makeLog(folder, 20);
  const path = `${folder.path}/log.db`;
  using db = new DatabaseSync(path);
  for (let change = 100; change < 120; change++) db.prepare("INSERT INTO t VALUES (?, ?)").run(change, "text");
  db.exec("PRAGMA wal_checkpoint(RESTART); INSERT INTO t VALUES (200, 'new')");
  assert.equal(findLogDamage(path), undefined);
});

Deno.test("a service with a damaged log starts, says what is lost, and verify and backup refuse its data", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await Deno.mkdir(data);
  const { database } = locateFiles(data);
  await (await openService({ data: `${folder.path}/running` }))[Symbol.asyncDispose](); // Creates the tables.
  {
    await using svc = await openService({ data: `${folder.path}/running` });
    for (let n = 0; n < 5; n++) await svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
    const running = locateFiles(`${folder.path}/running`).database;
    for (const end of ["", "-wal"]) await Deno.copyFile(running + end, database + end); // As a kill leaves them.
  }
  await registerApplication(data, "");
  assert.equal((await verify({ data })).cases, 5);
  const log = await Deno.readFile(locateLog(database));
  await Deno.writeFile(locateLog(database), flip(log, HEADER + 24 + 100));

  const refuse = async (work: Promise<unknown>) => {
    const error = await work.then(() => undefined, (error: unknown) => error);
    assert.ok(error instanceof SvcError);
    assert.equal(error.code, "STORE_DAMAGED");
    return error.details?.map(({ message }) => message).join();
  };
  assert.match(
    await refuse(verify({ data })) ?? "",
    /service\.db-wal is damaged at frame 1: the changes in \d+ later frames/,
  );
  assert.match(await refuse(backUp({ data, file: `${folder.path}/a.backup` })) ?? "", /damaged at frame 1/);
  {
    await using svc = await openService({ data });
    assert.match(
      svc.log.join("\n"),
      /service\.db-wal is damaged at frame 1: .*keeps a copy of the log in .*service\.db-wal\.damaged\./,
    );
  }
  assert.match(await refuse(verify({ data })) ?? "", /has lost the last changes of a damaged log/);
  await Deno.remove(`${locateLog(database)}.damaged`);
  await verify({ data });
});
