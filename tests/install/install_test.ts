/**
 * Follows the installation of the README in a copy of the checkout. Both installations work, and the built program prints
 * the same as the sources.
 */
import assert from "node:assert/strict";
import { listExamples, toKebab } from "../../lib/operation/operation.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { copyCheckout } from "../../tasks/support/copy_checkout.ts";
import { INSTALLED_PERMISSIONS } from "../../tasks/support/installed_permissions.ts";
import { startService } from "../../service/mod.ts";
import { readmeBlock } from "../harness/project.ts";
import { CHECKOUT, Home, makeFolder } from "../harness/svc.ts";

const CREDENTIALS = { SVC_BASE_URL: "http://127.0.0.1:1", SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };

Deno.test("svc is built and installed as the README says", async (t) => {
  await using home = await Home.make();
  const checkout = `${home.path}/C# 50%25 what?/checkout`; // Its folder means something to URLs.
  copyCheckout(checkout);
  await using builder = await Home.make(checkout);
  await builder.run(readmeBlock("sh", "deno task build"));

  await t.step("with all permissions, the tour works", () => takeTour(checkout));
  await t.step("the built program needs neither a registry nor the cache of Deno", () => workWithoutRegistry(checkout));
  await t.step("with all permissions, svc works in any folder and loads its modules on first use", () => {
    return workInAnotherFolder(checkout);
  });
  await t.step("with permissions for API calls, svc logs in, makes calls, and writes only its configuration", () => {
    return makeCallsOnly(checkout);
  });
  await t.step("the built program prints the same as the sources", () => compareWithSources(checkout));
  await t.step("no module is included twice", () => checkNoDuplicates(checkout));
  await t.step("the start executes one file besides the entry point", () => countFilesAtStart(checkout));
  await t.step("a call loads three files", () => countFilesOfCall(checkout));
  await t.step("a stack names files and lines of the sources", () => printStack(checkout));
  await t.step("a file that cannot be loaded is an error with a hint", () => breakProgram(checkout));
});

async function takeTour(checkout: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await using home = await Home.make(checkout);
  const install = readmeBlock("sh", "--allow-run dist/cli.js");
  assert.ok(install.replace(/\s+\\\s+/g, " ").includes(` ${INSTALLED_PERMISSIONS.join(" ")} dist/cli.js`), install);
  await home.run(install, env);
  const answers = await home.run(readmeBlock("sh", "svc service start"), env);
  assert.match(answers, /"id": "CITY-PERMIT-WORK P-1",\n {2}"status": "New"/);
  assert.match(answers, /"ID": "ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE"/);
  assert.match(answers, /"status": "Pending-Review"/);
  assert.match(answers, /CITY-PERMIT-WORK P-2/);
  assert.match(answers, /^GET \/dx-api\/v2\/cases\/CITY-PERMIT-WORK%20P-1$/m);
  assert.match(answers, /"stopped": true/);
}

async function workWithoutRegistry(checkout: string): Promise<void> {
  await using cache = await makeFolder();
  const env = { DENO_DIR: cache.path, NPM_CONFIG_REGISTRY: "http://127.0.0.1:1", JSR_URL: "http://127.0.0.1:1" };
  await takeTour(checkout, env);
  await using home = await Home.make(checkout);
  const run = (line: string) => home.run(`deno run -A dist/cli.js ${line} 2>&1 || echo $?`, env);
  assert.match(await run("service validate service/sample/permit.yaml"), /permit\.yaml is valid/);
  assert.match(await run("service start --store postgres://a@127.0.0.1:1/none --files $HOME/files"), /ECONNREFUSED/);
}

async function workInAnotherFolder(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  const install = () => home.run(readmeBlock("sh", "--allow-run dist/cli.js"));
  await install();
  await install(); // Replaces the first installation.
  const svc = (lines: string) => home.run(lines, {}, home.path);
  await svc("svc service start --port 0 --detach");
  try {
    await svc("svc cases create --type City-Permit-Work-Permit");
    assert.match(
      await svc("svc cases get 'CITY-PERMIT-WORK P-1' --fields id,status --format table"),
      /^id +status\nCITY-/,
    );
    assert.match(await svc("svc cases get 'CITY-PERMIT-WORK P-1' --fields id --format yaml"), /^id: CITY-/);
    assert.match(await svc("svc pages insight PermitsByStatus --format yaml"), /Permits: 1/); // Runs in a thread.
    assert.match(await svc("echo plan > plan.txt; svc attachments upload --file plan.txt"), /"ID":/);
    const fees = await Deno.readTextFile(`${CHECKOUT}/service/sample/static/files/fees.csv`);
    assert.equal(await svc("svc static-content file fees.csv -o fees.csv; cat fees.csv"), fees);
    assert.equal(await svc("svc static-content file fees.csv -o /dev/null"), "");
    assert.match(await svc("svc cases gett 2>&1 || echo $?"), /Did you mean 'get'\?.*\n2\n$/);
    assert.match(await svc("svc cases get none 2>&1 || echo $?"), /"code":"NOT_FOUND".*\n1\n$/);
    assert.match(await svc("svc cases create --type T --data @none 2>&1 || echo $?"), /"code":"INVALID_ARGS".*\n2\n$/);
    await svc("svc workflow init flows");
    const failing = "import { defineWorkflow } from '@svc/lib/workflow';\nexport default defineWorkflow({\n" +
      "  name: 'failing', allow: ['cases.get'],\n  run: async ({ svc }) => void await svc.cases.get('none'),\n});\n";
    await Deno.writeTextFile(`${home.path}/flows/failing.ts`, failing);
    assert.match(
      await svc("svc workflow run flows/failing.ts --allow-declared 2>&1 || echo $?"),
      /"code":"NOT_FOUND".*"file":"failing.ts","line":4,/,
    );
    const input = `--input '{"Applicant":"Grace","Address":"Main Street 2"}'`;
    assert.match(await svc(`svc workflow run flows/intake.ts ${input} --allow-declared`), /"Pending-Review"/);
  } finally {
    assert.match(await svc("svc service reset --stop"), /"removed":/); // Commands that run one after another do not block each other.
  }
}

