import assert from "node:assert/strict";
import fc from "fast-check";
import type { ErrorRecord } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { hasControlCharacters } from "../../../utils/text/control_characters.ts";
import { startService } from "../../../service/mod.ts";
import type { Journal, RunRecord } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { renderReport } from "../../../workflows/report/render_report.ts";
import { LimitedCommand, makeFolder, PROGRAM, svcInProcess } from "../../harness/svc.ts";
import { scriptText, svcWorkflow, writeInput } from "../../harness/workflow.ts";
import { readPage } from "./_page.ts";

const HOSTILE = `<script>alert("x")</script>&amp;'\u202e\u0007\ud800`;

const SCRIPT = scriptText(
  `if (input.bad) throw new Error(input.bad + " is not for us");
    if (input.id) return (await svc.cases.get(input.id)).status;
    return (await svc.cases.create({ type: "City-Permit-Work-Permit" })).id;`,
  ["cases.create", "cases.get"],
);

Deno.test("a report shows the throughput of a batch and its failures by cause", async () => {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const inputs = [{}, { id: "CITY-PERMIT-WORK P-404" }, {}, { id: "CITY-PERMIT-WORK P-405" }, { bad: HOSTILE }];
  await using folder = await makeFolder({
    "script.ts": SCRIPT,
    "in.ndjson": inputs.map((input) => JSON.stringify(input)).join("\n") + "\nnonsense\n",
  });
  const env = {
    SVC_BASE_URL: service.url,
    SVC_CLIENT_ID: clientId,
    SVC_CLIENT_SECRET: clientSecret,
    SVC_CONFIG_DIR: folder.path,
  };
  const script = `${folder.path}/script.ts`;
  const each = `${folder.path}/in.ndjson`;
  const run = await svcWorkflow(["run", script, "--each", each, "--allow-declared", "--run-id", "one"], env);
  assert.equal(run.code, 1, run.stderr);

  const file = `${folder.path}/report.html`;
  await Deno.writeTextFile(file, "an older report");
  const { code, stdout, stderr } = await svcWorkflow(["report", "one", "-o", file], env);
  assert.deepEqual([code, stdout, stderr], [0, "", ""]);
  const written = await Deno.readTextFile(file);
  const { headings, sections, elements } = readPage(written);
  assert.deepEqual(headings.slice(0, 3), ["test", "Summary", "Throughput"]);
  assert.match(sections.Summary ?? "", /Inputs 6 .*Succeeded 2 33\.3% Failed 4 66\.7% Open 0 .*Calls 4 /);
  assert.match(sections.Summary ?? "", /Failed calls 2 Took .*again: svc workflow retry one .*script\.ts digest/);
  assert.match(sections.Summary ?? "", /Concurrency 4 inputs /);
  const failures = sections["Failures by cause"] ?? "";
  assert.match(
    failures,
    /^2 inputs · 50% · NOT_FOUND \(404\) in cases\.get The resource .* parameter ID script\.ts:8 Check caseId .* Inputs in\.ndjson:2 in\.ndjson:4 /,
  );
  assert.match(failures, /1 input · 25% · WORKFLOW_FAILED .*<script>alert\("x"\)<\/script>&amp;'\\u202e\\u0007/);
  assert.match(failures, /1 input · 25% · INVALID_ARGS in\.ndjson:6 is not JSON\./);
  assert.match(
    sections["Durations by operation"] ?? "",
    /cases\.create 2 0 0 [\d.]+ m?s .*cases\.get 2 2 0 [\d.]+ m?s/,
  );
  assert.match(sections["Slowest inputs"] ?? "", /in\.ndjson:\d [\d.]+ m?s succeeded 1 /);
  assert(!elements.includes("script"), "texts of the run are escaped");
  assert.deepEqual([...Deno.readDirSync(folder.path)].filter(({ name }) => name.endsWith(".part")), []);

  const journal = `${folder.path}/workflows.db`;
  const piped = readPage((await svcWorkflow(["report", "one", "--journal", journal], env)).stdout).sections;
  assert.equal(piped["Failures by cause"], failures);
  assert(piped.Summary?.includes(`svc workflow retry one --journal ${journal} Script`));
});

Deno.test("a report is not written to a terminal, and a failed report leaves the file unchanged", async () => {
  await using folder = await makeFolder();
  const journal = `${folder.path}/journal.db`;
  await (await openJournal(journal))[Symbol.asyncDispose]();
  const report = (...args: string[]) =>
    svcInProcess(["workflow", "report", ...args, "--journal", journal], { terminal: true });
  const shown = await report("one");
  assert.deepEqual([shown.code, shown.stdout], [2, ""]);
  assert.match(shown.stderr, /a terminal cannot show it[^]*-o report\.html/);
  assert.match((await report("one", "-o", `${folder.path}/none/report.html`)).stderr, /there is no such directory/);
  const file = `${folder.path}/report.html`;
  await Deno.writeTextFile(file, "an older report");
  assert.match((await report("one", "-o", file)).stderr, /The journal has no run \\"one\\"/);
  assert.equal(await Deno.readTextFile(file), "an older report");
});

Deno.test("the report of a run without inputs says so", async () => {
  await using folder = await makeFolder({ "script.ts": SCRIPT, "in.ndjson": "" });
  const env = { SVC_CONFIG_DIR: folder.path };
  const each = `${folder.path}/in.ndjson`;
  const run = await svcWorkflow(
    ["run", `${folder.path}/script.ts`, "--each", each, "--allow-declared", "--run-id", "none"],
    env,
  );
  assert.equal(run.code, 0, run.stderr);
  const { headings, sections } = readPage((await svcWorkflow(["report", "none"], env)).stdout);
  assert.deepEqual(headings, ["test", "Summary"]);
  assert.match(
    sections.Summary ?? "",
    /^The run has no inputs\. Inputs 0 Succeeded 0 Failed 0 Open 0 Calls 0 Failed calls 0 Took \d/,
  );
});

Deno.test("the report of an interrupted run shows its progress", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`if (input === 2) { log("up"); for (;;); } return input;`, []),
    "in.ndjson": "1\n2\n3\n",
  });
  const run = ["run", `${folder.path}/script.ts`, "--each", `${folder.path}/in.ndjson`, "--concurrency", "1"];
  const child = new LimitedCommand(Deno.execPath(), {
    args: ["run", "--quiet", "-A", PROGRAM, "workflow", ...run, "--run-id", "cut"],
    env: { SVC_CONFIG_DIR: folder.path },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    if (said === "") child.kill("SIGINT");
    said += text;
  }
  assert.equal((await child.status).code, 130, said);
  const { sections } = readPage((await svcWorkflow(["report", "cut"], { SVC_CONFIG_DIR: folder.path })).stdout);
  assert.match(sections.Summary ?? "", /Inputs 2 .*Succeeded 1 50% Failed 0 0% Open 1 50% .*svc workflow resume cut/);
  assert.match(sections["Open inputs"] ?? "", /^Input Calls Started in\.ndjson:2 0 /);
});

