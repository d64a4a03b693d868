/** `svc service start`: what it makes, what the next start finds, and what it refuses. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { locateFiles, readState } from "../../../service/server/directory.ts";
import { startService } from "../../../service/mod.ts";
import { runService } from "../../../service/server/run.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { runWithoutSpace } from "../../harness/faults.ts";
import { CREATE_ARGUMENTS, leaveBulkJob, ServiceHome, spawnService, START_ARGUMENTS } from "../../harness/service.ts";
import { PERMIT_FILE } from "../../harness/service_engine.ts";
import { makeFolder, runCommand } from "../../harness/svc.ts";
import { Terminal } from "../../harness/terminal.ts";
import { within } from "../../harness/wait.ts";

Deno.test("the first start creates a client and a profile for the next command", async () => {
  await using home = await ServiceHome.open();
  const started = await home.svc(...START_ARGUMENTS);
  assert.equal(started.code, 0, JSON.stringify(started.error));
  assert.deepEqual(started.out.profiles, ["default"]);
  const { default: profile } = await home.profiles();
  assert.equal(profile?.baseUrl, started.out.url);
  assert.ok(String(profile?.clientSecret).length >= 43);
  if (Deno.build.os !== "windows") {
    assert.equal(((await Deno.stat(join(home.directory, "config.json"))).mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(join(home.directory, "service"))).mode ?? 0) & 0o777, 0o700);
  }
  const created = await home.svc(...CREATE_ARGUMENTS);
  assert.deepEqual(created.out, { id: "CITY-PERMIT-WORK P-1", status: "New" });
});

Deno.test("a start without --port uses the last port of the directory", async () => {
  await using home = await ServiceHome.open();
  const first = await home.svc(...START_ARGUMENTS);
  await home.svc("service", "stop");
  const { code, out } = await home.svc("service", "start", "--detach");
  assert.equal(code, 0);
  // Another test may have taken the port in the meantime. Then the service uses the next free one.
  assert.ok(getPort(out) >= getPort(first.out));
});

Deno.test("a start without --port uses the next free port, says so, and the next start uses it again", async () => {
  await using home = await ServiceHome.open();
  const first = await home.svc(...START_ARGUMENTS);
  await home.svc("service", "stop");
  const wanted = getPort(first.out);
  const start = (...args: string[]) => runCommand(home.command(["service", "start", "--detach", ...args]));
  using _other = occupyPort(wanted);
  const { code, stdout, stderr } = await start();
  assert.equal(code, 0, stderr);
  const report: Record<string, unknown> = JSON.parse(stdout);
  const port = getPort(report);
  assert.ok(port > wanted, stdout);
  const sentence = `Port ${wanted} is in use, so the service listens on port ${port}.`;
  assert.equal(stderr, `${sentence} The next start will use the same port.\n`);
  assert.equal((await home.profiles()).default?.baseUrl, report.url);
  assert.equal((await home.svc(...CREATE_ARGUMENTS)).code, 0);

  await home.svc("service", "stop");
  const again = await start();
  assert.ok(getPort(JSON.parse(again.stdout)) >= port, again.stdout);

  await home.svc("service", "stop");
  const refused = await start("--port", String(wanted));
  assert.deepEqual([refused.code, JSON.parse(refused.stderr).error.code], [2, "INVALID_ARGS"]);
});

Deno.test("a service in the foreground says which port it uses instead of the default one", async () => {
  await using home = await ServiceHome.open();
  using _other = occupyPort(8080);
  const child = home.command(["service", "start", "--data", ":memory:"]).spawn();
  const stderr = new TextDecoderStream();
  child.stderr.pipeTo(stderr.writable);
  const { value = "" } = await within("the note is printed", stderr.readable.getReader().read());
  assert.match(value, /^Port 8080 is in use, so the service listens on port \d+\.\n$/);
  child.kill("SIGTERM");
  await child.stdout.cancel();
  assert.equal((await child.status).code, 0);
});

/** Listens on a port, unless another program does so already. */
function occupyPort(port: number): Disposable {
  try {
    return Deno.listen({ hostname: "127.0.0.1", port });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return { [Symbol.dispose]() {} };
    throw error;
  }
}