async function countFilesAtStart(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  const { modules } = JSON.parse(await home.run("deno info --json dist/cli.js"));
  assert.equal(modules.length, 2, "cli.js and what it needs");
}

async function countFilesOfCall(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  await home.run("deno run -A dist/cli.js auth login", env);
  await home.run("deno run -A --coverage=$HOME/coverage dist/cli.js case-types list", env);
  const reports = [...Deno.readDirSync(`${home.path}/coverage`)].map(({ name }) =>
    Deno.readTextFileSync(`${home.path}/coverage/${name}`)
  );
  assert.equal(reports.filter((text) => text.includes("/dist/")).length, 3, "cli.js, the core and the group");
}

async function printStack(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  const printed = await home.run("SVC_DEBUG=1 deno run -A dist/cli.js cases get --nope 2>&1 || echo $?");
  assert.match(printed, /at [^\n]*\/cli\/args\/usage_errors\.ts:\d+:\d+\)/);
  assert.ok(!printed.includes("/dist/"), printed);
}

async function breakProgram(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  await home.run("cp -R dist deno.json deno.lock $HOME && rm $HOME/dist/cases-*.js");
  const call = (permissions: string, program: string) =>
    home.run(`deno run --no-prompt ${permissions} ${program} cases get X --dry-run 2>&1 || echo $?`, CREDENTIALS);
  const missing = /^\{"error":\{"code":"INTERNAL_ERROR","message":"Module not found .*'deno task build'\."\}\}\n1\n$/;
  assert.match(await call("--allow-all", "$HOME/dist/cli.js"), missing);
  const denied = /^\{"error":\{"code":"PERMISSION_DENIED","message":"Requires read access .*--allow-read.*\}\n1\n$/;
  assert.match(await call("--allow-env", "dist/cli.js"), denied);
}

async function makeCallsOnly(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  await home.run(readmeBlock("sh", "USERPROFILE"));
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  assert.match(await home.run("svc auth login", env), /"profile": "default"/);
  assert.match(await home.run("svc cases create --type City-Permit-Work-Permit", env), /"status": "New"/);
  assert.match(await home.run("svc case-types list --format yaml", env), /City-Permit-Work-Receipt/);
  assert.deepEqual([...Deno.readDirSync(home.path)].map(({ name }) => name).sort(), [".svc-cli", "bin"]);
}

async function compareWithSources(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  const print = (program: string, line: string) =>
    home.run(`deno run -A ${program} ${line} 2>&1 || echo $?`, CREDENTIALS);
  for (const line of await listLinesToCompare()) {
    const [built, unbuilt] = await Promise.all(["dist/cli.js", "cli.ts"].map((program) => print(program, line)));
    assert.equal(built, unbuilt, line);
  }
}

/** Lists command lines: help, a dry run of each group, and mistakes. */
async function listLinesToCompare(): Promise<string[]> {
  const lines = [
    ...["--version", "--help", "auth --help", "service --help", "workflow --help"],
    ...["service schema", "assignments perform A-1 --interactive", "cases get --no-such-flag", "cases get"],
  ];
  for (const [group, operations] of Object.entries(await loadResources())) {
    const [name = "", operation] = Object.entries(operations).find(([, { method }]) => method === "GET") ?? [];
    const call = `${toKebab(group)} ${toKebab(name)}`;
    lines.push(
      `${toKebab(group)} --help`,
      `${call} --help`,
      `${call} ${operation && listExamples(operation)[0]} --dry-run`,
    );
  }
  return lines;
}

/**
 * Checks that a long text that occurs once in the sources occurs at most once in the built program. The sandbox is built
 * separately, so it is left out, as are the packages.
 */
async function checkNoDuplicates(checkout: string): Promise<void> {
  const sources = await countTexts(
    ["cli", "lib", "service", "utils", "workflows"].map((folder) => `${checkout}/${folder}`),
  );
  const built = await countTexts([`${checkout}/dist`]);
  const modules = [...sources].filter(([, count]) => count === 1).map(([text]) => text);
  assert.ok(
    modules.filter((text) => built.has(text)).length > 300,
    "the built program contains the texts of the sources",
  );
  assert.deepEqual(modules.filter((text) => (built.get(text) ?? 0) > 1), []);
}

async function countTexts(folders: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const folder of folders) {
    for await (const code of readModules(folder)) {
      for (const [, text = ""] of code.matchAll(/"([^"\\\n]{20,})"/g)) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return counts;
}

async function* readModules(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    // The sample is data, and may contain texts of modules. A source map names files.
    if (name.startsWith("permit") || name.endsWith(".map")) continue;
    if (!isDirectory) yield await Deno.readTextFile(`${folder}/${name}`);
    else if (name !== "packages" && name !== "workflows") yield* readModules(`${folder}/${name}`);
  }
}