Deno.test("the report of an interrupted run lists open inputs and how to resume it", async () => {
  await using journal = await makeJournal();
  const input = { startedAt: 1000, generation: 0 };
  await writeInput(journal, RUN.id, 1, (claim) => claim.begin({ place: "in:1", ...input }));
  await call(journal, 1, 1, "cases.get", 1000, 1500);
  await writeInput(journal, RUN.id, 1, (claim) => claim.end({ state: "done" }));
  await writeInput(journal, RUN.id, 2, (claim) => claim.begin({ place: "in:2", ...input }));
  await call(journal, 2, 1, "sleep", 1000, 61_000);
  const error = { code: "SERVER_ERROR", message: "The service responded with 503.", attempts: [{}, {}, {}] };
  await call(journal, 2, 2, "cases.get", 61_000);
  const refusal = { kind: "refusal", position: 2, at: 63_000, content: JSON.stringify({ error }) } as const;
  await writeInput(journal, RUN.id, 2, (claim) => claim.append(refusal));
  await call(journal, 2, 3, "cases.create", 63_000);
  const { sections } = readPage(await renderReport(journal, RUN, formatCommand));
  assert.match(sections.Summary ?? "", /Inputs 2 .*Open 1 50% Calls 3 .*Failed calls 1 after 2 retries So far /);
  assert.match(sections.Summary ?? "", /The run was interrupted\. Resume it: svc workflow resume one/);
  assert.match(sections["Durations by operation"] ?? "", / sleep 1 0 0 60\.0 s .*cases\.create 1 0 1 – – – – /);
  assert.match(sections["Open inputs"] ?? "", /^Input Calls Started in:2 2 1970-01-01 00:00:01 UTC$/);
});

Deno.test("failures with the same cause form one group that lists its first fifty inputs", async () => {
  await using journal = await makeJournal();
  for (let number = 1; number <= 240; number++) {
    const error: ErrorRecord = number % 4 === 0
      ? { code: "WORKFLOW_FAILED", message: `Ann Lee ${number} has no address` }
      : { code: "NOT_FOUND", status: 404, message: `Case P-${number} is gone`, operation: "cases.get" };
    await fail(journal, number, { name: `Ann Lee ${number}` }, error);
  }
  const { sections } = readPage(await renderReport(journal, RUN, formatCommand));
  const failures = sections["Failures by cause"] ?? "";
  assert.match(
    failures,
    /^180 inputs · 75% · NOT_FOUND \(404\) in cases\.get Case … is gone For example: Case P-1 is gone/,
  );
  assert.match(
    failures,
    / in:1 in:2 in:3 in:5 .* in:66 and 130 more 60 inputs · 25% · WORKFLOW_FAILED … has no address/,
  );
});

