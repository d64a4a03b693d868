/** What the README promises of the library, done as it says: the script, and the import of a project. */
import assert from "node:assert/strict";
import { startService } from "../../service/mod.ts";
import {
  linkedConfiguration as linkedProject,
  programWithEveryImport as programOfAll,
  readmeBlock as block,
} from "../harness/project.ts";
import { Home } from "../harness/svc.ts";

Deno.test("the script of the README runs with the permissions that it names", async () => {
  await using home = await Home.make();
  await Deno.writeTextFile(`${home.path}/create.ts`, block("ts", "createClient"));
  assert.match(await runAgainstService(home, block("sh", "create.ts")), /^CITY-PERMIT-WORK P-1 New$/m);
});

Deno.test("a project of one's own imports every part of the library", async () => {
  await using home = await Home.make();
  await Deno.writeTextFile(`${home.path}/deno.json`, linkedProject());
  await Deno.writeTextFile(`${home.path}/all.ts`, programOfAll());
  const lines = "deno run --allow-net --allow-read --allow-write --allow-env all.ts";
  assert.match(await runAgainstService(home, lines), /^CITY-PERMIT-WORK P-1 New$/m);
});

async function runAgainstService(home: Home, lines: string): Promise<string> {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  return await home.run(lines, env, home.path);
}
