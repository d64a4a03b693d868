/** Upgrades of data of an earlier version: progress, the copy, and what happens when they are interrupted. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { stopService } from "../../../service/admin/control.ts";
import { startService } from "../../../service/mod.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { readUpgrade, type UpgradeState } from "../../../service/server/upgrade_state.ts";
import { SCHEMA_VERSION } from "../../../service/store/sqlite/schema.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { upgradeDatabase, type UpgradeProgress } from "../../../service/store/sqlite/upgrade/upgrade.ts";
import { createEarlierStore, digestStore, listFormats } from "../../../tasks/soak/earlier_stores.ts";
import { LimitedCommand, makeFolder, parseErrorRecord, runCommand } from "../../harness/svc.ts";
import { runWithSmallFiles } from "../../harness/faults.ts";
import { ServiceHome, START_ARGUMENTS } from "../../harness/service.ts";
import { eventually } from "../../harness/wait.ts";

/** The oldest version whose tables are known. */
const OLDEST = 1;

const CASES = 20;

/** Milliseconds in which a start without an upgrade must be ready. */
const START_TIMEOUT = 20_000;

/** A configuration directory with a service of an earlier version. */
async function openEarlier(version = OLDEST, cases = CASES) {
  const home = await ServiceHome.open();
  const data = `${home.directory}/service`;
  createEarlierStore(data, version, cases);
  const { database } = locateFiles(data);
  await Deno.chmod(database, 0o600);
  return { home, data, database, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

function readVersion(database: string): number {
  using db = new DatabaseSync(database, { readOnly: true });
  return Number(db.prepare("PRAGMA user_version").get()?.user_version);
}

/** Lists the database and the files of its copies. */
async function listDatabases(data: string): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(data), ({ name }) => name);
  return names.filter((name) => /\.db(?!-)|\..*\.db/.test(name)).toSorted();
}

/** Keeps another process from changing a database. */
function lockDatabase(database: string): Disposable {
  const db = new DatabaseSync(database);
  db.exec("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => db.close() };
}

/** Waits until a process tries the first step that changes the database, then suspends it. */
async function suspendUpgrade(data: string): Promise<UpgradeState> {
  const upgrade = await eventually("the upgrade has made its copy", async () => {
    const state = await readUpgrade(data);
    return state !== undefined && state.step > 1 && state;
  });
  Deno.kill(upgrade.pid, "SIGSTOP");
  return upgrade;
}

Deno.test("each earlier version is upgraded step by step, and its copy has the data from before", async () => {
  for (const version of listFormats().filter((version) => version < SCHEMA_VERSION)) {
    await using folder = await makeFolder();
    const data = `${folder.path}/data`;
    createEarlierStore(data, version, CASES);
    const before = digestStore(data);
    const lines: string[] = [];
    await using _service = await startService({ data, log: (line) => lines.push(line) });
    const copy = `${data}/service.v${version}.db`;
    const steps = SCHEMA_VERSION - version + 1;
    assert.equal(lines[0], `Upgrading the data in ${data}, step 1 of ${steps}: copying the database`);
    const numbers = new Set(lines.slice(0, -1).map((line) => /step (\d+) of/.exec(line)?.[1]));
    assert.deepEqual([...numbers], Array.from({ length: steps }, (_, index) => String(index + 1)));
    assert.match(lines.at(-1) ?? "", /was upgraded\. .* is a copy from before the upgrade\. To go back/);
    assert.ok(lines.at(-1)?.includes(copy));
    assert.deepEqual(digestStore(data, before), before);
    assert.equal(readVersion(copy), version);
  }
});

Deno.test("the copy takes the place of the database, and only the latest copy is kept", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const { database } = locateFiles(data);
  createEarlierStore(data, 3, CASES);
  const before = digestStore(data);
  await Deno.writeTextFile(`${data}/service.v2.db`, "of an earlier upgrade");
  await Deno.writeTextFile(`${data}/service.copying.db`, "of an upgrade that was killed");
  await upgradeDatabase(database);
  assert.deepEqual(await listDatabases(data), ["service.db", "service.v3.db"]);
  if (Deno.build.os !== "windows") {
    assert.equal(((await Deno.stat(`${data}/service.v3.db`)).mode ?? 0) & 0o777, 0o600);
  }
  await Deno.remove(database);
  await Deno.rename(`${data}/service.v3.db`, database);
  assert.deepEqual(digestStore(data), before);
  await (await startService({ data, log: () => {} })).close();
  assert.deepEqual(digestStore(data, before), before);
});

