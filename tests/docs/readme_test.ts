/** Follows the README: runs its script, and imports the library in a project. */
import assert from "node:assert/strict";
import { startService } from "../../service/mod.ts";
import { linkedConfiguration, programWithEveryImport, readmeBlock } from "../harness/project.ts";
import { Home } from "../harness/svc.ts";

Deno.test("the script of the README runs with the permissions that the README lists", async () => {
  await using home = await Home.make();
  await Deno.writeTextFile(`${home.path}/create.ts`, readmeBlock("ts", "createClient"));
  assert.match(await runAgainstService(home, readmeBlock("sh", "create.ts")), /^CITY-PERMIT-WORK P-1 New$/m);
});

Deno.test("a separate project imports every entry point of the library", async () => {
  await using home = await Home.make();
  await Deno.writeTextFile(`${home.path}/deno.json`, linkedConfiguration());
  await Deno.writeTextFile(`${home.path}/all.ts`, programWithEveryImport());
  const lines = "deno run --allow-net --allow-read --allow-write --allow-env all.ts";
  assert.match(await runAgainstService(home, lines), /^CITY-PERMIT-WORK P-1 New$/m);
});

async function runAgainstService(home: Home, lines: string): Promise<string> {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  return await home.run(lines, env, home.path);
}
