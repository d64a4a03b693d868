/** Backups: made while the service changes cases, restored to another directory, and checked for damage. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { resetService } from "../../../service/admin/control.ts";
import { backUp, restore, verify } from "../../../service/backup/backup.ts";
import { SvcError } from "../../../lib/errors.ts";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { sweepRegularly } from "../../../service/server/run.ts";
import { ServiceClock } from "../../../service/store/service_clock.ts";
import { keepBytes, openBytes } from "../../../service/store/bytes_on_disk.ts";
import { openService, sendRequest, ServiceHome, START_ARGUMENTS, type TestService } from "../../harness/service.ts";
import { textAt } from "../../harness/service_engine.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { type Folder, makeFolder } from "../../harness/svc.ts";

const PERMIT = "City-Permit-Work-Permit";

async function createCase(svc: TestService): Promise<string> {
  return textAt((await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT } })).body, "id");
}

/** Attaches a file with a content to a case. */
async function attach(svc: TestService, caseId: string, content: string): Promise<{ ID: string; attachment: string }> {
  const form = new FormData();
  form.append("file", new File([content], "plan.txt"));
  const headers = { authorization: `Bearer ${svc.token}` };
  const upload = await sendRequest("POST", `${svc.api}/attachments/upload`, { body: form, headers });
  const ID = textAt(upload.body, "ID");
  const path = `/cases/${encodeURIComponent(caseId)}/attachments`;
  await svc.call("POST", path, { body: { attachments: [{ type: "File", category: "File", ID }] } });
  return { ID, attachment: textAt((await svc.call("GET", path)).body, "attachments.0.ID") };
}

async function makeBackup(folder: Folder): Promise<string> {
  {
    await using svc = await openService({ data: `${folder.path}/data` });
    await attach(svc, await createCase(svc), "The plan");
  }
  const file = `${folder.path}/one.backup`;
  await backUp({ data: `${folder.path}/data`, file });
  return file;
}

async function rejection(work: Promise<unknown>): Promise<SvcError> {
  const error = await work.then(() => undefined, (error: unknown) => error);
  return error instanceof SvcError ? error : assert.fail(`not rejected with an SvcError: ${error}`);
}

Deno.test("a backup under load contains every change that was confirmed before it began", async () => {
  await using home = await ServiceHome.open();
  await using folder = await makeFolder();
  home.writable.push(folder.path);
  const data = `${folder.path}/data`;
  const file = `${folder.path}/permits.backup`;
  await using svc = await openService({ data });
  const first = await createCase(svc);
  await attach(svc, first, "The plan");
  const confirmed: string[] = [first];
  let isDone = false;
  const writers = Array.from({ length: 4 }, async () => {
    while (!isDone) confirmed.push(await createCase(svc));
  });
  while (confirmed.length < 20) await createCase(svc).then((id) => confirmed.push(id));
  const before = [...confirmed];
  const made = await home.svc("service", "backup", file, "--data", data);
  isDone = true;
  await Promise.all(writers);
  assert.equal(made.code, 0, JSON.stringify(made.error));
  assert.equal(made.out.files, 1);

  const checked = await verify({ backup: file });
  assert.deepEqual([checked.cases, checked.files], [made.out.cases, 1]);
  const other = `${folder.path}/restored`;
  const restored = await home.svc("service", "restore", file, "--data", other);
  assert.equal(restored.code, 0, JSON.stringify(restored.error));
  await using again = await openService({ data: other });
  for (const id of before) {
    assert.equal((await again.call("GET", `/cases/${encodeURIComponent(id)}`)).status, 200, id);
  }
  const count = Number(made.out.cases);
  assert.ok(count >= before.length && count <= confirmed.length, `${before.length} ≤ ${count} ≤ ${confirmed.length}`);
});