Deno.test("an upgrade that is killed between any two steps continues, and keeps its first copy", async () => {
  const steps = SCHEMA_VERSION - OLDEST + 1;
  for (let killed = 1; killed <= steps; killed++) {
    await using folder = await makeFolder();
    const data = `${folder.path}/data`;
    createEarlierStore(data, OLDEST, CASES);
    const { database } = locateFiles(data);
    const before = digestStore(data);
    const program = `
      import { upgradeDatabase } from ${
      JSON.stringify(import.meta.resolve("../../../service/store/sqlite/upgrade/upgrade.ts"))
    };
      const observe = ({ step }) => {
        if (step === ${killed}) Deno.kill(Deno.pid, "SIGKILL");
        return Promise.resolve();
      };
      await upgradeDatabase(${JSON.stringify(database)}, { observe });`;
    const args = ["run", "--quiet", "--allow-all", "data:application/typescript," + encodeURIComponent(program)];
    const { signal } = await new LimitedCommand(Deno.execPath(), { args }).output();
    if (Deno.build.os !== "windows") assert.equal(signal, "SIGKILL");
    assert.equal(readVersion(database), Math.max(OLDEST, OLDEST + killed - 2));

    const seen: UpgradeProgress[] = [];
    const report = await upgradeDatabase(database, {
      observe: (progress) => Promise.resolve(void seen.push(progress)),
    });
    assert.equal(seen[0]?.steps, killed === 1 ? steps : steps - killed + 1, `killed in step ${killed}`);
    assert.deepEqual(report, { from: OLDEST, copy: `${data}/service.v${OLDEST}.db` });
    assert.deepEqual(await listDatabases(data), ["service.db", `service.v${OLDEST}.db`]);
    assert.deepEqual(digestStore(data, before), before);
    assert.equal(readVersion(database), SCHEMA_VERSION);
  }
});

Deno.test("a signal interrupts an upgrade after its step", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  createEarlierStore(data, OLDEST, CASES);
  const { database } = locateFiles(data);
  const controller = new AbortController();
  const observe = ({ step }: UpgradeProgress) => {
    if (step === 2) controller.abort();
    return Promise.resolve();
  };
  const error = await upgradeDatabase(database, { signal: controller.signal, observe }).catch((error) => error);
  assert.equal(error.code, "INTERRUPTED");
  assert.match(error.hint, /Start the service again to continue/);
  assert.equal(readVersion(database), OLDEST + 1);
  await upgradeDatabase(database);
  assert.equal(readVersion(database), SCHEMA_VERSION);
});

Deno.test("a detached start waits for an upgrade, and other commands report it", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using earlier = await openEarlier();
  const { home, data, database } = earlier;
  let starting: ReturnType<typeof runCommand>;
  let upgrade: UpgradeState;
  {
    using _lock = lockDatabase(database);
    starting = runCommand(home.command(START_ARGUMENTS));
    upgrade = await suspendUpgrade(data);
    const since = performance.now();
    const progress = `step 2 of ${upgrade.steps}: ${upgrade.activity}`;
    for (const args of [START_ARGUMENTS, START_ARGUMENTS.slice(0, -1)]) {
      const { code, error } = await home.svc(...args);
      assert.deepEqual([code, error.code], [1, "CONFLICT"]);
      assert.equal(error.message, `Process ${upgrade.pid} is upgrading the data in ${data} (${progress}).`);
      assert.match(String(error.hint), /'svc service stop' interrupts/);
    }
    const { step, steps, activity } = upgrade;
    const { out } = await home.svc("service", "status");
    assert.deepEqual(out, {
      running: true,
      answers: false,
      upgrade: { step, steps, activity },
      pid: upgrade.pid,
      data,
      log: locateFiles(data).log,
    });
    const isLate = () => performance.now() - since > START_TIMEOUT + 1000;
    await eventually("the time for a start without an upgrade has passed", isLate);
  }
  Deno.kill(upgrade.pid, "SIGCONT");
  const { code, stdout, stderr } = await starting;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).pid, upgrade.pid);
  const lines = stderr.trimEnd().split("\n");
  assert.ok(lines.includes(`Upgrading the data in ${data}, step 2 of ${upgrade.steps}: ${upgrade.activity}`), stderr);
  assert.ok(lines.at(-1)?.includes(`${data}/service.v${OLDEST}.db is a copy from before the upgrade`), stderr);
  const { out } = await home.svc("service", "status");
  assert.equal(out.answers, true);
  assert.equal(out.upgrade, undefined);
  assert.ok((await Deno.readTextFile(locateFiles(data).log)).includes(lines.at(-1) ?? ""));

  await home.svc("service", "reset", "--stop");
  assert.deepEqual(await listDatabases(data), []);
});

