/** Installs the published package from a registry, and imports it in a program, both without a checkout. */
import assert from "node:assert/strict";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { emptyCache, linkedPaths, publishCheckout, readmeBlock, type Registry } from "../harness/project.ts";
import { CHECKOUT, Home } from "../harness/svc.ts";

Deno.test("the published package works without a checkout", async (t) => {
  await using home = await Home.make();
  await using cache = await emptyCache();
  await using registry = await publishCheckout();
  await t.step("the files that the README links to are published", () => checkLinkedFiles(registry));
  await t.step(
    "no lock file is published, with which Deno would install packages that only tests and tasks need",
    async () => {
      await assert.rejects(Deno.stat(`${registry.files}/deno.lock`), Deno.errors.NotFound);
    },
  );
  await t.step("a program imports the library with its types, and reads no other files", () => {
    return importLibrary(registry);
  });
  await t.step("svc is installed as the README says, and works when the registry is gone", async () => {
    const run = (lines: string) => home.run(lines, { ...registry.env, DENO_DIR: cache.path }, home.path);
    await run(readmeBlock("sh", "jsr:@svc/lib/cli"));
    await registry.close();
    await useInstalledProgram(run);
  });
});

async function checkLinkedFiles({ files }: Registry): Promise<void> {
  const linked = linkedPaths();
  assert.ok(linked.length > 10);
  for (const path of linked) assert.ok((await Deno.stat(`${files}/${path}`)).isFile, path);
}

async function useInstalledProgram(svc: (lines: string) => Promise<string>): Promise<void> {
  await svc("svc service start --port 0 --detach");
  try {
    assert.match(
      await svc("svc cases create --type City-Permit-Work-Permit --format yaml"),
      /^id: CITY-PERMIT-WORK P-1$/m,
    );
    const logo = shellQuote(`${CHECKOUT}/service/sample/static/files/logo.png`);
    await svc(`svc static-content file logo.png -o logo.png; cmp logo.png ${logo}`);
    assert.match(await svc("svc pages insight PermitsByStatus --format yaml"), /Permits: 1/); // Runs in a thread.
    await svc("svc workflow init flows");
    const input = `--input '{"Applicant":"Grace","Address":"Main Street 2"}'`;
    assert.match(await svc(`svc workflow run flows/intake.ts ${input} --allow-declared`), /"Pending-Review"/);
    assert.match(await svc("svc workflow list --format table"), /intake +done/);
    assert.match(await svc("svc auth diagnose"), /"ok": true/);
    assert.match(await svc("svc completion bash"), /^_svc\(\)/);
    assert.match(await svc("svc cases get none 2>&1 || echo $?"), /^\{"error":.*"code":"NOT_FOUND".*\}\n1\n$/);
  } finally {
    assert.match(await svc("svc service reset --stop"), /"removed":/);
  }
}

const SERVICE = `
  import { createClient } from "@svc/lib";
  import { startService } from "jsr:@svc/lib/service";

  await using service = await startService();
  const client = await service.addClient("clerk@city");
  const svc = createClient({ baseUrl: service.url, ...client, noCache: true, retries: 1 });
  const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
  const { ID } = await svc.attachments.upload({ file: new File(["a"], "a.txt") });
  console.log(id, typeof ID);
  // @ts-expect-error A client is not a number, because its type is known.
  const _: number = svc;
`;

/** Options of the compiler with which the sources of the library have type errors. */
const STRICTER = {
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  isolatedDeclarations: true,
};

async function importLibrary({ env }: Registry): Promise<void> {
  await using home = await Home.make();
  await using cache = await emptyCache();
  const run = (lines: string) => home.run(lines, { ...env, DENO_DIR: cache.path }, home.path);
  await Deno.writeTextFile(`${home.path}/deno.json`, "{}");
  await Deno.writeTextFile(`${home.path}/service.ts`, SERVICE);
  await run("deno add jsr:@svc/lib && deno check service.ts");
  const permissions = "--allow-net=127.0.0.1 --allow-env=LOG_TOKENS,LOG_STREAM --allow-write=$HOME --allow-read=$HOME";
  const output = await run(`TMPDIR=$HOME deno run --no-prompt ${permissions} service.ts`);
  assert.equal(output, "CITY-PERMIT-WORK P-1 string\n");
  await Deno.writeTextFile(`${home.path}/deno.json`, JSON.stringify({ compilerOptions: STRICTER }));
  await run("deno add jsr:@svc/lib && deno check service.ts");
  await run("deno run --allow-write=. jsr:@svc/lib/cli workflow init flows && cd flows && deno check intake.ts");
}
