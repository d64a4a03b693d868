/** `svc service`: a person starts it, calls it, adds a colleague, stops it, and starts it again. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { reset, stop } from "../service/admin/control.ts";
import { filesOf, isInUse, lockDirectory, readState } from "../service/directory.ts";
import { runService } from "../service/run.ts";
import { openSqliteStore } from "../service/store/sqlite.ts";
import { linesOf } from "../workflows/lines.ts";
import { PERMIT_FILE } from "./_support/engine.ts";
import { leaveBulkJob } from "./_support/bulk_job.ts";
import { endWithoutRoom } from "./_support/no_room.ts";
import { PROGRAM } from "./_support/program.ts";
import { CHECKOUT } from "./_support/readme.ts";
import { makeFolder } from "./_support/workflow.ts";
import { endOf } from "./_support/workflow_process.ts";

interface Ran {
  readonly code: number;
  readonly out: Record<string, unknown>;
  readonly error: Record<string, unknown>;
}

/** A configuration directory of its own, and `svc` in it; the service that it leaves is stopped. */
class Office implements AsyncDisposable {
  readonly directory: string;
  /** Folders that `svc` may write to besides. */
  readonly writable: string[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async open(): Promise<Office> {
    return new Office(await Deno.makeTempDir({ prefix: "svc-test-" }));
  }

  commandLine(args: readonly string[]): string[] {
    const permissions = [
      "--allow-net",
      "--allow-read",
      `--allow-write=${[this.directory, ...this.writable].join(",")}`,
      "--allow-env",
      "--allow-run",
    ];
    return [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, PROGRAM, ...args];
  }

  command(args: readonly string[]): Deno.Command {
    const [program = "", ...rest] = this.commandLine(args);
    return new Deno.Command(program, {
      args: rest,
      env: { SVC_CONFIG_DIR: this.directory },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  }

  async svc(...args: string[]): Promise<Ran> {
    const { code, stdout, stderr } = await this.command(args).output();
    const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { code, out: out ? JSON.parse(out) : {}, error: error ? JSON.parse(error).error : {} };
  }

  async profiles(): Promise<Record<string, Record<string, unknown>>> {
    return JSON.parse(await Deno.readTextFile(join(this.directory, "config.json"))).profiles;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.svc("service", "stop");
    await Deno.remove(this.directory, { recursive: true });
  }
}

const START = ["service", "start", "--port", "0", "--detach"];
const CREATE = ["cases", "create", "--type", "City-Permit-Work-Permit", "--fields", "id,status"];

Deno.test("the first start makes a client and a profile: the next command works at once", async () => {
  await using office = await Office.open();
  const started = await office.svc(...START);
  assert.equal(started.code, 0, JSON.stringify(started.error));
  assert.deepEqual(started.out.profiles, ["default"]);
  const { default: profile } = await office.profiles();
  assert.equal(profile?.baseUrl, started.out.url);
  assert.ok(String(profile?.clientSecret).length >= 43);
  if (Deno.build.os !== "windows") {
    assert.equal(((await Deno.stat(join(office.directory, "config.json"))).mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(join(office.directory, "service"))).mode ?? 0) & 0o777, 0o700);
  }
  const created = await office.svc(...CREATE);
  assert.deepEqual(created.out, { id: "CITY-PERMIT-WORK P-1", status: "New" });
});

Deno.test({
  name: "a start writes the profile to where a config.json that is a link leads, also detached",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using office = await Office.open();
    await using dotfiles = await makeFolder();
    const file = `${dotfiles.path}/config.json`;
    const link = `${office.directory}/config.json`;
    await Deno.symlink(file, link);
    office.writable.push(dotfiles.path);
    const { code, error } = await office.svc(...START);
    assert.equal(code, 0, JSON.stringify(error));
    assert.equal((await office.svc("case-types", "list", "--no-cache")).code, 0);
    assert.equal((await office.svc("service", "stop")).code, 0);
    assert.ok((await Deno.lstat(link)).isSymlink);
    assert.ok((await Deno.lstat(file)).isFile);

    await Deno.remove(link);
    await Deno.symlink("config.json", link); // Round and round.
    for (const mode of ["--detach", "--quiet"]) {
      const refused = await office.svc("service", "start", "--port", "0", mode);
      assert.deepEqual([refused.code, refused.error.code], [2, "INVALID_CONFIG"], JSON.stringify(refused));
    }
    await Deno.remove(link);
  },
});

Deno.test("status tells where it runs, stop ends it, and what was kept is there at the next start", async () => {
  await using office = await Office.open();
  assert.equal((await office.svc("service", "status")).out.running, false);
  const started = await office.svc(...START);
  const status = await office.svc("service", "status");
  assert.deepEqual([status.out.running, status.out.answers, status.out.url], [true, true, started.out.url]);
  await office.svc(...CREATE);
  assert.equal((await office.svc("service", "stop")).out.stopped, true);
  assert.equal((await office.svc("service", "stop")).out.stopped, false);
  assert.equal((await office.svc("cases", "get", "CITY-PERMIT-WORK P-1")).error.code, "NETWORK_ERROR");
  await office.svc(...START);
  const read = await office.svc("cases", "get", "CITY-PERMIT-WORK P-1", "--fields", "id");
  assert.deepEqual(read.out, { id: "CITY-PERMIT-WORK P-1" });
});

Deno.test("a directory keeps its application: the next start need not name it, and a reset forgets it", async () => {
  await using office = await Office.open();
  const definition = join(office.directory, "own.yaml");
  await Deno.writeTextFile(
    definition,
    (await Deno.readTextFile(PERMIT_FILE)).replace("name: City permits", "name: Own"),
  );
  const served = async () => (await office.svc("service", "status")).out.application;
  await office.svc(...START, "--app", definition);
  assert.equal(await served(), "Own");
  await office.svc("service", "stop");
  await office.svc(...START);
  assert.equal(await served(), "Own");
  await office.svc("service", "reset", "--stop");
  await office.svc(...START);
  assert.equal(await served(), "City permits");
});

Deno.test("many who ask at the same time whether a service works on a directory do not take each other for one", async () => {
  await using folder = await makeFolder({ "service.lock": "" });
  const ask = () => Promise.all(Array.from({ length: 100 }, () => isInUse(folder.path)));
  assert.deepEqual(new Set(await ask()), new Set([false]));
  using _service = await lockDirectory(folder.path);
  assert.deepEqual(new Set(await ask()), new Set([true]));
});

Deno.test("a second start on the same directory is refused and harms nothing", async () => {
  await using office = await Office.open();
  const { out } = await office.svc(...START);
  for (const args of [START, START.slice(0, -1)]) {
    const again = await office.svc(...args);
    assert.equal(again.code, 1);
    assert.equal(again.error.code, "CONFLICT");
    assert.ok(String(again.error.message).includes(String(out.url)));
    assert.match(String(again.error.hint), /'svc service stop',/);
  }
  assert.equal((await office.svc(...CREATE)).code, 0);
});

Deno.test("a second start on a directory that was named says how to stop the service of that one", async () => {
  await using office = await Office.open();
  const data = join(office.directory, "old office");
  await using _service = await runService({ data, port: 0 });
  const { error } = await office.svc("service", "start", "--port", "0", "--data", data);
  assert.equal(error.code, "CONFLICT");
  assert.ok(String(error.hint).includes(`'svc service stop --data '${data}''`), String(error.hint));
});

Deno.test("a further client works as its own operator, whether the service runs or not", async () => {
  await using office = await Office.open();
  const early = await office.svc("service", "add-client", "--operator", "decider@city", "--profile", "decider");
  assert.equal(early.error.code, "INVALID_CONFIG");
  await office.svc(...START);
  const added = await office.svc("service", "add-client", "--operator", "decider@city", "--profile", "decider");
  assert.equal(added.code, 0, JSON.stringify(added.error));
  assert.equal((await office.svc("assignments", "get-next", "--profile", "decider")).error.code, "NOT_FOUND");
  assert.equal(
    (await office.svc("service", "add-client", "--operator", "nobody", "--profile", "x")).error.code,
    "INVALID_ARGS",
  );
  assert.equal((await office.svc("service", "add-client", "--operator", "decider@city")).error.code, "INVALID_ARGS");
  await office.svc("service", "stop");
  await office.svc("service", "add-client", "--operator", "inspector@city", "--profile", "inspector");
  await office.svc(...START);
  for (const profile of ["default", "decider", "inspector"]) {
    assert.equal((await office.svc("case-types", "list", "--profile", profile)).code, 0);
  }
});

Deno.test("clients that are added at the same time all have a profile that the service is known by", async () => {
  await using office = await Office.open();
  await office.svc(...START);
  const names = ["a", "b", "c", "d", "e", "f"];
  const add = (name: string) => office.svc("service", "add-client", "--operator", "decider@city", "--profile", name);
  const added = await Promise.all(names.map(add));
  assert.deepEqual(added.map(({ code }) => code), names.map(() => 0));
  const { profiles } = (await office.svc("service", "status")).out;
  assert.ok(Array.isArray(profiles));
  assert.deepEqual(new Set(profiles), new Set(["default", ...names]));
});

Deno.test("reset refuses while the service runs, unless it may stop it, and then nothing is left", async () => {
  await using office = await Office.open();
  await office.svc(...START);
  await office.svc(...CREATE);
  const { error } = await office.svc("service", "reset");
  assert.deepEqual([error.code, error.hint], ["CONFLICT", "Add --stop to stop it first."]);
  assert.equal((await office.svc("service", "reset", "--stop")).code, 0);
  assert.deepEqual([...Deno.readDirSync(join(office.directory, "service"))].map(({ name }) => name), ["service.lock"]);
  await office.svc(...START);
  assert.equal((await office.svc("cases", "get", "CITY-PERMIT-WORK P-1")).error.code, "NOT_FOUND");
  assert.deepEqual((await office.svc(...CREATE)).out, { id: "CITY-PERMIT-WORK P-1", status: "New" });
});

Deno.test("reset removes nothing from a folder that no service has worked on", async () => {
  await using office = await Office.open();
  const folder = join(office.directory, "mine");
  await Deno.mkdir(join(folder, "files"), { recursive: true });
  await Deno.writeTextFile(join(folder, "service.db"), "mine");
  const refused = await office.svc("service", "reset", "--data", folder);
  assert.deepEqual([refused.code, refused.error.hint], [2, "There is nothing to remove."]);
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["files", "service.db"]);
  const nameless = await office.svc("service", "reset", "--data", "");
  assert.equal(nameless.error.message, "--data is an empty path.");
});

