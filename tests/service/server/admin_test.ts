/** A service that runs: a person asks how it is, adds a colleague, stops it, starts it again, removes what it kept. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { resetService, stopService } from "../../../service/admin/control.ts";
import { isInUse, lockDirectory, readState } from "../../../service/server/directory.ts";
import { runService } from "../../../service/server/run.ts";
import { readLines } from "../../../workflows/inputs/lines.ts";
import { CREATE_ARGUMENTS, sendRequest, ServiceHome, START_ARGUMENTS } from "../../harness/service.ts";
import { CHECKOUT, LimitedCommand, makeFolder, runCommand } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

Deno.test("status shows the address, stop ends the service, and the next start has its data", async () => {
  await using home = await ServiceHome.open();
  assert.equal((await home.svc("service", "status")).out.running, false);
  const started = await home.svc(...START_ARGUMENTS);
  const status = await home.svc("service", "status");
  assert.deepEqual([status.out.running, status.out.answers, status.out.url], [true, true, started.out.url]);
  await home.svc(...CREATE_ARGUMENTS);
  assert.equal((await home.svc("service", "stop")).out.stopped, true);
  assert.equal((await home.svc("service", "stop")).out.stopped, false);
  assert.equal((await home.svc("cases", "get", "CITY-PERMIT-WORK P-1")).error.code, "NETWORK_ERROR");
  await home.svc(...START_ARGUMENTS);
  const read = await home.svc("cases", "get", "CITY-PERMIT-WORK P-1", "--fields", "id");
  assert.deepEqual(read.out, { id: "CITY-PERMIT-WORK P-1" });
});

Deno.test("stop names the directory of another running service", async () => {
  await using home = await ServiceHome.open();
  const data = join(home.directory, "other data");
  await home.svc(...START_ARGUMENTS, "--data", data);
  const { code, stdout, stderr } = await runCommand(home.command(["service", "stop"]));
  const usual = join(home.directory, "service");
  assert.deepEqual([code, JSON.parse(stdout)], [0, { stopped: false, data: usual }]);
  assert.equal(
    stderr,
    `No service uses ${usual}. A service uses ${data}. To stop it, run:\n  svc service stop --data '${data}'\n`,
  );
  assert.equal((await home.svc("service", "stop", "--data", data)).out.stopped, true);
  const { hint } = (await home.svc("case-types", "list")).error;
  assert.ok(String(hint).includes(`Run 'svc service start --detach --data '${data}'' to start one`), String(hint));
  assert.deepEqual((await home.svc("service", "stop")).error, {});
});

Deno.test("status and stop find every service of the user: other directories, services without a profile, in memory", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using home = await ServiceHome.open();
  const list = async () => {
    const { out } = await home.svc("service", "status", "--all");
    assert.ok(Array.isArray(out));
    return out;
  };
  assert.deepEqual(await list(), []);
  const [first, second] = [join(home.directory, "first"), join(home.directory, "second")];
  await home.svc(...START_ARGUMENTS, "--data", first);
  await home.svc(...START_ARGUMENTS, "--data", second, "--profile", "second");
  await Deno.remove(join(home.directory, "config.json"));
  const start = ["service", "start", "--port", "0", "--data", ":memory:", "--profile", "memory", "--quiet"];
  const memory = home.command(start).spawn();
  const reader = memory.stdout.getReader();
  await reader.read();
  assert.deepEqual(new Set((await list()).map(({ data }) => data)), new Set([first, second, ":memory:"]));
  for (const { running, answers, url } of await list()) {
    assert.deepEqual([running, answers, typeof url], [true, true, "string"]);
  }

  const killed = (await list()).find(({ data }) => data === second);
  Deno.kill(killed.pid, "SIGKILL");
  await eventually("the killed service is not listed", async () => (await list()).length === 2);
  // The registry still names a process for the directory, which is now another one.
  for (const { name } of Deno.readDirSync(join(home.directory, "services"))) {
    const file = join(home.directory, "services", name);
    const entry = JSON.parse(await Deno.readTextFile(file));
    if (entry.data === second) await Deno.writeTextFile(file, JSON.stringify({ ...entry, pid: Deno.pid }));
  }
  assert.equal((await list()).length, 2);

  assert.equal((await home.svc("service", "stop", "--all", "--data", first)).error.code, "INVALID_ARGS");
  const { out: stopped } = await home.svc("service", "stop", "--all");
  assert.ok(Array.isArray(stopped));
  assert.deepEqual(new Set(stopped.map(({ data }) => data)), new Set([first, ":memory:"]));
  assert.equal((await memory.status).code, 0);
  await Promise.all([reader.cancel(), memory.stderr.cancel()]);
  assert.deepEqual(await list(), []);
});

Deno.test("an entry of a service in memory does not match a process that has got its ID", async () => {
  await using home = await ServiceHome.open();
  const { out } = await home.svc(...START_ARGUMENTS);
  const entry = { data: ":memory:", url: out.url, pid: Deno.pid };
  await Deno.writeTextFile(join(home.directory, "services/memory-1.json"), JSON.stringify(entry));
  const { out: listed } = await home.svc("service", "status", "--all");
  assert.deepEqual(Array.isArray(listed) && listed.map(({ pid }) => pid), [out.pid]);
});

Deno.test("concurrent checks whether a directory is in use do not detect each other", async () => {
  await using folder = await makeFolder({ "service.lock": "" });
  const ask = () => Promise.all(Array.from({ length: 100 }, () => isInUse(folder.path)));
  assert.deepEqual(new Set(await ask()), new Set([false]));
  using _service = await lockDirectory(folder.path);
  assert.deepEqual(new Set(await ask()), new Set([true]));
});

Deno.test("a client can be added for another operator whether or not the service runs", async () => {
  await using home = await ServiceHome.open();
  const early = await home.svc("service", "add-client", "--operator", "decider@city", "--profile", "decider");
  assert.equal(early.error.code, "INVALID_CONFIG");
  await home.svc(...START_ARGUMENTS);
  const added = await home.svc("service", "add-client", "--operator", "decider@city", "--profile", "decider");
  assert.equal(added.code, 0, JSON.stringify(added.error));
  assert.equal((await home.svc("assignments", "get-next", "--profile", "decider")).error.code, "NOT_FOUND");
  assert.equal(
    (await home.svc("service", "add-client", "--operator", "unknown", "--profile", "x")).error.code,
    "INVALID_ARGS",
  );
  assert.equal((await home.svc("service", "add-client", "--operator", "decider@city")).error.code, "INVALID_ARGS");
  await home.svc("service", "stop");
  await home.svc("service", "add-client", "--operator", "inspector@city", "--profile", "inspector");
  await home.svc(...START_ARGUMENTS);
  for (const profile of ["default", "decider", "inspector"]) {
    assert.equal((await home.svc("case-types", "list", "--profile", profile)).code, 0);
  }
});

Deno.test("clients that are added concurrently all get a profile", async () => {
  await using home = await ServiceHome.open();
  await home.svc(...START_ARGUMENTS);
  const names = ["a", "b", "c", "d", "e", "f"];
  const add = (name: string) => home.svc("service", "add-client", "--operator", "decider@city", "--profile", name);
  const added = await Promise.all(names.map(add));
  assert.deepEqual(added.map(({ code }) => code), names.map(() => 0));
  const { profiles } = (await home.svc("service", "status")).out;
  assert.ok(Array.isArray(profiles));
  assert.deepEqual(new Set(profiles), new Set(["default", ...names]));
});

Deno.test("reset is refused while the service runs, and with --stop it deletes all data", async () => {
  await using home = await ServiceHome.open();
  await home.svc(...START_ARGUMENTS);
  await home.svc(...CREATE_ARGUMENTS);
  const { error } = await home.svc("service", "reset");
  assert.deepEqual([error.code, error.hint], ["CONFLICT", "Add --stop to stop it first."]);
  assert.equal((await home.svc("service", "reset", "--stop")).code, 0);
  assert.deepEqual([...Deno.readDirSync(join(home.directory, "service"))].map(({ name }) => name), ["service.lock"]);
  await home.svc(...START_ARGUMENTS);
  assert.equal((await home.svc("cases", "get", "CITY-PERMIT-WORK P-1")).error.code, "NOT_FOUND");
  assert.deepEqual((await home.svc(...CREATE_ARGUMENTS)).out, { id: "CITY-PERMIT-WORK P-1", status: "New" });
});

Deno.test("reset deletes nothing from a folder that no service has used", async () => {
  await using home = await ServiceHome.open();
  const folder = join(home.directory, "mine");
  await Deno.mkdir(join(folder, "files"), { recursive: true });
  await Deno.writeTextFile(join(folder, "service.db"), "mine");
  const refused = await home.svc("service", "reset", "--data", folder);
  assert.deepEqual([refused.code, refused.error.hint], [2, "There is nothing to remove."]);
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["files", "service.db"]);
  const nameless = await home.svc("service", "reset", "--data", "");
  assert.equal(nameless.error.message, "--data is an empty path.");
});

Deno.test("an invalid data directory causes an error, and nothing is created", async () => {
  await using home = await ServiceHome.open();
  await Deno.mkdir(join(home.directory, "service"));
  await Deno.writeTextFile(join(home.directory, "service/service.json"), "garbage");
  const damaged = (await home.svc("service", "status")).error;
  assert.equal(damaged.code, "INVALID_CONFIG");
  assert.match(String(damaged.message), /service\.json is damaged/);
  const below = await home.svc("service", "status", "--data", join(home.directory, "service/service.json"));
  assert.deepEqual([below.code, below.out.running], [0, false]);
  for (const command of ["status", "stop", "reset"]) {
    const { error } = await home.svc("service", command, "--data", ":memory:");
    assert.deepEqual([error.code, error.hint], [
      "INVALID_ARGS",
      "Name a directory with --data. Ctrl-C ends a service in memory.",
    ]);
  }
  await Deno.remove(join(home.directory, "service"), { recursive: true }); // Or it could not be stopped at the end.
});

Deno.test("stop ends only a process that identifies itself as the service", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await using other = new LimitedCommand("cat", { stdin: "piped", stdout: "null" }).spawn();
  const name = async (state: object) => {
    await Deno.writeTextFile(`${data}/service.json`, JSON.stringify({ ...await readState(data), ...state }));
  };
  {
    await using service = await runService({ data });
    await name({ pid: other.pid });
    for (const stopping of [() => stopService({ data }), () => resetService({ data, stopFirst: true })]) {
      await assert.rejects(stopping, {
        code: "CONFLICT",
        message: `${service.url} is process ${Deno.pid}, but ${data}/service.json names process ${other.pid}.`,
      });
    }
  }
  const lock = await lockDirectory(data);
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    lock[Symbol.dispose](); // It is about to stop, and has no answer any more.
    return new Response("", { status: 502 });
  });
  await name({ pid: other.pid, url: `http://127.0.0.1:${server.addr.port}` });
  assert.deepEqual(await stopService({ data }), { stopped: true, data });
  await other.stdin.close();
  assert.equal((await other.status).signal, null);
});

Deno.test("an invalid process ID is not accepted as a service", async () => {
  for (const pid of [-1, -1234, 0.5, 2 ** 32 - 1, 2 ** 53]) {
    const state = { pid, url: "", apiRoot: "", tokenPath: "", app: "", startedAt: "" };
    await using folder = await makeFolder({ "service.json": JSON.stringify(state) });
    await assert.rejects(readState(folder.path), { message: `${folder.path}/service.json is damaged.` });
  }
});

Deno.test("a service in the foreground prints its address and runs until a signal", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using home = await ServiceHome.open();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const child = home.command(["service", "start", "--port", "0", "--data", ":memory:", "--format", "compact"])
      .spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { url } = JSON.parse((await reader.read()).value ?? "");
    assert.equal((await (await fetch(`${url}/health`)).json()).status, "ok");
    assert.equal((await home.svc(...CREATE_ARGUMENTS)).code, 0);
    child.kill(signal);
    assert.equal((await child.status).code, 0);
    await reader.cancel();
    await child.stderr.cancel();
    await assert.rejects(fetch(`${url}/health`));
  }
});

Deno.test(
  "a program that runs the service keeps its signal handlers when other commands end",
  {
    ignore: Deno.build.os === "windows",
  },
  async () => {
    const program = `
    import { main } from ${JSON.stringify(import.meta.resolve("../../../cli.ts"))};
    const serving = main(["service", "start", "--port", "0", "--data", ":memory:", "--quiet", "--fields", "url"]);
    await main(["completion", "bash"]);
    console.log("ended", await serving);
    setInterval(() => {}, 1000);
  `;
    await using home = await ServiceHome.open();
    await using folder = await makeFolder({ "program.ts": program });
    const child = new LimitedCommand(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        "--allow-all",
        `--config=${CHECKOUT}/deno.json`,
        `${folder.path}/program.ts`,
      ],
      env: { SVC_CONFIG_DIR: home.directory },
      stdout: "piped",
    }).spawn();
    for await (const { text } of readLines(child.stdout)) {
      if (text?.includes("http://") || text === "ended 0") child.kill("SIGTERM");
    }
    assert.equal((await child.status).signal, "SIGTERM");
  },
);

Deno.test("a killed service is reported as stopped, and the next start has all confirmed changes", async () => {
  await using home = await ServiceHome.open();
  const { out } = await home.svc(...START_ARGUMENTS);
  await home.svc(...CREATE_ARGUMENTS);
  assert.ok(typeof out.pid === "number", "the service says which process it is");
  Deno.kill(out.pid, "SIGKILL");
  await eventually(
    "the status reports that the service is not running",
    async () => (await home.svc("service", "status")).out.running === false,
  );
  assert.equal((await home.svc("service", "stop")).out.stopped, false);
  await home.svc(...START_ARGUMENTS);
  assert.equal((await home.svc("cases", "get", "CITY-PERMIT-WORK P-1")).code, 0);
});

Deno.test("logout revokes the token at the service, even if the token path ends with revoke", async () => {
  for (const tokenPath of ["/oauth2/token", "/oauth2/revoke"]) {
    await using home = await ServiceHome.open();
    const { out: { url } } = await home.svc(...START_ARGUMENTS, "--token-path", tokenPath);
    assert.equal((await home.svc("case-types", "list")).code, 0);
    const { accessToken } = JSON.parse(await Deno.readTextFile(join(home.directory, "token.default.json")));
    const read = async () => {
      const headers = { authorization: `Bearer ${accessToken}` };
      return (await sendRequest("GET", `${url}/dx-api/v2/casetypes`, { headers })).status;
    };
    assert.equal(await read(), 200);
    assert.deepEqual((await home.svc("auth", "logout")).out, { profile: "default", removed: true, revoked: true });
    assert.equal(await read(), 401);
  }
});
