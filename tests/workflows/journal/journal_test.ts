/** Opening a journal, its errors and its permissions, and the states of its runs. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { SvcError } from "../../../lib/errors.ts";
import { isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import { reopenFailed } from "../../../workflows/engine/reopen.ts";
import { FileLock } from "../../../utils/fs/file_lock.ts";
import { sealAll } from "../../../workflows/journal/sqlite/seal.ts";
import { isPrepared, prepareJournal } from "../../../workflows/journal/sqlite/schema.ts";
import { openScheduleStore } from "../../../workflows/schedules/sqlite_schedule_store.ts";
import type { Journal } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { runWithoutSpace } from "../../harness/faults.ts";
import { LimitedCommand, makeFolder, parseErrorRecord, svcCommand, svcInProcess } from "../../harness/svc.ts";
import { newRun, scriptText, writeInput } from "../../harness/workflow.ts";

const RUN = "r1";

/** A time in the far future. */
const FAR = 8e15;

Deno.test("a journal of a newer version is rejected and not changed", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await (await openJournal(path))[Symbol.asyncDispose]();
  using db = new DatabaseSync(path);
  db.exec("PRAGMA user_version = 99");
  await assert.rejects(openJournal(path), (error) => {
    assert.ok(error instanceof SvcError);
    assert.equal(error.message, `The journal ${path} was written by a newer version of svc.`);
    return true;
  });
  assert.equal(db.prepare("PRAGMA user_version").get()?.user_version, 99);
});

/** Changes a journal to version 1, which had no checksums. */
const FORMER = `
  DROP TABLE lengths;
  DROP TABLE waits;
  DROP TABLE schedules;
  ALTER TABLE runs DROP COLUMN checksum;
  ALTER TABLE inputs DROP COLUMN checksum;
  ALTER TABLE events DROP COLUMN checksum;
  PRAGMA user_version = 1`;

Deno.test("the records of a journal of version 1 get checksums, unless a process works on one of its runs", async () => {
  await using folder = await makeFolder();
  const path = `${await Deno.realPath(folder.path)}/journal.db`;
  const read = async (journal: Journal) => [
    await journal.listRuns(),
    await Array.fromAsync(journal.inputs(RUN)),
    await journal.events(RUN, 1),
  ];
  let before: unknown;
  {
    await using journal = await openJournal(path);
    await journal.createRun(newRun(RUN));
    await writeInput(journal, RUN, 1, (input) => {
      input.begin({ place: "in:1", value: 4711, startedAt: 1, generation: 0 });
      for (const content of ["one", "two"]) input.append({ kind: "log", position: 0, at: 1, content });
    });
    before = await read(journal);
  }
  {
    using db = new DatabaseSync(path);
    db.exec(FORMER);
  }
  {
    using _claim = await FileLock.tryAcquire(`${path}.${RUN}.lock`, { isTemporary: true });
    await assert.rejects(openJournal(path), {
      code: "INVALID_CONFIG",
      message: `An earlier version of svc is working on run ${RUN} in the journal ${path}.`,
    });
  }
  await using journal = await openJournal(path);
  assert.deepEqual(await read(journal), before);
  assert.deepEqual(await journal.verify(), { runs: 1, inputs: 1, events: 2, damaged: [] });
});

for (const version of [2, 4, 5]) {
  Deno.test(`a journal of version ${version} is upgraded to version 6`, () => upgradeFrom(version));
}

async function upgradeFrom(version: number): Promise<void> {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  {
    await using journal = await openJournal(path);
    await journal.createRun(newRun(RUN));
  }
  {
    using db = new DatabaseSync(path);
    if (version < 4) db.exec("DROP TABLE waits");
    if (version < 5) db.exec("DROP TABLE schedules");
    db.exec(`PRAGMA user_version = ${version}`);
  }
  await using journal = await openJournal(path);
  assert.equal((await journal.findRun(RUN))?.id, RUN);
  assert.deepEqual((await journal.verify()).damaged, []);
  using db = new DatabaseSync(path);
  assert.equal(db.prepare("PRAGMA user_version").get()?.user_version, 6);
  await using schedules = await openScheduleStore(path);
  assert.deepEqual(await schedules.list(), []);
}

