/**
 * What the README says of installing, done as it says in a copy of the checkout: the program is built, both
 * installations work, and the built program does what the sources do.
 */
import assert from "node:assert/strict";
import { toKebab } from "../../lib/operation/names.ts";
import { listExamples } from "../../lib/operation/operation.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { copyCheckout } from "../../tasks/copy_checkout.ts";
import { startService } from "../../service/mod.ts";
import { readmeBlock as block } from "../harness/project.ts";
import { CHECKOUT, Home } from "../harness/svc.ts";

const CREDENTIALS = { SVC_BASE_URL: "http://127.0.0.1:1", SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };

Deno.test("svc is built and installed as the README says", async (t) => {
  await using home = await Home.make();
  const checkout = `${home.path}/checkout`;
  copyCheckout(checkout);
  await using builder = await Home.make(checkout);
  await builder.run(block("sh", "deno task build"));

  await t.step("for everything it takes the tour", () => takeTour(checkout));
  await t.step("for everything it works from any folder, with what is loaded when it is needed", () => {
    return workElsewhere(checkout);
  });
  await t.step("for calls alone it makes them, logs in and writes nothing but its configuration", () => {
    return callAlone(checkout);
  });
  await t.step("built, it prints what the sources print", () => compareWithSources(checkout));
  await t.step("no module is there twice", () => findTextsOnce(checkout));
  await t.step("what every call executes is one file", () => countFilesAtStart(checkout));
  await t.step("a call loads three files", () => countFilesOfCall(checkout));
  await t.step("a file that cannot be loaded is an error that says what to do", () => breakProgram(checkout));
});

async function takeTour(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  await home.run(block("sh", "--allow-run dist/cli.js"));
  const answers = await home.run(block("sh", "svc service start").replace("--detach", "--port 0 --detach"));
  assert.match(answers, /"id": "CITY-PERMIT-WORK P-1",\n {2}"status": "New"/);
  assert.match(answers, /"id": "ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE"/);
  assert.match(answers, /"status": "Pending-Review"/);
  assert.match(answers, /CITY-PERMIT-WORK P-2/);
  assert.match(answers, /^GET \/dx-api\/v2\/cases\/CITY-PERMIT-WORK%20P-1$/m);
  assert.match(answers, /"stopped": true/);
}

async function workElsewhere(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  const install = () => home.run(block("sh", "--allow-run dist/cli.js"));
  await install();
  await install(); // A newer one takes its place.
  const svc = (lines: string) => home.run(lines, {}, home.path);
  await svc("svc service start --port 0 --detach");
  try {
    await svc("svc cases create --type City-Permit-Work-Permit");
    assert.match(
      await svc("svc cases get 'CITY-PERMIT-WORK P-1' --fields id,status --format table"),
      /^id +status\nCITY-/,
    );
    assert.match(await svc("svc cases get 'CITY-PERMIT-WORK P-1' --fields id --format yaml"), /^id: CITY-/);
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
    assert.match(await svc("svc service reset --stop"), /"removed":/); // One lock after the other: none is kept too long.
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

async function callAlone(checkout: string): Promise<void> {
  await using home = await Home.make(checkout);
  await home.run(block("sh", "USERPROFILE"));
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
  for (const line of await linesToCompare()) {
    const [built, unbuilt] = await Promise.all(["dist/cli.js", "cli.ts"].map((program) => print(program, line)));
    assert.equal(built, unbuilt, line);
  }
}

/** The help of all there is, and what a call of each group would send, and mistakes. */
async function linesToCompare(): Promise<string[]> {
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

/** Long texts tell modules apart: one that the sources have once is built once. The sandbox, its own process, is built apart. */
async function findTextsOnce(checkout: string): Promise<void> {
  const sources = await countTexts(
    ["cli", "lib", "service", "utils", "workflows"].map((folder) => `${checkout}/${folder}`),
  );
  const built = await countTexts([`${checkout}/dist`]);
  const modules = [...sources].filter(([, count]) => count === 1).map(([text]) => text);
  assert.ok(modules.filter((text) => built.has(text)).length > 300, "The sources' texts are in the built program.");
  assert.deepEqual(modules.filter((text) => (built.get(text) ?? 0) > 1), []);
}

async function countTexts(folders: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const folder of folders) {
    for await (const code of modulesBelow(folder)) {
      for (const [, text = ""] of code.matchAll(/"([^"\\\n]{20,})"/g)) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return counts;
}

async function* modulesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (name.startsWith("permit")) continue; // The sample is data, which may name what a module names.
    if (!isDirectory) yield await Deno.readTextFile(`${folder}/${name}`);
    else if (name !== "workflows") yield* modulesBelow(`${folder}/${name}`);
  }
}
