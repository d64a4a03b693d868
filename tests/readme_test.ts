/** What the README promises of the library, done as it says: the script, and the import of a project. */
import assert from "node:assert/strict";
import configuration from "../deno.json" with { type: "json" };
import { startService } from "../service/mod.ts";
import { block, CHECKOUT, Home } from "./_support/readme.ts";

Deno.test("the script of the README runs with the permissions that it names", async () => {
  await using home = await Home.make();
  await Deno.writeTextFile(`${home.path}/create.ts`, block("ts", "createClient"));
  assert.match(await runAgainstService(home, block("sh", "create.ts")), /^CITY-PERMIT-WORK P-1 New$/m);
});

Deno.test("a project of one's own imports every part of the library, types included, with Deno's own compiler options", async () => {
  await using home = await Home.make();
  const parts = Object.keys(configuration.exports).map((path) => `import "${configuration.name}${path.slice(1)}";\n`);
  await Deno.writeTextFile(`${home.path}/deno.json`, block("json", "links").replace("/path/to/svc", CHECKOUT));
  await Deno.writeTextFile(`${home.path}/all.ts`, parts.join(""));
  await Deno.writeTextFile(`${home.path}/create.ts`, block("ts", "createClient"));
  const lines = "deno check all.ts create.ts && deno run --allow-net --allow-read --allow-write --allow-env create.ts";
  assert.match(await runAgainstService(home, lines), /^CITY-PERMIT-WORK P-1 New$/m);
});

Deno.test("what the README links to is published with it", async () => {
  const readme = await Deno.readTextFile(`${CHECKOUT}/README.md`);
  const linked = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = ""]) => path);
  const args = ["publish", "--dry-run", "--allow-dirty", "--no-check"];
  const env = { NO_COLOR: "1" };
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: CHECKOUT, env }).output();
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  assert.ok(success && linked.length > 10, said);
  assert.deepEqual(linked.filter((path) => !said.includes(`/${path} (`)), []);
});

async function runAgainstService(home: Home, lines: string): Promise<string> {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  return await home.run(lines, env, home.path);
}