Deno.test("the number of causes and the size of the page are bounded", async () => {
  await using journal = await makeJournal();
  const letters = (number: number) => String(number).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");
  for (let number = 1; number <= 300; number++) {
    const message = letters(number) + " went wrong ".repeat(10_000);
    await fail(journal, number, undefined, { code: "WORKFLOW_FAILED", message }, `${"x".repeat(10_000)}:${number}`);
    await call(journal, number, 1, `${letters(number)}.${"y".repeat(10_000)}`, 1000, 1001);
  }
  const page = await renderReport(journal, RUN, formatCommand);
  assert.match(readPage(page).sections["Failures by cause"] ?? "", /200 more inputs failed for other reasons\.$/);
  assert.match(readPage(page).sections["Durations by operation"] ?? "", /any other 200 0 0 /);
  assert(page.length < 400_000, `${page.length} characters`);
});

Deno.test("everything that a run contains is text on the page: nothing is loaded or executed", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom("<", ">", '"', "'", "&", "\0", "\u202e", "\ud800", "</style>", "<img src=x>", "-->")).map((
      parts,
    ) => parts.join("")),
  );
  await fc.assert(
    fc.asyncProperty(text, text, text, text, async (name, place, message, operation) => {
      const run = { ...RUN, name, settings: { ...RUN.settings, script: name, each: place, profile: message } };
      await using journal = await makeJournal(run);
      const error: ErrorRecord = {
        code: "NOT_FOUND",
        message,
        operation,
        hint: message,
        details: [{ message }, { localizedValue: place }],
      };
      await fail(journal, 1, { name, [place]: [message] }, error, place);
      await call(journal, 1, 1, operation, 1000, 1500);
      const page = await renderReport(journal, run, formatCommand);
      const { elements } = readPage(page);
      assert.deepEqual(elements.filter((element) => /^(script|img|link|iframe|object|a)$/.test(element)), []);
      assert(!hasControlCharacters(page) && page.isWellFormed());
    }),
    { numRuns: 50 },
  );
});

Deno.test("the policy of the page forbids scripts and loads, and allows its one style", async () => {
  await using journal = await makeJournal();
  const page = await renderReport(journal, RUN, formatCommand);
  const [, style = ""] = /<style>([^]*)<\/style>/.exec(page) ?? [];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  const hash = new Uint8Array(digest).toBase64();
  assert(page.includes(
    `"Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri`,
  ));
  assert.doesNotMatch(page, / style=|\bon\w+=|url\(|https?:/);
});

const RUN: RunRecord = {
  id: "one",
  name: "test",
  digest: "0123456789abcdef",
  settings: {
    script: "/script.ts",
    each: "/in.ndjson",
    concurrency: 1,
    limits: { timeoutSeconds: 1, maxMemoryMiB: 64 },
    grants: [],
    onUnknown: "stop",
  },
  state: "open",
  startedAt: 1000,
};

const formatCommand = (verb: string) => `svc workflow ${verb} one`;

async function fail(
  journal: Journal,
  number: number,
  value: JsonValue | undefined,
  error: ErrorRecord,
  place = `in:${number}`,
): Promise<void> {
  await writeInput(journal, RUN.id, number, (input) => {
    input.begin({ place, value, startedAt: 1000, generation: 0 });
    input.end({ state: "failed", error });
  });
}

async function call(
  journal: Journal,
  input: number,
  position: number,
  operation: string,
  at: number,
  endedAt?: number,
): Promise<void> {
  const content = JSON.stringify({ operation, values: {} });
  await writeInput(journal, RUN.id, input, (claim) => {
    claim.append({ kind: "call", position, at, content });
    if (endedAt !== undefined) claim.append({ kind: "answer", position, at: endedAt, content: "{}\n{}" });
  });
}

/** Creates a journal with a run; disposing of it removes its file. */
async function makeJournal(run: RunRecord = RUN): Promise<Journal> {
  const folder = await makeFolder();
  const journal = await openJournal(`${folder.path}/journal.db`);
  await journal.createRun(run);
  const close = journal[Symbol.asyncDispose].bind(journal);
  journal[Symbol.asyncDispose] = async () => {
    await close();
    await folder[Symbol.asyncDispose]();
  };
  return journal;
}