Deno.test("a restored service has the attachments, the profile and the next case number of the first one", async () => {
  await using home = await ServiceHome.open();
  const data = `${home.directory}/service`;
  const file = `${home.directory}/permits.backup`;
  await home.svc(...START_ARGUMENTS);
  await Deno.writeTextFile(`${home.directory}/plan.txt`, "The plan");
  await home.svc("cases", "create", "--type", PERMIT);
  const upload = await home.svc("attachments", "upload", "-f", `${home.directory}/plan.txt`);
  const attachments = JSON.stringify([{ type: "File", category: "File", ID: upload.out.ID }]);
  await home.svc("attachments", "add", "CITY-PERMIT-WORK P-1", "--attachments", attachments);
  assert.deepEqual((await home.svc("service", "backup", file)).error, {});
  await home.svc("service", "reset", "--stop");
  assert.equal((await home.svc("service", "restore", file)).out.data, data);
  assert.equal((await home.svc("service", "verify")).out.cases, 1);
  assert.equal((await home.svc(...START_ARGUMENTS)).code, 0);
  const { out } = await home.svc("attachments", "list", "CITY-PERMIT-WORK P-1");
  const copy = `${home.directory}/copy.txt`;
  await home.svc("attachments", "get", textAt(JSON.parse(JSON.stringify(out)), "attachments.0.id"), "-o", copy);
  assert.equal(await Deno.readTextFile(copy), "The plan");
  assert.equal((await home.svc("cases", "create", "--type", PERMIT)).out.id, "CITY-PERMIT-WORK P-2");
});

/** Notes the files that are renamed. Disposing of it restores the functions of Deno. */
class RenameWatch implements Disposable {
  /** The new names, and whether the bytes were on the disk. */
  readonly renamed: [name: string, isDurable: boolean][] = [];
  /** The paths of files whose new name or content may not survive a power loss. */
  readonly unsynced = new Set<string>();
  readonly #stack = new DisposableStack();
  readonly #paths = new WeakMap<Deno.FsFile, string>();