Deno.test("what cannot be a data directory is one error that says so, and nothing is made", async () => {
  await using office = await Office.open();
  await Deno.mkdir(join(office.directory, "service"));
  await Deno.writeTextFile(join(office.directory, "service/service.json"), "garbage");
  const damaged = (await office.svc("service", "status")).error;
  assert.equal(damaged.code, "INVALID_CONFIG");
  assert.match(String(damaged.message), /service\.json is damaged/);
  const below = await office.svc("service", "status", "--data", join(office.directory, "service/service.json"));
  assert.deepEqual([below.code, below.out.running], [0, false]);
  for (const command of ["status", "stop", "reset"]) {
    const { error } = await office.svc("service", command, "--data", ":memory:");
    assert.deepEqual([error.code, error.hint], [
      "INVALID_ARGS",
      "Name a directory with --data. Ctrl-C ends a service in memory.",
    ]);
  }
  await Deno.remove(join(office.directory, "service"), { recursive: true }); // Or it could not be stopped at the end.
});

Deno.test({
  name: "a data directory that others can change causes a warning, and an empty database in it becomes private",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using office = await Office.open();
    const data = join(office.directory, "open");
    const database = join(data, "service.db");
    await Deno.mkdir(data);
    await Deno.writeTextFile(database, "");
    await Deno.chmod(data, 0o777);
    await Deno.chmod(database, 0o666);
    const start = async () => {
      const { stderr } = await office.command([...START, "--data", data]).output();
      assert.equal((await office.svc("service", "stop", "--data", data)).out.stopped, true);
      return new TextDecoder().decode(stderr);
    };
    const exposed = `Warning: ${data} holds what the service keeps and others can change it. Run: chmod 700 ${data}\n`;
    assert.equal(await start(), exposed);
    assert.equal(((await Deno.stat(database)).mode ?? 0) & 0o777, 0o600);
    await Deno.chmod(data, 0o755);
    await Deno.chmod(database, 0o644);
    assert.equal(
      await start(),
      `Warning: ${database} holds what the service keeps and others can read it. Run: chmod 600 ${database}\n`,
    );
  },
});

