/** Workflows of an svc that was loaded from a URL, as from a registry. */
import assert from "node:assert/strict";
import { VERSION } from "../../../lib/version.ts";
import { emptyCache } from "../../harness/project.ts";
import { LimitedCommand, makeFolder } from "../../harness/svc.ts";
import { scriptText, svcWorkflow, TinyApi } from "../../harness/workflow.ts";

const CHECKOUT = new URL("../../../", import.meta.url);

Deno.test("svc runs workflows in the same sandbox if it was loaded from a URL", async (t) => {
  await using cache = await emptyCache();
  await using api = new TinyApi();
  await using checkout = serveCheckout();
  const { port } = checkout.addr;
  const program = [`--import-map=http://127.0.0.1:${port}/deno.json`, `http://127.0.0.1:${port}/cli.ts`];
  const env = { DENO_DIR: cache.path, SVC_BASE_URL: api.baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
  const svc = (...args: string[]) => svcWorkflow(args, env, program);

  await t.step("a script can make a call, and has no other access", async () => {
    const attempts = `
      const { id } = await svc.cases.get(input);
      const seen = [];
      for (const reach of [
        () => fetch("http://127.0.0.1:${port}/deno.json"),
        () => import("http://127.0.0.1:${port}/" + "mod.ts"),
        () => import("/etc/" + "passwd", { with: { type: "text" } }),
        () => Deno.readTextFile(new URL(import.meta.url)),
        () => Deno.writeTextFile("x", ""),
      ]) {
        try { seen.push(await reach()); } catch (error) { seen.push(error.message.slice(0, 14)); }
      }
      return [id, ...seen];`;
    await using folder = await makeFolder({ "script.ts": scriptText(attempts, ["cases.get"]) });
    const script = `${folder.path}/script.ts`;
    const ended = await svc("run", script, "--allow-declared", "--input", `"C-1"`, "--format", "compact");
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    const denied = ["net", "import", "read", "read", "write"].map((name) => `Requires ${name} access`.slice(0, 14));
    assert.deepEqual(JSON.parse(ended.stdout), ["C-1", ...denied]);
    assert.deepEqual(api.received.map(({ call }) => call), ["GET /cases/C-1"]);
  });

  await t.step("an error names the line of the script", async () => {
    await using folder = await makeFolder({
      "script.ts": scriptText(`await svc.cases.get("missing");`, ["cases.get"]),
    });
    const { error } = JSON.parse((await svc("run", `${folder.path}/script.ts`, "--allow-declared")).stderr);
    assert.deepEqual([error.code, error.details], ["NOT_FOUND", [{ file: "script.ts", line: 7, column: 1 }]]);
  });

  await t.step("an import of a file outside the folder is rejected", async () => {
    const before = `import passwd from "/etc/passwd" with { type: "text" };`;
    await using folder = await makeFolder({ "script.ts": scriptText("return passwd;", [], before) });
    const ended = await svc("run", `${folder.path}/script.ts`);
    const { error } = JSON.parse(ended.stderr);
    assert.deepEqual([error.code, ended.stdout], ["PERMISSION_DENIED", ""]);
    assert.match(error.message, /passwd, which is outside/);
  });

  await t.step("a batch runs all inputs", async () => {
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

Deno.test("the error of an import that Deno denies names the missing flag", async () => {
  const errors = new URL("lib/errors.ts", CHECKOUT).href;
  const program = `
    import { toSvcError } from ${JSON.stringify(errors)};
    const [module] = Deno.args;
    console.log(JSON.stringify(toSvcError(await import(module).catch((error) => error))));`;
  await using folder = await makeFolder({ "program.js": program });
  const { stdout } = await new LimitedCommand(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-import=127.0.0.1:1",
      `${folder.path}/program.js`,
      "http://localhost:1/cli.ts",
    ],
  }).output();
  const { code, message, hint } = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(code, "PERMISSION_DENIED");
  assert.match(message, /--allow-import/);
  assert.match(hint, /Add that flag to/);
});

function serveCheckout(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/deno.json") return Response.json(await readConfiguration());
    const type = pathname.endsWith(".ts") ? "text/typescript" : "application/json";
    return new Response(await Deno.readFile(new URL(`.${pathname}`, CHECKOUT)), { headers: { "content-type": type } });
  });
}

/** Reads `deno.json` and maps the modules of each package, too: an import map needs an entry for them, a checkout does not. */
async function readConfiguration(): Promise<object> {
  const configuration: { imports: Record<string, string> } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", CHECKOUT)),
  );
  const packages = Object.entries(configuration.imports).filter(([, specifier]) => specifier.startsWith("npm:"));
  const modules = packages.map(([name, specifier]) => [`${name}/`, `${specifier.replace("npm:", "npm:/")}/`]);
  return { ...configuration, imports: { ...configuration.imports, ...Object.fromEntries(modules) } };
}