  constructor() {
    const { open, rename } = Deno;
    const { write, sync } = Deno.FsFile.prototype;
    const [paths, unsynced, renamed] = [this.#paths, this.unsynced, this.renamed];
    Deno.open = async (path, options) => {
      const file = await open(path, options);
      paths.set(file, String(path));
      return file;
    };
    Deno.rename = async (from, to) => {
      renamed.push([String(to).replace(/.*\//, ""), !unsynced.has(String(from))]);
      unsynced.add(String(to));
      await rename(from, to);
    };
    Deno.FsFile.prototype.write = async function (bytes) {
      unsynced.add(paths.get(this) ?? "");
      return await write.call(this, bytes);
    };
    Deno.FsFile.prototype.sync = async function () {
      await sync.call(this);
      const path = paths.get(this) ?? "";
      unsynced.delete(path);
      for (const name of unsynced) if (dirname(name) === path) unsynced.delete(name);
    };
    this.#stack.defer(() => {
      Object.assign(Deno, { open, rename });
      Object.assign(Deno.FsFile.prototype, { write, sync });
    });
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }
}

Deno.test("a backup and a restored directory get their names when their bytes are on the disk", async () => {
  await using folder = await makeFolder();
  using watch = new RenameWatch();
  const file = await makeBackup(folder);
  assert.deepEqual(watch.renamed.at(-1), ["one.backup", true]);
  assert.ok(!watch.unsynced.has(file));
  const data = `${folder.path}/restored`;
  watch.renamed.length = 0;
  watch.unsynced.clear();
  await restore({ file, data });
  const [upload] = Array.from(Deno.readDirSync(locateFiles(data).files), ({ name }) => name);
  assert.deepEqual(watch.renamed, [[upload, true], ["service.json", true], ["service.db", true]]);
  assert.deepEqual([...watch.unsynced], []);
});

Deno.test("a backup neither replaces a file nor leaves one behind when it fails", async () => {
  await using folder = await makeFolder({ "taken": "mine" });
  const data = `${folder.path}/data`;
  assert.equal((await rejection(backUp({ data, file: `${folder.path}/new` }))).code, "INVALID_CONFIG");
  const file = await makeBackup(folder);
  assert.equal((await rejection(backUp({ data, file: `${folder.path}/taken` }))).code, "INVALID_ARGS");
  assert.equal(await Deno.readTextFile(`${folder.path}/taken`), "mine");
  await assert.rejects(backUp({ data, file: `${folder.path}/missing/new` }));
  const [blob] = Array.from(Deno.readDirSync(locateFiles(data).files));
  await Deno.remove(`${locateFiles(data).files}/${blob?.name}`);
  await assert.rejects(backUp({ data, file: `${folder.path}/new` }));
  const names = Array.from(Deno.readDirSync(folder.path), ({ name }) => name).sort();
  assert.deepEqual(names, ["data", "one.backup", "taken"]);
  assert.equal((Deno.statSync(file).mode ?? 0o600) & 0o777, 0o600);
});

Deno.test("a restore replaces no data", async () => {
  await using folder = await makeFolder();
  const file = await makeBackup(folder);
  const error = await rejection(restore({ file, data: `${folder.path}/data` }));
  assert.equal(error.code, "CONFLICT");
  assert.equal((await verify({ data: `${folder.path}/data` })).cases, 1);
});

/** Calls back before a file is opened for the first time. Disposing of it restores `Deno.open`. */
function interceptOpen(path: string, before: () => Promise<unknown>): Disposable {
  const { open } = Deno;
  let called = false;
  Deno.open = async (opened, options) => {
    if (opened === path && !called) {
      called = true;
      await before();
    }
    return await open(opened, options);
  };
  return { [Symbol.dispose]: () => Object.assign(Deno, { open }) };
}

Deno.test("a backup contains no attachment that is deleted before its file is copied", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await using svc = await openService({ data });
  const id = await createCase(svc);
  const [lost, kept] = [await attach(svc, id, "The plan"), await attach(svc, id, "The map")];
  const path = `${locateFiles(data).files}/${lost.ID}`;
  using _deleted = interceptOpen(path, async () => {
    assert.equal((await svc.call("DELETE", `/attachments/${encodeURIComponent(lost.attachment)}`)).status, 200);
    await Deno.remove(path); // As a service does that cannot see the lock of the backup.
  });
  const file = `${folder.path}/one.backup`;
  assert.equal((await backUp({ data, file })).files, 1);
  assert.equal((await verify({ backup: file })).files, 1);
  await Deno.remove(`${locateFiles(data).files}/${kept.ID}`);
  const error = await rejection(backUp({ data, file: `${folder.path}/two.backup` }));
  assert.deepEqual([error.code, error.details?.length], ["STORE_DAMAGED", 1]);
});

Deno.test("a file that an attachment loses during a backup is deleted after it", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const { files } = locateFiles(data);
  const listFiles = () => Array.from(Deno.readDirSync(files), ({ name }) => name);
  await Deno.mkdir(data);
  {
    using _kept = await keepBytes(files);
    await using svc = await openService({ data });
    const { ID, attachment } = await attach(svc, await createCase(svc), "The plan");
    assert.equal((await svc.call("DELETE", `/attachments/${encodeURIComponent(attachment)}`)).status, 200);
    await svc.service.close();
    assert.deepEqual(listFiles(), [ID]);
  }
  {
    await using _again = await openService({ data });
    assert.deepEqual(listFiles(), []);
  }
  const bytes = openBytes(files);
  const store = openSqliteStore(":memory:");
  const clock = await ServiceClock.open(store);
  {
    using _kept = await keepBytes(files);
    const { id } = await bytes.write(ReadableStream.from([new Uint8Array(1)]), 1);
    await bytes.remove(id);
    await sweepRegularly({ store, bytes, clock }, assert.fail)[Symbol.asyncDispose]();
    assert.deepEqual(listFiles(), [id]);
  }
  await sweepRegularly({ store, bytes, clock }, assert.fail)[Symbol.asyncDispose]();
  assert.deepEqual(listFiles(), []);
  await store.close();
});

Deno.test("verify names missing and shortened files, and damage of the database", async () => {
  await using folder = await makeFolder();
  await makeBackup(folder);
  const data = `${folder.path}/data`;
  const { files, database } = locateFiles(data);
  assert.deepEqual((await verify({ data })).files, 1);
  const [blob] = Array.from(Deno.readDirSync(files));
  await Deno.writeTextFile(`${files}/${blob?.name}`, "The");
  assert.match(JSON.stringify((await rejection(verify({ data }))).details), /has 3 bytes instead of 8/);
  await Deno.remove(`${files}/${blob?.name}`);
  assert.match(JSON.stringify((await rejection(verify({ data }))).details), /is missing/);
  using db = new DatabaseSync(database, { enableForeignKeyConstraints: false });
  db.exec("DELETE FROM items; UPDATE assignments SET caseId = 'other'");
  const error = await rejection(verify({ data }));
  assert.equal(error.code, "STORE_DAMAGED");
  assert.match(JSON.stringify(error.details), /A row of assignments refers to a row of cases that does not exist/);
});

