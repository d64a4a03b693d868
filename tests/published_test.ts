/** The package as a registry gives it to those who have no checkout: imported by a program. */
import assert from "node:assert/strict";
import { Home } from "./_support/readme.ts";
import { emptyCache, publish } from "./_support/registry.ts";

const SERVICE = `
  import { createClient } from "@svc/lib";
  import { startService } from "jsr:@svc/lib/service";

  await using service = await startService();
  const client = await service.addClient("clerk@city");
  const svc = createClient({ baseUrl: service.url, ...client, noCache: true, retries: 1 });
  const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
  const { ID } = await svc.attachments.upload({ file: new File(["a"], "a.txt") });
  console.log(id, typeof ID);
  // @ts-expect-error A client is no number: its type is known.
  const _: number = svc;
`;

Deno.test("a program imports the published library, its types included, and reads no file for it", async () => {
  await using home = await Home.make();
  await using cache = await emptyCache();
  await using registry = await publish();
  const run = (lines: string) => home.run(lines, { ...registry.env, DENO_DIR: cache.path }, home.path);
  await Deno.writeTextFile(`${home.path}/deno.json`, "{}");
  await Deno.writeTextFile(`${home.path}/service.ts`, SERVICE);
  await run("deno add jsr:@svc/lib && deno check service.ts");
  const permissions = "--allow-net=127.0.0.1 --allow-env=LOG_TOKENS,LOG_STREAM --allow-write=$HOME --allow-read=$HOME";
  const said = await run(`TMPDIR=$HOME deno run --no-prompt ${permissions} service.ts`);
  assert.equal(said, "CITY-PERMIT-WORK P-1 string\n");
  await run("deno run --allow-write=. jsr:@svc/lib/cli workflow init flows && cd flows && deno check intake.ts");
});
