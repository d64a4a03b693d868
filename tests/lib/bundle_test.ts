/** A bundle of the library: one file that runs where there is neither checkout nor configuration. */
import assert from "node:assert/strict";
import { build, stop } from "esbuild";
import configuration from "../../deno.json" with { type: "json" };
import { startService } from "../../service/mod.ts";
import { startFaultProxy } from "../harness/fault_proxy.ts";
import { CHECKOUT, LimitedCommand, makeFolder } from "../harness/svc.ts";

const PROGRAM = `
import { createClient, SvcError } from "./mod.ts";
const [baseUrl, clientId, clientSecret] = Deno.args;
const svc = createClient({ baseUrl, clientId, clientSecret, noCache: true, retries: 1 });

const created = [];
for (let i = 0; i < 3; i++) created.push((await svc.cases.create({ type: "City-Permit-Work-Permit" })).id);

const { id } = await svc.attachments.upload({ file: new File(["plan"], "plan.txt") });
await svc.attachments.add(created[0], { attachments: [{ type: "File", category: "File", ID: id }] });
const { attachments: [attachment] } = await svc.attachments.list(created[0]);
const downloaded = await new Response((await svc.attachments.get(attachment.ID)).stream).text();

const pages = [];
for (let page = 1, more = true; more; page++) {
  const { data, hasMoreResults } = await svc.data.query("D_Permits", { page, max: 2 });
  pages.push(data.length);
  more = hasMoreResults;
}

const error = await svc.cases.get("none").catch((error) => error);
const code = error instanceof SvcError ? error.code : String(error);
console.log(JSON.stringify({ created, downloaded, pages, code }));
`;

Deno.test("a bundled program uploads, downloads, tries again and reads page by page", async () => {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const refused = new Set<string>();
  await using proxy = await startFaultProxy({
    target: new URL(service.url),
    seed: 1,
    faults: {},
    // The first read of each address is refused, and the second answered.
    choose(head) {
      const [request = ""] = head.split("\r\n", 1);
      if (!request.startsWith("GET ") || refused.has(request)) return "pass";
      refused.add(request);
      return "503-later";
    },
  });
  await using folder = await makeFolder({ "program.js": await bundle(PROGRAM) });
  const { stdout, stderr } = await new LimitedCommand(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-config",
      "--allow-net=127.0.0.1",
      "program.js",
      proxy.url,
      clientId,
      clientSecret,
    ],
    cwd: folder.path,
  }).output();
  const [printed = "", said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(said, "");
  assert.deepEqual(JSON.parse(printed), {
    created: [1, 2, 3].map((number) => `CITY-PERMIT-WORK P-${number}`),
    downloaded: "plan",
    pages: [2, 1],
    code: "NOT_FOUND",
  });
  assert.equal(proxy.counts["503-later"], 3, "the list of attachments, the download, and the missing case");
});

/** Bundles a program of the checkout into one file; it imports packages from npm by their pinned versions. */
async function bundle(contents: string): Promise<string> {
  try {
    const { outputFiles: [file] } = await build({
      stdin: { contents, resolveDir: CHECKOUT },
      bundle: true,
      format: "esm",
      platform: "neutral",
      alias: configuration.imports,
      external: ["npm:*", "node:*"],
      write: false,
    });
    assert.ok(file);
    return file.text;
  } finally {
    await stop();
  }
}