Deno.test("a directory without a state is verified, backed up and reset: its database decides", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  {
    await using svc = await openService({ data });
    await attach(svc, await createCase(svc), "The plan");
  }
  const copy = `${folder.path}/copy`;
  await Deno.mkdir(copy);
  for (const name of ["service.db", "files"]) await Deno.rename(`${data}/${name}`, `${copy}/${name}`);
  const { cases, files } = await verify({ data: copy });
  assert.deepEqual([cases, files], [1, 1]);
  const file = `${folder.path}/copy.backup`;
  await backUp({ data: copy, file });
  const restored = await restore({ file, data: `${folder.path}/restored` });
  assert.deepEqual([restored.cases, restored.files], [1, 1]);
  assert.deepEqual(await resetService({ data: copy }), { removed: copy });
  const empty = `${folder.path}/empty`;
  await Deno.mkdir(empty);
  const commands = [verify, resetService, (which: { data: string }) => backUp({ ...which, file: `${file}.2` })];
  for (const run of commands) {
    assert.match((await rejection(run({ data: empty }))).message, /^No service has used .*empty yet\.$/);
  }
});

Deno.test("verify reports a database that SQLite cannot read", async () => {
  await using folder = await makeFolder();
  await makeBackup(folder);
  const data = `${folder.path}/data`;
  await Deno.writeFile(locateFiles(data).database, new Uint8Array(8192).fill(7));
  const error = await rejection(verify({ data }));
  assert.equal(error.code, "STORE_DAMAGED");
  assert.match(JSON.stringify(error.details), /The database cannot be read: /);
});

Deno.test("a failed restore keeps the uploaded files of a directory whose database is lost", async () => {
  await using folder = await makeFolder();
  const backup = await makeBackup(folder);
  const data = `${folder.path}/data`;
  const { database, files } = locateFiles(data);
  for (const path of [database, `${database}-wal`, `${database}-shm`]) await Deno.remove(path).catch(ignoreMissing);
  await assert.rejects(restore({ file: `${folder.path}/missing`, data }));
  assert.equal(Array.from(Deno.readDirSync(files)).length, 1);
  assert.equal((await restore({ file: backup, data })).files, 1);
  assert.equal((await verify({ data })).files, 1);
});

Deno.test("a shortened or changed backup is refused and restores nothing", async () => {
  await using folder = await makeFolder();
  const bytes = await Deno.readFile(await makeBackup(folder));
  const file = `${folder.path}/damaged.backup`;
  const assertRefused = async (damaged: Uint8Array) => {
    await Deno.writeFile(file, damaged);
    const data = `${folder.path}/restored`;
    assert.equal((await rejection(restore({ file, data }))).code, "STORE_DAMAGED");
    assert.equal((await rejection(verify({ backup: file }))).code, "STORE_DAMAGED");
    assert.deepEqual(Array.from(Deno.readDirSync(data), ({ name }) => name), ["service.lock"]);
  };
  const lastByte = bytes.findLastIndex((byte) => byte !== 0);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: lastByte }), (length) => assertRefused(bytes.subarray(0, length))),
    { numRuns: 20 },
  );
  const database = new TextDecoder("latin1").decode(bytes).indexOf("SQLite format 3");
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: database, max: database + 4096 }), async (position) => {
      const changed = bytes.slice();
      changed[position] = (changed[position] ?? 0) ^ 1;
      await assertRefused(changed);
    }),
    { numRuns: 20 },
  );
});

Deno.test(
  "verify reports records whose keys differ only in how accents are stored",
  async () => {
    await using folder = await makeFolder();
    const file = await makeBackup(folder);
    const data = `${folder.path}/data`;
    assert.equal((await verify({ data })).twins, undefined);
    const keys = ["Zo\u00eb", "Zoe\u0308", "Bo"].map((name) => JSON.stringify([name]));
    {
      const store = openSqliteStore(locateFiles(data).database);
      await store.transact(async (tx) => {
        for (const key of keys) await tx.putRecord({ classId: "City-Visit", key, tag: "1", content: {} });
      });
      await store.close();
    }
    const twins = [keys.slice(0, 2).map((key) => `City-Visit ${key}`).sort()];
    assert.deepEqual((await verify({ data })).twins, twins);
    await backUp({ data, file: `${folder.path}/two.backup` });
    assert.deepEqual((await verify({ backup: `${folder.path}/two.backup` })).twins, twins);
    assert.equal((await verify({ backup: file })).twins, undefined);
  },
);