function getPort({ url }: Record<string, unknown>): number {
  return Number(new URL(String(url)).port);
}

Deno.test("svc service logs prints the last lines of a service in the background, also after it has stopped", async () => {
  await using home = await ServiceHome.open();
  const missing = await home.svc("service", "logs");
  assert.equal(missing.error.message, `There is no log file ${home.directory}/service/service.log.`);
  await home.svc(...START_ARGUMENTS, "--log-requests");
  await home.svc("case-types", "list");
  await home.svc("service", "stop");
  const read = async (lines: string) => (await runCommand(home.command(["service", "logs", "--lines", lines]))).stdout;
  const all = await read("1000");
  assert.match(all, /GET \/dx-api\/v2\/casetypes 200/);
  assert.equal(await read("1"), `${all.trimEnd().split("\n").at(-1)}\n`);
});

Deno.test("svc service logs --follow prints new lines, also of the log of a later start, until Ctrl-C", async () => {
  await using home = await ServiceHome.open();
  const log = `${home.directory}/service/service.log`;
  await Deno.mkdir(`${home.directory}/service`);
  await Deno.writeTextFile(log, "one\ntwo\n");
  const [program = "", ...args] = home.commandLine(["service", "logs", "-f", "--lines", "1"]);
  await using terminal = new Terminal(program, args, { env: { SVC_CONFIG_DIR: home.directory } });
  await terminal.waitFor(/^two$/);
  await Deno.writeTextFile(log, "three \x07é\n", { append: true });
  await terminal.waitFor(/^two\nthree \\u0007é$/);
  await Deno.writeTextFile(log, "four\n");
  await terminal.waitFor(/\nfour$/);
  terminal.type("\x03");
  assert.equal(await terminal.exit(), 0);
});

Deno.test("a start at a terminal lists the commands to try next", async () => {
  await using home = await ServiceHome.open();
  const [program = "", ...args] = home.commandLine(START_ARGUMENTS);
  await using terminal = new Terminal(program, args, { env: { SVC_CONFIG_DIR: home.directory } });
  assert.equal(await terminal.exit(), 0);
  const shown = terminal.screen();
  assert.match(shown, /The service is running\. Try next:\n {2}svc case-types list {2}see what/);
  assert.match(shown, /\n {2}svc service seed +add sample cases in all states\n {2}svc inbox +see your work/);
  assert.match(shown, /\n {2}svc service stop +stop the service$/);
});

Deno.test({
  name: "a start writes the profile to the target of a linked config.json, also if detached",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using home = await ServiceHome.open();
    await using dotfiles = await makeFolder();
    const file = `${dotfiles.path}/config.json`;
    const link = `${home.directory}/config.json`;
    await Deno.symlink(file, link);
    home.writable.push(dotfiles.path);
    const { code, error } = await home.svc(...START_ARGUMENTS);
    assert.equal(code, 0, JSON.stringify(error));
    assert.equal((await home.svc("case-types", "list", "--no-cache")).code, 0);
    assert.equal((await home.svc("service", "stop")).code, 0);
    assert.ok((await Deno.lstat(link)).isSymlink);
    assert.ok((await Deno.lstat(file)).isFile);

    await Deno.remove(link);
    await Deno.symlink("config.json", link); // Round and round.
    for (const mode of ["--detach", "--quiet"]) {
      const refused = await home.svc("service", "start", "--port", "0", mode);
      assert.deepEqual([refused.code, refused.error.code], [2, "INVALID_CONFIG"], JSON.stringify(refused));
    }
    await Deno.remove(link);
  },
});

