/** The library as a program imports it: documented exports and permissions. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import configuration from "../../deno.json" with { type: "json" };
import { ERROR_CODES, getErrorCode } from "../../lib/errors.ts";
import { createClient, isSvcError } from "../../mod.ts";
import { startService } from "../../service/mod.ts";
import { openRuns, testCassettes } from "../../workflows/runs/mod.ts";
import { readHeader, sendJson, startUnrulyServer } from "../harness/faults.ts";
import { CHECKOUT, LimitedCommand, makeFolder } from "../harness/svc.ts";

/** A page of `deno doc --json`. */
interface Page {
  readonly symbols: readonly { readonly name: string; readonly declarations: readonly { readonly kind: string }[] }[];
}

Deno.test("every function, class and constant that the documentation shows can be imported", async () => {
  for (const path of Object.values(configuration.exports)) {
    const shown = (await pageOf(path)).symbols
      .filter(({ declarations }) => declarations.some(({ kind }) => ["function", "class", "variable"].includes(kind)))
      .map(({ name }) => name);
    assert.deepEqual(shown.sort(), Object.keys(await import(import.meta.resolve(`../../${path}`))).sort(), path);
  }
});

const CLIENT = `
import { createClient } from "@svc/lib";
const [baseUrl, clientId, clientSecret] = Deno.args;
const client = { baseUrl, clientId, clientSecret, noCache: true };
`;

const READ = `--allow-read=${CHECKOUT}`;
const TEMPORARY = tmpdir();
const VARIABLES = "--allow-env=LOG_TOKENS,LOG_STREAM";

const SERVICE = `
import { createClient } from "@svc/lib";
import { startService } from "@svc/lib/service";
const log: string[] = [];
await using service = await startService({ log: (line) => log.push(line) });
const svc = createClient({ baseUrl: service.url, ...await service.addClient("clerk@city"), noCache: true });
const uploaded = svc.attachments.upload({ file: new File(["plan"], "plan.txt") });
`;

const PROGRAMS: { readonly [what: string]: [source: string, ...permissions: string[]] } = {
  "a client with all options": [CLIENT + "await createClient(client).caseTypes.list();"],
  "a client with retries": [CLIENT + "await createClient({ ...client, retries: 1 }).caseTypes.list();"],
  "a client that uploads and downloads": [
    CLIENT + `const svc = createClient(client);
    await svc.attachments.upload({ file: new File(["plan"], "plan.txt") });
    await new Response((await svc.staticContent.file("fees.csv")).stream).text();`,
  ],
  "a service in memory, which says in its log what an upload lacks, and closes": [
    SERVICE + `const { code, message } = await uploaded.catch((error) => error);
    if (code !== "INTERNAL_SERVER_ERROR") throw new Error(message);
    if (!log.join().includes("NotCapable: Requires write access")) throw new Error(log.join());`,
    READ,
    VARIABLES,
  ],
  "a service in memory that takes uploads": [
    SERVICE + `const { id } = await uploaded;
    const { id: caseId } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
    await svc.attachments.add(caseId, { attachments: [{ type: "File", category: "File", ID: id }] });
    const { attachments: [linked] } = await svc.attachments.list(caseId);
    await new Response((await svc.attachments.get(linked.ID)).stream).text();`,
    `${READ},${TEMPORARY}`,
    `--allow-write=${TEMPORARY}`,
    VARIABLES,
  ],
};