Deno.test("a profile that leads elsewhere is never replaced", async () => {
  await using office = await Office.open();
  const config = {
    profiles: { default: { baseUrl: "https://production.example", clientId: "me", clientSecret: "mine" } },
  };
  await Deno.writeTextFile(join(office.directory, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const refused = await office.svc(...START);
  assert.equal(refused.error.code, "INVALID_CONFIG");
  assert.match(String(refused.error.hint), /--profile/);
  assert.equal((await office.svc("service", "status")).out.running, false);
  assert.equal((await office.svc(...START, "--profile", "local")).code, 0);
  assert.deepEqual((await office.profiles()).default, config.profiles.default);
  assert.equal((await office.svc(...CREATE, "--profile", "local")).code, 0);
});

Deno.test("a profile that was made to lead elsewhere stays so when the service is at another address", async () => {
  await using office = await Office.open();
  await office.svc(...START);
  await office.svc("service", "stop");
  const elsewhere = { baseUrl: "https://production.example", clientId: "me", clientSecret: "mine" };
  await Deno.writeTextFile(join(office.directory, "config.json"), JSON.stringify({ profiles: { default: elsewhere } }));
  assert.equal((await office.svc(...START, "--profile", "local")).code, 0);
  assert.deepEqual((await office.profiles()).default, elsewhere);
});

Deno.test("while a service starts, nobody takes the process of the one before for it", async () => {
  const before = { pid: Deno.pid, url: "", apiRoot: "", tokenPath: "", app: "", startedAt: "" };
  await using folder = await makeFolder({ "data/service.json": JSON.stringify(before) });
  const data = `${folder.path}/data`;
  const found: unknown[] = [];
  await using _service = await runService({ data }, async () => void found.push((await readState(data))?.pid));
  assert.deepEqual(found, [0]);
});

Deno.test("stop ends no process but the one that says itself that it is the service", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await using other = new Deno.Command("cat", { stdin: "piped", stdout: "null" }).spawn();
  const name = async (state: object) => {
    await Deno.writeTextFile(`${data}/service.json`, JSON.stringify({ ...await readState(data), ...state }));
  };
  {
    await using _service = await runService({ data });
    await name({ pid: other.pid });
    for (const stopping of [() => stop({ data }), () => reset({ data, stopFirst: true })]) {
      await assert.rejects(stopping, {
        code: "CONFLICT",
        message: `The service of ${data} is process ${Deno.pid}, not ${other.pid} as service.json says.`,
      });
    }
  }
  const lock = await lockDirectory(data);
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    lock[Symbol.dispose](); // It is about to stop, and has no answer any more.
    return new Response("", { status: 502 });
  });
  await name({ pid: other.pid, url: `http://127.0.0.1:${server.addr.port}` });
  assert.deepEqual(await stop({ data }), { stopped: true, data });
  await other.stdin.close();
  assert.equal((await other.status).signal, null);
});