Deno.test("a journal lists the inputs that wait by the time at which they continue", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  {
    await using journal = await openJournal(path);
    await journal.createRun(newRun(RUN));
    for (const [index, until] of [FAR + 1, 100, 200, 100, 50].entries()) {
      await writeInput(journal, RUN, index + 1, (input) => {
        input.begin({ place: `in:${index + 1}`, startedAt: 1, generation: 0 });
        input.wait(until);
      });
    }
    await writeInput(journal, RUN, 3, (input) => input.wait(90));
    await writeInput(journal, RUN, 5, (input) => {
      input.end({ state: "done" });
      input.wait(10); // It has ended.
    });
    await writeInput(journal, RUN, 4, async (input) => {
      input.append({ kind: "signal", position: 0, at: 1, content: "{}" });
      const [signal] = await journal.events(RUN, 4);
      input.wait(FAR, signal?.seq);
    });
  }
  await using journal = await openJournal(path);
  const list = (upTo: number, limit: number) => journal.waiting(RUN, { upTo, limit });
  assert.deepEqual(await list(9, 9), [
    { number: 3, until: 90 },
    { number: 2, until: 100 },
    { number: 4, until: FAR },
    { number: 1, until: FAR + 1 },
  ]);
  assert.deepEqual(await list(3, 1), [{ number: 3, until: 90 }]);
  assert.equal((await journal.findInput(RUN, 2))?.waitsUntil, 100);
  assert.equal((await journal.findInput(RUN, 5))?.waitsUntil, undefined);
  await writeInput(journal, RUN, 4, (input) => input.wait(FAR)); // The signal came after what it has seen.
  assert.ok(((await journal.findInput(RUN, 4))?.waitsUntil ?? FAR) < FAR);
  assert.deepEqual((await journal.verify()).damaged, []);
  await journal.deleteRun(RUN);
  using db = new DatabaseSync(path);
  assert.equal(db.prepare("SELECT count(*) AS count FROM waits").get()?.count, 0);
});

Deno.test("a journal that another process has locked can be read, and the error of a write names the lock", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await using journal = await openJournal(path, { timeoutMilliseconds: 1 });
  using db = new DatabaseSync(path);
  db.exec("BEGIN IMMEDIATE");
  await using reader = await openJournal(path, { timeoutMilliseconds: 1 });
  assert.deepEqual(await reader.listRuns(), []);
  await assert.rejects(journal.createRun(newRun(RUN)), {
    code: "INVALID_CONFIG",
    message: `The journal ${path} cannot be written: database is locked.`,
    hint: "End the process that keeps it locked.",
  });
});

Deno.test("svc workflow logs reads printed lines without reading responses", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  const journal = await openJournal(path);
  await journal.createRun(newRun(RUN));
  await writeInput(journal, RUN, 1, (input) => {
    input.begin({ place: "input", startedAt: 0, generation: 0 });
    const events = [["call", "{}"], ["answer", "x".repeat(5000)], ["log", "done"]] as const;
    for (const [kind, content] of events) input.append({ kind, position: 1, at: 0, content });
  });
  await journal[Symbol.asyncDispose]();
  using db = new DatabaseSync(path);
  db.exec("UPDATE events SET content = x'00' WHERE kind = 'answer'"); // Decompressing it would fail.
  assert.deepEqual(await svcInProcess(["workflow", "logs", RUN, "--journal", path]), {
    code: 0,
    stdout: "done\n",
    stderr: "",
  });
});

Deno.test("failed inputs are reopened in one commit", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await using journal = await openJournal(path);
  await journal.createRun(newRun(RUN));
  for (let number = 1; number <= 150; number++) {
    await writeInput(journal, RUN, number, (input) => {
      input.begin({ place: `in.csv:${number}`, startedAt: 0, generation: 0 });
      const error = { code: "NOT_FOUND", message: "There is no such case." } as const;
      if (number !== 7) input.end({ state: "failed", error });
    });
  }
  await journal.durable();
  const readSize = async () => (await Deno.stat(`${path}-wal`)).size;
  const before = await readSize();
  assert.equal(await reopenFailed(journal, RUN), 149);
  assert.ok(await readSize() - before < 50 * 4096, `${await readSize() - before} bytes of commits`);
  const inputs = await Array.fromAsync(journal.inputs(RUN));
  assert.ok(inputs.every(({ number, end, generation }) => end === undefined && generation === (number === 7 ? 0 : 1)));
  for (const { number } of inputs) assert.equal((await journal.events(RUN, number)).length, number === 7 ? 0 : 1);
});

Deno.test("a write waits for a long transaction of another process", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await using journal = await openJournal(path);
  const program = `
    import { DatabaseSync } from "node:sqlite";
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.exec("BEGIN IMMEDIATE");
    console.log("locked");
    await Deno.stdin.read(new Uint8Array(1));
    setTimeout(() => db.exec("COMMIT"), 50);`;
  const command = new LimitedCommand(Deno.execPath(), { args: ["eval", program], stdin: "piped", stdout: "piped" });
  await using other = command.spawn();
  await other.stdout.getReader().read();
  await other.stdin.getWriter().write(new Uint8Array(1));
  await journal.createRun(newRun(RUN));
  assert.equal((await journal.findRun(RUN))?.id, RUN);
});