Deno.test("a program needs the permissions that docs/permissions.md names and no others", async (t) => {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  for (const [what, [source, ...permissions]] of Object.entries(PROGRAMS)) {
    await t.step(what, async () => {
      await using folder = await makeFolder({ "program.ts": source });
      const flags = [
        "--quiet",
        "--no-prompt",
        `--config=${CHECKOUT}/deno.json`,
        "--allow-net=127.0.0.1",
        ...permissions,
      ];
      const args = ["run", ...flags, `${folder.path}/program.ts`, service.url, clientId, clientSecret];
      const { code, stderr } = await new LimitedCommand(Deno.execPath(), { args }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
    });
  }
});

Deno.test("createClient rejects misspelt options and options of another type at run time", () => {
  const refusals: [Record<string, unknown>, string][] = [
    [{ clientID: "me" }, "createClient has no option 'clientID'."],
    [{ toString: "me" }, "createClient has no option 'toString'."],
    [{ noCache: "yes" }, "noCache must be true or false."],
    [{ configDirectory: 5 }, "configDirectory must be a text."],
    [{ onReply: "print" }, "onReply must be a function."],
  ];
  for (const [options, message] of refusals) {
    assert.throws(() => createClient(options), { code: "INVALID_ARGS", message });
  }
  const misspelt: Record<string, unknown> = { clientID: "me" };
  assert.throws(() => createClient(misspelt), { hint: /^Did you mean 'clientId'\? / });
  createClient({ profile: undefined, retries: 1, noCache: false });
});

Deno.test("startService rejects misspelt options and options of another type", async () => {
  const refusals: [Record<string, unknown>, string][] = [
    [{ prt: 3 }, "startService has no option 'prt'."],
    [{ hostname: 5 }, "hostname must be a text."],
    [{ maxFile: "5" }, "maxFile must be a number."],
    [{ log: "print" }, "log must be a function."],
  ];
  for (const [options, message] of refusals) {
    await assert.rejects(startService(options), { code: "INVALID_ARGS", message });
  }
  const misspelt: Record<string, unknown> = { prt: 3 };
  await assert.rejects(startService(misspelt), { hint: /^Did you mean 'port'\? The options are app, / });
  await using _service = await startService({ app: undefined, port: 0 });
});

Deno.test("a missing permission is an error of the library, whatever is called", async () => {
  await using folder = await makeFolder({
    "program.ts": `import { createClient, SvcError } from "@svc/lib";
      import { startService } from "@svc/lib/service";
      const client = { baseUrl: "http://127.0.0.1:8080", clientId: "id", clientSecret: "secret", noCache: true };
      for (
        const call of [
          () => createClient(client).caseTypes.list(),
          () => startService(),
          () => startService({ app: "app.yaml" }),
          () => startService({ data: "state" }),
        ]
      ) {
        const error = await call().catch((error) => error);
        if (!(error instanceof SvcError) || error.code !== "PERMISSION_DENIED") throw error;
      }`,
  });
  const args = ["run", "--quiet", "--no-prompt", `--config=${CHECKOUT}/deno.json`, `${folder.path}/program.ts`];
  const { code, stderr } = await new LimitedCommand(Deno.execPath(), { args }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
});

Deno.test("a logged error shows its known members and nothing else", async () => {
  const svc = createClient({ baseUrl: "http://service.example", clientId: "id", clientSecret: "s", noCache: true });
  const error = await svc.caseTypes.list().catch((error: unknown) => error);
  const log = Deno.inspect(error, { colors: false });
  assert.match(log, /^SvcError: caseTypes\.list\(\): http:.* would send the secret unencrypted\./);
  const members = [...log.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
  assert.deepEqual(members, ["code", "operation", "hint"]);
});

Deno.test("the stack of an error begins at the line that called the library, and has no line of the library", async () => {
  await using service = await startService({ log: () => {} });
  const credentials = { baseUrl: service.url, ...await service.addClient("clerk@city"), noCache: true };
  const svc = createClient({ ...credentials, retries: 1 });
  const misspelt: Record<string, unknown> = { clientID: "me" };
  await using runs = openRuns({ journal: "no such journal" });
  const calls: { readonly [name: string]: () => unknown } = {
    read: () => svc.cases.get("CITY-PERMIT-WORK P-9"),
    change: () => svc.assignments.perform("ASSIGN-WORKLIST CITY-PERMIT-WORK P-9!INTAKE", { action: "Register" }),
    handlers: () => svc.data.query("D_None").then(() => {}),
    together: () => Promise.all([svc.caseTypes.list(), svc.cases.get("CITY-PERMIT-WORK P-9")]),
    pages: async () => {
      for await (const row of svc.data.query("D_None")) assert.fail(JSON.stringify(row));
    },
    response: () => svc.cases.get("CITY-PERMIT-WORK P-9").withResponse(),
    unreachable: () => createClient({ ...credentials, baseUrl: "http://127.0.0.1:1" }).caseTypes.list(),
    client: () => createClient(misspelt),
    service: () => startService({ port: -1 }),
    operator: () => service.addClient("none@city"),
    run: () => runs.show("none"),
    start: () => runs.start({ script: "no such script", resumeLatest: true, once: true }),
    inputs: async () => {
      for await (const input of runs.inputs("none")) assert.fail(input.place);
    },
    cassettes: async () => {
      for await (const { name } of testCassettes([], { script: "no such script" })) assert.fail(name);
    },
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await (async () => await call())().catch((error: unknown) => error);
    assert.ok(isSvcError(error), name);
    const frames = Deno.inspect(error, { colors: false }).split("\n").filter((line) => /^ +at /.test(line));
    assert.match(frames[0] ?? "", new RegExp(`at (Object\\.)?${name} .*library_test\\.ts`), error.stack);
    assert.deepEqual(frames.filter((frame) => !frame.includes("library_test.ts") && frame.includes(CHECKOUT)), []);
    assert.ok(!Deno.inspect(error).includes("[cause]: undefined"), name);
  }
});

Deno.test("the message of an error names the function and the first argument, and its text lists invalid fields", async () => {
  await using service = await startService({ log: () => {} });
  const svc = createClient({ baseUrl: service.url, ...await service.addClient("clerk@city"), noCache: true });
  await assert.rejects(svc.cases.get("CITY-PERMIT-WORK P-9"), {
    message:
      'cases.get("CITY-PERMIT-WORK P-9"): The resource cannot be found: Case not found for the given parameter ID',
  });
  await assert.rejects(svc.assignments.getNext(), { message: /^assignments\.getNext\(\): / });
  const data = { Area: "large", Applicant: 1.5 };
  const error = await svc.cases.create({ type: "City-Permit-Work-Permit", data }).catch((error: unknown) => error);
  assert.match(String(error), /^SvcError: cases\.create\(\): .*(\n {2}(Area|Applicant): .+){2}$/);
  assert.ok(isSvcError(error) && error.stack?.startsWith(`${error}\n    at `));
});

Deno.test("docs/library.md explains every error code once, with its status", async () => {
  const page = await Deno.readTextFile(`${CHECKOUT}/docs/library.md`);
  const [, table = ""] = page.split(/^\| code .*\n/m);
  const rows = [...table.split("\n\n", 1).join().matchAll(/^\| (`[A-Z`_, ]+`) +\|([^|]*)\|/gm)];
  const explained = rows.flatMap(([, codes = "", status = ""]) => {
    return [...codes.matchAll(/\w+/g)].map(([code]) => ({ code, status: Number(status) }));
  });
  assert.deepEqual(explained.map(({ code }) => code).sort(), [...ERROR_CODES].sort());
  for (const { code, status } of explained) if (status > 0) assert.equal(getErrorCode(status), code);
});

async function pageOf(path: string): Promise<Page> {
  const args = ["doc", "--quiet", "--json", path];
  const { stdout } = await new LimitedCommand(Deno.execPath(), { args, cwd: CHECKOUT, stderr: "null" }).output();
  const { nodes }: { nodes: Readonly<Record<string, Page>> } = JSON.parse(new TextDecoder().decode(stdout));
  const [page] = Object.values(nodes);
  assert.ok(page !== undefined, path);
  return page;
}

const CASE = { data: { caseInfo: { ID: "C-1", caseTypeID: "Work", status: "New" } } };

Deno.test("an entity tag of any bytes is returned to the service unchanged", async () => {
  using server = startUnrulyServer(sendJson(200, CASE, { etag: '"März"' }));
  const svc = createClient(server.options);
  const { etag } = await svc.cases.get("C-1");
  await svc.cases.stageNext("C-1", { ifMatch: etag });
  assert.deepEqual(server.received.map(({ head }) => readHeader(head, "if-match")), [undefined, '"MÃ¤rz"']);
});