Deno.test("a number that no process has is none of a service", async () => {
  for (const pid of [-1, -1234, 0.5, 2 ** 32 - 1, 2 ** 53]) {
    const state = { pid, url: "", apiRoot: "", tokenPath: "", app: "", startedAt: "" };
    await using folder = await makeFolder({ "service.json": JSON.stringify(state) });
    await assert.rejects(readState(folder.path), { message: `${folder.path}/service.json is damaged.` });
  }
});

Deno.test("a service that cannot start says why, in the foreground and detached", async () => {
  await using office = await Office.open();
  const definition = join(office.directory, "broken.yaml");
  await Deno.writeTextFile(definition, "application: 3\n");
  for (const args of [START, START.slice(0, -1)]) {
    const broken = await office.svc(...args, "--app", definition);
    assert.equal(broken.code, 2);
    assert.equal(broken.error.code, "INVALID_CONFIG");
    assert.match(String(broken.error.message), /broken\.yaml:1:/);
    const { error } = await office.svc(...args, "--max-file", "0");
    assert.deepEqual([error.code, error.hint], ["INVALID_ARGS", "Give --max-file, or maxFile, more than 0 MiB."]);
  }
  assert.equal((await office.svc("service", "start", "--port", "70000")).error.code, "INVALID_ARGS");
  assert.equal((await office.svc(...START, "--data", ":memory:")).error.code, "INVALID_ARGS");
});