Deno.test("a database of another program is rejected as a journal and not changed", async () => {
  for (const version of [0, 1, 7]) {
    await using folder = await makeFolder();
    const path = `${folder.path}/notes.db`;
    {
      using db = new DatabaseSync(path);
      db.exec(`CREATE TABLE notes (x); PRAGMA user_version = ${version}`);
    }
    const before = await Deno.readFile(path);
    const message = `${await Deno.realPath(path)} is a database, but not a journal.`;
    await assert.rejects(openJournal(path), { code: "INVALID_CONFIG", message });
    assert.deepEqual(await Deno.readFile(path), before);
    assert.deepEqual((await Array.fromAsync(Deno.readDir(folder.path))).map(({ name }) => name), ["notes.db"]);
  }
});

Deno.test("a file that another process turns into a journal at the same time is accepted", async () => {
  for (const read of [0, 1, 2]) {
    await using folder = await makeFolder();
    const path = `${folder.path}/journal.db`;
    using other = new DatabaseSync(path);
    let reads = 0;
    using db = new class extends DatabaseSync {
      override prepare(sql: string) {
        if (reads++ === read) prepareJournal(other, path);
        return super.prepare(sql);
      }
    }(path);
    assert.doesNotThrow(() => {
      while (!isPrepared(db, path));
    });
  }
});

Deno.test("an empty file that becomes a journal gets permissions for its owner only", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using folder = await makeFolder({ "journal.db": "" });
  const path = `${folder.path}/journal.db`;
  await Deno.chmod(path, 0o644);
  await using _journal = await openJournal(path);
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
});

Deno.test("a journal that others can read or change causes a warning with a command, and a private one does not", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return 1;", []) });
  const path = `${folder.path}/journal.db`;
  const run = (...args: string[]) => svcInProcess(["workflow", ...args, "--journal", path]);
  await run("run", `${folder.path}/script.ts`, "--run-id", RUN);
  const commands = [["resume", RUN], ["list"], ["show", RUN], ["logs", RUN], ["report", RUN]];
  for (const [mode, access] of [[0o600, ""], [0o644, "read"], [0o620, "change"], [0o666, "read and change"]] as const) {
    await Deno.chmod(path, mode);
    const content = "holds the data and the permissions of workflows";
    const warning = `Warning: ${path} ${content}, and others can ${access} it. Run: chmod 600 ${path}\n`;
    for (const command of commands) {
      const { code, stderr } = await run(...command);
      assert.deepEqual([code, stderr], [0, access && warning], command.join(" "));
    }
    assert.equal((await run("list", "--quiet")).stderr, "");
  }
});

Deno.test("the error of a journal on a full disk names the reason", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  const command = svcCommand(["workflow", "list", "--journal", path], folder.path);
  const { code, stderr } = await runWithoutSpace(command, path, folder.path);
  assert.equal(code, 2);
  assert.equal(JSON.parse(stderr).error.message, `The journal ${path} cannot be opened: disk I/O error.`);
});

Deno.test("a full disk is recognized by the messages of Linux, macOS and Windows", () => {
  const messages = [
    "No space left on device (os error 28)",
    "There is not enough space on the disk. (os error 112)",
    "Input/output error (os error 5)",
  ];
  assert.deepEqual(messages.map((message) => isDiskFull(new Error(message))), [true, true, false]);
});

Deno.test("a run that was only partly deleted is cancelled", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await using journal = await openJournal(path);
  await journal.createRun(newRun(RUN));
  await writeInput(journal, RUN, 1, (input) => input.begin({ place: "input", startedAt: 0, generation: 0 }));
  await journal.durable();
  using db = new DatabaseSync(path);
  db.exec("CREATE TRIGGER broken BEFORE DELETE ON inputs BEGIN SELECT RAISE(ABORT, 'no'); END");
  await assert.rejects(journal.deleteRun(RUN), /cannot be written: no/);
  assert.equal(await journal.readState(RUN), "cancelled");
});

Deno.test("a run whose deletion was interrupted is not damaged, and can be deleted", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await using journal = await openJournal(path);
  await journal.createRun(newRun(RUN));
  for (const [number, events] of [[1, 5500], [2, 500]] as const) {
    await writeInput(journal, RUN, number, (input) => {
      input.begin({ place: "input", startedAt: 0, generation: 0 });
      for (let i = 0; i < events; i++) input.append({ kind: "log", position: 0, at: 1, content: "line" });
    });
  }
  await journal.durable();
  using db = new DatabaseSync(path);
  db.exec(`
    CREATE TRIGGER broken BEFORE DELETE ON events WHEN OLD.seq > 5000 BEGIN SELECT RAISE(ABORT, 'no'); END`);
  await assert.rejects(journal.deleteRun(RUN), /cannot be written: no/);
  assert.deepEqual(await journal.verify(), { runs: 1, inputs: 2, events: 1000, damaged: [] });
  db.exec("DROP TRIGGER broken");
  await using again = await openJournal(path);
  await again.deleteRun(RUN);
  assert.deepEqual(await again.verify(), { runs: 0, inputs: 0, events: 0, damaged: [] });
});