Deno.test("the next start of a directory uses the same application, until a reset", async () => {
  await using home = await ServiceHome.open();
  const definition = join(home.directory, "own.yaml");
  await Deno.writeTextFile(
    definition,
    (await Deno.readTextFile(PERMIT_FILE)).replace("name: City permits", "name: Own"),
  );
  const served = async () => (await home.svc("service", "status")).out.application;
  await home.svc(...START_ARGUMENTS, "--app", definition);
  assert.equal(await served(), "Own");
  await home.svc("service", "stop");
  await home.svc(...START_ARGUMENTS);
  assert.equal(await served(), "Own");
  await home.svc("service", "reset", "--stop");
  await home.svc(...START_ARGUMENTS);
  assert.equal(await served(), "City permits");
});

Deno.test("a detached start passes --strict on, and its service demands entity tags", async () => {
  await using home = await ServiceHome.open();
  assert.equal((await home.svc(...START_ARGUMENTS, "--strict")).code, 0);
  const { out: { id } } = await home.svc(...CREATE_ARGUMENTS);
  const refused = await home.svc("cases", "stage-next", String(id), "--no-auto-tag");
  assert.equal(refused.error.code, "PRECONDITION_REQUIRED");
  assert.equal((await home.svc("cases", "stage-next", String(id))).code, 0);
});

Deno.test("a start with another application or operator creates a new client for the profile", async () => {
  await using home = await ServiceHome.open();
  const definition = join(home.directory, "own.yaml");
  await Deno.writeTextFile(definition, (await Deno.readTextFile(PERMIT_FILE)).replaceAll("clerk@city", "desk@city"));
  const startAs = async (...flags: string[]) => {
    await home.svc("service", "stop");
    assert.equal((await home.svc(...START_ARGUMENTS, ...flags)).code, 0);
    assert.equal((await home.svc("case-types", "list")).code, 0);
    return (await home.profiles()).default?.clientId;
  };
  const first = await startAs();
  assert.equal(await startAs("--operator", "clerk@city"), first);
  const other = await startAs("--app", definition);
  assert.notEqual(other, first);
  const decider = await startAs("--operator", "decider@city");
  assert.notEqual(decider, other);
  assert.equal(await startAs(), decider);
  await home.svc("service", "stop");
  assert.equal((await home.svc(...START_ARGUMENTS, "--operator", "clerk@city")).error.code, "INVALID_ARGS");
});

Deno.test("a second start on the same directory is refused, and the first service continues", async () => {
  await using home = await ServiceHome.open();
  const { out } = await home.svc(...START_ARGUMENTS);
  for (const args of [START_ARGUMENTS, START_ARGUMENTS.slice(0, -1)]) {
    const again = await home.svc(...args);
    assert.equal(again.code, 1);
    assert.equal(again.error.code, "CONFLICT");
    assert.ok(String(again.error.message).includes(String(out.url)));
    assert.match(String(again.error.hint), /'svc service stop',/);
  }
  assert.equal((await home.svc(...CREATE_ARGUMENTS)).code, 0);
});

Deno.test("the error of a second start on a given directory names the command that stops its service", async () => {
  await using home = await ServiceHome.open();
  const data = join(home.directory, "old office");
  await using _service = await runService({ data, port: 0 });
  const { error } = await home.svc("service", "start", "--port", "0", "--data", data);
  assert.equal(error.code, "CONFLICT");
  assert.ok(String(error.hint).includes(`'svc service stop --data '${data}''`), String(error.hint));
});