Deno.test("a start that finds no room for its tables says so, and not what became of the attempt to make them", async () => {
  await using office = await Office.open();
  await Deno.mkdir(join(office.directory, "service"));
  const database = join(office.directory, "service/service.db");
  const start = office.commandLine(["service", "start", "--port", "0"]);
  const { code, stderr } = await endWithoutRoom(start, database, office.directory);
  assert.equal(code, 2);
  assert.equal(JSON.parse(stderr).error.message, `The database ${database} cannot be opened: disk I/O error.`);
});

Deno.test("a start whose port is taken says so and nothing else, and leaves what was promised to the next one", async () => {
  await using office = await Office.open();
  const { path, database } = filesOf(join(office.directory, "service"));
  await Deno.mkdir(path);
  await leaveBulkJob(path, ["one", "two", "three"]);
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = other.addr;
  const { code, stderr } = await endOf(office.command(["service", "start", "--port", String(port)]));
  assert.equal(code, 2);
  const taken = `The service cannot listen on http://127.0.0.1:${port}: another program listens there.`;
  assert.equal(JSON.parse(stderr).error.message, taken);
  const store = openSqliteStore(database);
  const [job, progress] = await store.read(async (tx) => {
    return [await tx.getItem("bulk-job", "J"), await tx.getItem("bulk-progress", "J")];
  });
  await store.close();
  assert.ok(job);
  assert.equal(progress, undefined);
});

Deno.test("in the foreground it prints its address and serves until it is told to stop", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using office = await Office.open();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const child = office.command(["service", "start", "--port", "0", "--data", ":memory:", "--format", "compact"])
      .spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { url } = JSON.parse((await reader.read()).value ?? "");
    assert.equal((await (await fetch(`${url}/health`)).json()).status, "ok");
    assert.equal((await office.svc(...CREATE)).code, 0);
    child.kill(signal);
    assert.equal((await child.status).code, 0);
    await reader.cancel();
    await child.stderr.cancel();
    await assert.rejects(fetch(`${url}/health`));
  }
});

Deno.test(
  "a program that serves by the command line keeps its signals when other commands end, and has them back after",
  {
    ignore: Deno.build.os === "windows",
  },
  async () => {
    const program = `
    import { main } from ${JSON.stringify(import.meta.resolve("../cli.ts"))};
    const serving = main(["service", "start", "--port", "0", "--data", ":memory:", "--quiet", "--fields", "url"]);
    await main(["completion", "bash"]);
    console.log("ended", await serving);
    setInterval(() => {}, 1000);
  `;
    await using office = await Office.open();
    await using folder = await makeFolder({ "program.ts": program });
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        "--allow-all",
        `--config=${CHECKOUT}/deno.json`,
        `${folder.path}/program.ts`,
      ],
      env: { SVC_CONFIG_DIR: office.directory },
      stdout: "piped",
    }).spawn();
    for await (const { text } of linesOf(child.stdout)) {
      if (text?.includes("http://") || text === "ended 0") child.kill("SIGTERM");
    }
    assert.equal((await child.status).signal, "SIGTERM");
  },
);

Deno.test("a service whose process was killed is found dead, and starts again with all that it had answered", async () => {
  await using office = await Office.open();
  const { out } = await office.svc(...START);
  await office.svc(...CREATE);
  assert.ok(typeof out.pid === "number", "the service says which process it is");
  Deno.kill(out.pid, "SIGKILL");
  const end = Date.now() + 5000;
  let status = await office.svc("service", "status");
  while (status.out.running === true && Date.now() < end) status = await office.svc("service", "status");
  assert.equal(status.out.running, false);
  assert.equal((await office.svc("service", "stop")).out.stopped, false);
  await office.svc(...START);
  assert.equal((await office.svc("cases", "get", "CITY-PERMIT-WORK P-1")).code, 0);
});
