/** svc is loaded from a URL, as from a registry: its workflows run as they do from a checkout. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import { VERSION } from "../../lib/version.ts";
import { SANDBOX_FILES } from "../../workflows/sandbox/host/library.ts";
import { emptyCache } from "../harness/registry.ts";
import { makeFolder, scriptText, TinyApi } from "../harness/workflow.ts";
import { svcWorkflow } from "../harness/workflow_process.ts";

const CHECKOUT = new URL("../../", import.meta.url);

Deno.test("an svc that was loaded from a URL runs workflows in the same sandbox", async (t) => {
  await using cache = await emptyCache();
  await using api = new TinyApi();
  await using checkout = serveCheckout();
  const { port } = checkout.addr;
  const program = [`--import-map=http://127.0.0.1:${port}/deno.json`, `http://127.0.0.1:${port}/cli.ts`];
  const env = { DENO_DIR: cache.path, SVC_BASE_URL: api.baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
  const svc = (...args: string[]) => svcWorkflow(args, env, program);

  await t.step("a call, and no way out", async () => {
    const attempts = `
      const { id } = await svc.cases.get(input);
      const said = [];
      for (const reach of [
        () => fetch("http://127.0.0.1:${port}/deno.json"),
        () => import("http://127.0.0.1:${port}/" + "mod.ts"),
        () => import("/etc/" + "passwd", { with: { type: "text" } }),
        () => Deno.readTextFile(new URL(import.meta.url)),
        () => Deno.writeTextFile("x", ""),
      ]) {
        try { said.push(await reach()); } catch (error) { said.push(error.message.slice(0, 14)); }
      }
      return [id, ...said];`;
    await using folder = await makeFolder({ "script.ts": scriptText(attempts, ["cases.get"]) });
    const script = `${folder.path}/script.ts`;
    const ended = await svc("run", script, "--allow-declared", "--input", `"C-1"`, "--format", "compact");
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    const denied = ["net", "import", "read", "read", "write"].map((name) => `Requires ${name} access`.slice(0, 14));
    assert.deepEqual(JSON.parse(ended.stdout), ["C-1", ...denied]);
    assert.deepEqual(api.received.map(({ call }) => call), ["GET /cases/C-1"]);
  });

  await t.step("an error names the script's line", async () => {
    await using folder = await makeFolder({
      "script.ts": scriptText(`await svc.cases.get("missing");`, ["cases.get"]),
    });
    const { error } = JSON.parse((await svc("run", `${folder.path}/script.ts`, "--allow-declared")).stderr);
    assert.deepEqual([error.code, error.details], ["NOT_FOUND", [{ file: "script.ts", line: 7, column: 1 }]]);
  });

  await t.step("an import from elsewhere is refused", async () => {
    const before = `import passwd from "/etc/passwd" with { type: "text" };`;
    await using folder = await makeFolder({ "script.ts": scriptText("return passwd;", [], before) });
    const ended = await svc("run", `${folder.path}/script.ts`);
    const { error } = JSON.parse(ended.stderr);
    assert.deepEqual([error.code, ended.stdout], ["PERMISSION_DENIED", ""]);
    assert.match(error.message, /passwd, which is outside/);
  });

  await t.step("many inputs", async () => {
    await using folder = await makeFolder({
      "script.ts": scriptText("return (await svc.cases.get(input)).id;", ["cases.get"]),
      "in.ndjson": `"a"\n"b"\n"c"\n`,
    });
    const ended = await svc(
      "run",
      `${folder.path}/script.ts`,
      "--allow-declared",
      "--each",
      `${folder.path}/in.ndjson`,
    );
    const lines = ["a", "b", "c"].map((id, index) => `{"input":"in.ndjson:${index + 1}","result":"${id}"}\n`);
    assert.deepEqual([ended.code, ended.stdout], [0, lines.join("")]);
  });

  await t.step("init names the published package", async () => {
    await using folder = await makeFolder();
    const ended = await svcWorkflow(["init", folder.path], env, [`--allow-write=${folder.path}`, ...program]);
    assert.equal(ended.code, 0, ended.stderr);
    const config = JSON.parse(await Deno.readTextFile(`${folder.path}/deno.json`));
    assert.deepEqual(config, { imports: { "@svc/lib": `jsr:@svc/lib@^${VERSION}` } });
  });
});

Deno.test("a sandbox loads the files that are listed for it, no other and no package", async () => {
  const loaded = new Set(
    ["workflows/sandbox/guest/main.ts", "workflows/mod.ts"].map((file) => new URL(file, CHECKOUT).href),
  );
  const imports = new Map<unknown, string[]>();
  for (const root of loaded) {
    for (const { specifier, dependencies } of await modulesOf(root)) {
      imports.set(specifier, listOf(dependencies).map(({ code }) => isJsonObject(code) ? String(code.specifier) : ""));
    }
  }
  for (const file of loaded) {
    for (const target of imports.get(file) ?? []) if (target !== "") loaded.add(target);
  }
  const files = [...loaded].map((url) => url.replace(CHECKOUT.href, "")).toSorted();
  assert.deepEqual(files, [...SANDBOX_FILES].toSorted());
});

Deno.test("a file of svc that cannot be loaded from its URL says what to do", async () => {
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = closed.addr;
  closed.close();
  const module = new URL("lib/import_unseen.ts", CHECKOUT).href;
  const program = `
    import { importUnseen } from ${JSON.stringify(module)};
    const told = ({ code, hint }) => ({ code, hint });
    const failures = ["127.0.0.1", "localhost"].map((host) =>
      importUnseen("http://" + host + ":${port}/cli.ts").catch(told));
    console.log(JSON.stringify(await Promise.all(failures)));`;
  await using folder = await makeFolder({ "program.js": program });
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", `--allow-import=127.0.0.1:${port}`, `${folder.path}/program.js`],
  }).output();
  const [unreachable, forbidden] = JSON.parse(new TextDecoder().decode(stdout));
  assert.deepEqual([unreachable.code, forbidden.code], ["NETWORK_ERROR", "PERMISSION_DENIED"]);
  assert.match(unreachable.hint, /downloads its own files/);
  assert.match(forbidden.hint, /allow it to import/);
});

function serveCheckout(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async ({ url }) => {
    const { pathname } = new URL(url);
    const type = pathname.endsWith(".ts") ? "text/typescript" : "application/json";
    return new Response(await Deno.readFile(new URL(`.${pathname}`, CHECKOUT)), { headers: { "content-type": type } });
  });
}

async function modulesOf(root: string): Promise<JsonObject[]> {
  return listOf((await info(root)).modules);
}

async function info(...args: string[]): Promise<JsonObject> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json", ...args] }).output();
  const value: unknown = JSON.parse(new TextDecoder().decode(stdout));
  return isJsonObject(value) ? value : {};
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