Deno.test("a batch without calls stops if its journal cannot be written, and resume continues it", async () => {
  const lines = Array.from({ length: 40 }, (_, number) => `${number}\n`);
  // The inputs together take much longer than the delay of a commit, also on a busy disk.
  const script = scriptText("for (let step = 0; step < 1e8; step++); return input;", []);
  await using folder = await makeFolder({ "script.ts": script, "in.ndjson": lines.join("") });
  const path = `${folder.path}/journal.db`;
  await (await openJournal(path))[Symbol.asyncDispose]();
  using db = new DatabaseSync(path);
  db.exec("CREATE TRIGGER broken BEFORE UPDATE ON inputs WHEN NEW.number = 3 BEGIN SELECT RAISE(ABORT, 'no'); END");
  const rest = ["--journal", path, "--quiet"];
  const inputs = ["--each", `${folder.path}/in.ndjson`, "--concurrency", "1"];
  const broken = await svcInProcess([
    "workflow",
    "run",
    `${folder.path}/script.ts`,
    ...inputs,
    "--run-id",
    RUN,
    ...rest,
  ]);
  assert.deepEqual([broken.code, parseErrorRecord(broken).message], [2, `The journal ${path} cannot be written: no.`]);
  assert.ok(broken.stdout.split("\n").length < lines.length, broken.stdout);
  db.exec("DROP TRIGGER broken");
  const resumed = await svcInProcess(["workflow", "resume", RUN, ...rest]);
  assert.deepEqual([resumed.code, resumed.stdout.split("\n").length], [0, 41]);
});

Deno.test("a journal without a table is damaged, and the hint says to restore it or to name another one", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText(`throw new Error("oops");`, []) });
  const path = `${folder.path}/journal.db`;
  await svcInProcess(["workflow", "run", `${folder.path}/script.ts`, "--run-id", RUN, "--journal", path]);
  using db = new DatabaseSync(path);
  db.exec("DROP TABLE inputs");
  const { message, hint } = parseErrorRecord(await svcInProcess(["workflow", "retry", RUN, "--journal", path]));
  assert.equal(message, `The journal ${path} is damaged: a table is missing.`);
  assert.equal(hint, "Restore the file from a copy, or name another one with --journal.");
});

Deno.test("a journal with invalid run IDs is damaged, and no file is created or removed for them", async () => {
  await using folder = await makeFolder({
    "victim/deno.lock": "theirs",
    "mine/journal.db": "",
    "mine/journal.db.x/y": "",
  });
  const path = `${folder.path}/mine/journal.db`;
  const id = "x/../../victim/deno";
  {
    await using journal = await openJournal(path);
    await journal.createRun(newRun(RUN));
    using db = new DatabaseSync(path);
    db.prepare("UPDATE runs SET id = ?").run(id);
    sealAll(db);
  }
  for (const args of [["list"], ["show", id], ["cancel", id], ["delete", id], ["report", id]]) {
    const ended = await svcInProcess(["workflow", ...args, "--journal", path]);
    assert.equal(await Deno.readTextFile(`${folder.path}/victim/deno.lock`), "theirs");
    const { code, message } = parseErrorRecord(ended);
    assert.equal(code, "JOURNAL_DAMAGED", args.join(" "));
    assert.equal(message, `The journal ${path} is damaged: it has the invalid run ID "${id}".`);
  }
});

Deno.test("a lock file has one holder at a time, although each holder removes it", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/lock`;
  let holders = 0;
  let acquired = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let attempt = 0; attempt < 200; attempt++) {
      using lock = await FileLock.tryAcquire(path, { isTemporary: true });
      if (lock === undefined) continue;
      acquired++;
      assert.equal(++holders, 1);
      await Deno.stat(folder.path); // Gives other holders a chance.
      holders--;
    }
  }));
  assert.ok(acquired > 1);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
});

Deno.test("a process that only checks whether a lock is held does not keep others from taking it", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/lock`;
  using check = await Deno.open(path, { create: true, write: true });
  await check.lock(false); // As in a process that is paused during its check.
  const taking = FileLock.tryAcquire(path);
  setTimeout(() => check.unlockSync(), 100);
  using lock = await taking;
  assert.ok(lock !== undefined);
  assert.equal(await FileLock.tryAcquire(path), undefined);
  assert.equal(await FileLock.isHeld(path), true);
});

Deno.test("a journal that another process is creating is opened afterwards", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await (await openJournal(path))[Symbol.asyncDispose]();
  using other = new DatabaseSync(path);
  other.exec("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE");
  setTimeout(() => other.exec("COMMIT"), 100);
  await using journal = await openJournal(path);
  assert.deepEqual(await journal.listRuns(), []);
});