Deno.test({
  name: "a data directory that others can change causes a warning, and an empty database in it becomes private",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using home = await ServiceHome.open();
    const data = join(home.directory, "open");
    const database = join(data, "service.db");
    await Deno.mkdir(data);
    await Deno.writeTextFile(database, "");
    await Deno.chmod(data, 0o777);
    await Deno.chmod(database, 0o666);
    const start = async () => {
      const { stderr } = await home.command([...START_ARGUMENTS, "--data", data]).output();
      assert.equal((await home.svc("service", "stop", "--data", data)).out.stopped, true);
      return new TextDecoder().decode(stderr);
    };
    const exposed =
      `Warning: ${data} contains the data of the service, and others can change it. Run: chmod 700 ${data}\n`;
    assert.equal(await start(), exposed);
    assert.equal(((await Deno.stat(database)).mode ?? 0) & 0o777, 0o600);
    await Deno.chmod(data, 0o755);
    await Deno.chmod(database, 0o644);
    assert.equal(
      await start(),
      `Warning: ${database} contains the data of the service, and others can read it. Run: chmod 600 ${database}\n`,
    );
  },
});

Deno.test("a profile of another service is never replaced", async () => {
  await using home = await ServiceHome.open();
  const config = {
    profiles: { default: { baseUrl: "https://production.example", clientId: "me", clientSecret: "mine" } },
  };
  await Deno.writeTextFile(join(home.directory, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const refused = await home.svc(...START_ARGUMENTS);
  assert.equal(refused.error.code, "INVALID_CONFIG");
  assert.match(String(refused.error.hint), /--profile/);
  assert.equal((await home.svc("service", "status")).out.running, false);
  assert.equal((await home.svc(...START_ARGUMENTS, "--profile", "local")).code, 0);
  assert.deepEqual((await home.profiles()).default, config.profiles.default);
  assert.equal((await home.svc(...CREATE_ARGUMENTS, "--profile", "local")).code, 0);
});

Deno.test("a profile that a user has changed to another service is not updated by a start", async () => {
  await using home = await ServiceHome.open();
  await home.svc(...START_ARGUMENTS);
  await home.svc("service", "stop");
  const elsewhere = { baseUrl: "https://production.example", clientId: "me", clientSecret: "mine" };
  await Deno.writeTextFile(join(home.directory, "config.json"), JSON.stringify({ profiles: { default: elsewhere } }));
  assert.equal((await home.svc(...START_ARGUMENTS, "--profile", "local")).code, 0);
  assert.deepEqual((await home.profiles()).default, elsewhere);
});

Deno.test("while a service starts, the process of the previous one is not reported", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await (await startService({ data })).close();
  await Deno.writeTextFile(`${data}/service.json`, JSON.stringify({ ...await readState(data), pid: Deno.pid }));
  const found: unknown[] = [];
  await using _service = await runService({ data }, {
    prepare: async () => void found.push((await readState(data))?.pid),
  });
  assert.deepEqual(found, [0]);
});

Deno.test("a service that cannot start reports the reason, in the foreground and detached", async () => {
  await using home = await ServiceHome.open();
  const definition = join(home.directory, "broken.yaml");
  await Deno.writeTextFile(definition, "application: 3\n");
  for (const args of [START_ARGUMENTS, START_ARGUMENTS.slice(0, -1)]) {
    const broken = await home.svc(...args, "--app", definition);
    assert.equal(broken.code, 2);
    assert.equal(broken.error.code, "INVALID_CONFIG");
    assert.match(String(broken.error.message), /broken\.yaml:1:/);
    const { error } = await home.svc(...args, "--max-file", "0");
    assert.deepEqual([error.code, error.hint], ["INVALID_ARGS", "Change --max-file, or the option maxFile."]);
  }
  assert.equal((await home.svc("service", "start", "--port", "70000")).error.code, "INVALID_ARGS");
  assert.equal((await home.svc(...START_ARGUMENTS, "--data", ":memory:")).error.code, "INVALID_ARGS");
});

Deno.test("a start with a database server that cannot be used names the reason, and what to check", async () => {
  await using home = await ServiceHome.open();
  const none = join(home.directory, "none");
  const server = "postgres://ada@127.0.0.1:1/city";
  for (
    const [location, reason] of [
      [server, /cannot be reached/],
      [`${server}?sslrootcert=${none}`, /The sslrootcert file .*none cannot be read\.$/],
    ] as const
  ) {
    const { error } = await home.svc("service", "start", "--store", location);
    assert.equal(error.code, "INVALID_CONFIG");
    assert.match(String(error.message), reason);
    assert.match(String(error.hint), /^Check /);
  }
});

Deno.test("a start on a full disk reports the disk, not the rollback that follows", async () => {
  await using home = await ServiceHome.open();
  await Deno.mkdir(join(home.directory, "service"));
  const database = join(home.directory, "service/service.db");
  const start = home.commandLine(["service", "start", "--port", "0"]);
  const { code, stderr } = await runWithoutSpace(start, database, home.directory);
  assert.equal(code, 2);
  assert.equal(JSON.parse(stderr).error.message, `The database ${database} cannot be opened: disk I/O error.`);
});

Deno.test("a start that finds no database in a used directory fails, and changes nothing", async () => {
  await using folder = await makeFolder();
  const data = join(folder.path, "data");
  await (await spawnService(data)).kill(); // All that it kept is in the write-ahead log.
  const { database } = locateFiles(data);
  const log = `${database}-wal`;
  const refused = (path: string) =>
    assert.rejects(startService({ data: path }), /is empty, although a service has used it/);

  const unlogged = join(folder.path, "unlogged");
  await Deno.mkdir(unlogged, { mode: 0o700 });
  for (const name of ["service.db", "service.json"]) await Deno.copyFile(join(data, name), join(unlogged, name));
  await refused(unlogged);

  const logged = await Deno.readFile(log);
  const kept = await Deno.readFile(database);
  await Deno.remove(database);
  await refused(data);
  await Deno.writeFile(database, new Uint8Array());
  await refused(data);
  assert.deepEqual(await Deno.readFile(log), logged);
  await Deno.writeFile(database, kept);
  await using restored = await startService({ data });
  assert.ok(await restored.hasClients());
});

Deno.test("a start with a port in use reports only that, and leaves unfinished jobs to the next start", async () => {
  await using home = await ServiceHome.open();
  const path = join(home.directory, "service");
  const { database } = locateFiles(path);
  await Deno.mkdir(path);
  await leaveBulkJob(path, ["one", "two", "three"]);
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = other.addr;
  const { code, stderr } = await runCommand(home.command(["service", "start", "--port", String(port)]));
  assert.equal(code, 2);
  const taken = `The service cannot listen on http://127.0.0.1:${port}: another program listens there.`;
  assert.equal(JSON.parse(stderr).error.message, taken);
  const store = openSqliteStore(database);
  const [job, progress] = await store.read(async (tx) => {
    return [await tx.getItem("bulk-job", "J"), await tx.getItem("bulk-progress", "J")];
  });
  await store.close();
  assert.ok(job);
  assert.deepEqual(progress?.content, { done: 0 });
});

Deno.test("a start with a definition that does not fit the data is refused, unless the mismatch is accepted", async () => {
  await using home = await ServiceHome.open();
  const definition = join(home.directory, "own.yaml");
  const changed = (await Deno.readTextFile(PERMIT_FILE)).replace(
    "VisitDate: { type: Date",
    "VisitDate: { type: DateTime",
  );
  await Deno.writeTextFile(definition, changed);
  assert.equal((await home.svc(...START_ARGUMENTS)).code, 0);
  const [, ...create] = CREATE_ARGUMENTS;
  assert.equal((await home.svc("cases", ...create, "--data", '{"VisitDate":"2026-02-03"}')).code, 0);
  await home.svc("service", "stop");
  const start = [...START_ARGUMENTS, "--app", definition];
  const refused = await home.svc(...start);
  assert.deepEqual([refused.code, refused.error.code], [2, "INVALID_CONFIG"]);
  assert.match(
    String(refused.error.message),
    /1 case of City-Permit-Work-Permit with a value of VisitDate that does not fit/,
  );
  assert.equal((await home.svc(...start, "--accept-mismatch")).code, 0);
});