Deno.test("'service stop' and a signal interrupt an upgrade, and the next start continues it", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using earlier = await openEarlier();
  const { home, data, database } = earlier;
  const hasSignal = async (pid: number) => {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    return /^ShdPnd:\s*0*[1-9a-f]/m.test(status);
  };
  {
    const lock = lockDatabase(database);
    const starting = runCommand(home.command(START_ARGUMENTS));
    const { pid } = await suspendUpgrade(data);
    const stopping = stopService({ data });
    await eventually("the process has a signal", () => hasSignal(pid));
    Deno.kill(pid, "SIGCONT");
    lock[Symbol.dispose]();
    assert.deepEqual(await stopping, { stopped: true, data });
    const stopped = await starting;
    assert.equal(stopped.code, 130, stopped.stderr);
    assert.equal(readError(stopped.stderr).code, "INTERRUPTED");
  }
  {
    const lock = lockDatabase(database);
    const starting = home.command(START_ARGUMENTS.slice(0, -1)).spawn();
    const continues = async () => (await readUpgrade(data))?.pid === starting.pid;
    await eventually("the upgrade continues", continues);
    starting.kill("SIGSTOP");
    starting.kill("SIGINT");
    starting.kill("SIGCONT");
    lock[Symbol.dispose]();
    const { code, stderr } = await starting.output();
    assert.equal(code, 130);
    assert.equal(readError(new TextDecoder().decode(stderr)).code, "INTERRUPTED");
  }
  const { code, stderr } = await runCommand(home.command(START_ARGUMENTS));
  assert.equal(code, 0, stderr);
  assert.equal(readVersion(database), SCHEMA_VERSION);
});

Deno.test("Ctrl-C during a detached start ends the process that upgrades the data", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using earlier = await openEarlier();
  const { home, data, database } = earlier;
  const lock = lockDatabase(database);
  const starting = home.command(START_ARGUMENTS).spawn();
  await suspendUpgrade(data);
  starting.kill("SIGINT");
  const { code } = await starting.output();
  assert.equal(code, 130);
  lock[Symbol.dispose]();
  assert.deepEqual((await home.svc("service", "status")).out, { running: false, data });
  assert.equal((await runCommand(home.command(START_ARGUMENTS))).code, 0);
});

Deno.test("an upgrade without space for the copy changes nothing", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using earlier = await openEarlier(OLDEST, 1000);
  const { home, data, database } = earlier;
  const before = digestStore(data);
  for (const args of [START_ARGUMENTS, START_ARGUMENTS.slice(0, -1)]) {
    const { code, stderr } = await runWithSmallFiles(home.commandLine(args), home.directory);
    assert.equal(code, 2, stderr);
    const { code: errorCode, message, hint } = readError(stderr);
    assert.equal(errorCode, "INVALID_CONFIG");
    assert.match(String(message), /The upgrade of .*service\.db failed in step 1 of \d+ \(copying the database\): /);
    assert.match(String(hint), /^Check that the disk has \d+ MB of free space, then start/);
    assert.deepEqual(await listDatabases(data), ["service.db"]);
  }
  assert.equal(readVersion(database), OLDEST);
  assert.deepEqual(digestStore(data), before);
});

Deno.test("a damaged database is not upgraded", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  createEarlierStore(data, OLDEST, 200);
  const { database } = locateFiles(data);
  {
    using file = await Deno.open(database, { write: true });
    await file.seek(((await file.stat()).size / 2) & ~0xfff, Deno.SeekMode.Start);
    await file.write(new Uint8Array(8192).fill(0xff));
  }
  const error = await upgradeDatabase(database).catch((error) => error);
  assert.equal(error.code, "STORE_DAMAGED");
  assert.match(error.hint, /^Nothing was changed\./);
  assert.deepEqual(await listDatabases(data), ["service.db"]);
  assert.equal(readVersion(database), OLDEST);
});

Deno.test("a start with nothing to upgrade does not write", async () => {
  await using folder = await makeFolder();
  const database = `${folder.path}/service.db`;
  await openSqliteStore(database).close();
  assert.equal(await upgradeDatabase(database), undefined);
  const store = openSqliteStore(database, true);
  assert.equal((await Deno.stat(`${database}-wal`)).size, 0);
  await store.close();
});

function readError(stderr: string): Record<string, unknown> {
  return parseErrorRecord({ code: 1, stdout: "", stderr: stderr.trimEnd().split("\n").at(-1) ?? "" });
}
