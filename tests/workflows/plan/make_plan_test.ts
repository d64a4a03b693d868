import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { saveProfile } from "../../../lib/auth/profiles.ts";
import { createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { CHECKOUT, makeFolder, svcInProcess } from "../../harness/svc.ts";
import { prepareSvcWorkflow, scriptText, TinyApi } from "../../harness/workflow.ts";

const svcWorkflow = prepareSvcWorkflow();

const INTAKE = `${CHECKOUT}/workflows/examples/intake.ts`;

Deno.test("a plan shows every call of a script and changes nothing", async () => {
  await using city = await openCity();
  const before = city.state();
  const input = `{"Applicant":"Ada","Address":"Main St 1"}`;
  const planned = await svcWorkflow(["plan", INTAKE, "--input", input, "--allow-declared"], city.env);
  assert.deepEqual(planned.stdout.split("\n"), [
    "Step 1: cases.create (change, granted)",
    "  POST /cases",
    "  {",
    `    "caseTypeID": "City-Permit-Work-Permit"`,
    "  }",
    "",
    "Step 2: assignments.perform (change, granted)",
    "  PATCH /assignments/«step 1: nextAssignmentInfo.ID»/actions/Register",
    "  If-Match: entity tag from GET /assignments/«step 1: nextAssignmentInfo.ID»",
    "  {",
    `    "content": {`,
    `      "Applicant": "Ada",`,
    `      "Address": "Main St 1",`,
    `      "Area": 0,`,
    `      "Urgent": false`,
    "    }",
    "  }",
    "",
    "Result:",
    "  {",
    `    "id": "«step 1: id»",`,
    `    "status": "«step 2: status»"`,
    "  }",
    "",
    "The plan is complete: 2 steps, 2 changes. Nothing was changed.",
    "",
  ]);
  assert.equal(planned.stderr, "Created «step 1: id».\nRegistered: «step 2: status».\n");
  assert.equal(planned.code, 0);
  assert.deepEqual(city.state(), before);
  const run = await svcWorkflow(["run", INTAKE, "--input", input, "--allow-declared", "--dry-run"], city.env);
  assert.deepEqual(run, planned, "run --dry-run does the same");
});

Deno.test("a plan makes reads, treats get-next as a change, and changes nothing", async () => {
  await using city = await openCity();
  const empty = city.state();
  const created = await city.svc.cases.create({ type: "City-Permit-Work-Permit" });
  const { ID = "" } = created.nextAssignmentInfo ?? {};
  await city.svc.assignments.perform(ID, { action: "Register", data: { Applicant: "Ada", Address: "Main St 1" } });
  const { etag, data } = await city.svc.cases.get(created.id);
  const queued = data.caseInfo.assignments?.[0]?.ID ?? "";
  const body = `const one = await svc.cases.get(${JSON.stringify(created.id)});
    await svc.assignments.perform(one.data.caseInfo.assignments[0].ID, { action: "CheckApplication" });
    const next = await svc.assignments.getNext();
    await svc.assignments.perform(next.id, { action: "CheckApplication" }, { ifMatch: next.etag });`;
  const before = city.state();
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  const { stdout, code } = await svcWorkflow(
    ["plan", `${folder.path}/script.ts`, "--allow", "*", "--format", "json"],
    city.env,
  );
  assert.equal(code, 0);
  const plan = JSON.parse(stdout);
  const path = (id: string) => `/assignments/${encodeURIComponent(id)}/actions/CheckApplication`;
  assert.deepEqual(plan, {
    steps: [
      {
        step: 1,
        operation: "cases.get",
        kind: "read",
        granted: true,
        method: "GET",
        path: `/cases/${encodeURIComponent(created.id)}`,
      },
      {
        step: 2,
        operation: "assignments.perform",
        kind: "change",
        granted: true,
        method: "PATCH",
        path: path(queued),
        ifMatch: etag,
      },
      {
        step: 3,
        operation: "assignments.get-next",
        kind: "change",
        granted: true,
        method: "GET",
        path: "/assignments/next",
      },
      {
        step: 4,
        operation: "assignments.perform",
        kind: "change",
        granted: true,
        method: "PATCH",
        path: "/assignments/«step 3: id»/actions/CheckApplication",
        ifMatch: "«step 3: etag»",
      },
    ].map((step) => step.operation === "assignments.perform" ? { ...step, body: {} } : step),
    complete: true,
    end: "The plan is complete: 4 steps, 3 changes. Nothing was changed.",
  });
  assert.deepEqual(city.state(), before);
  assert.notDeepEqual(before, empty, "the comparison detects changes");
});

Deno.test("operations without a grant are marked, and nothing is sent for them", async () => {
  await using api = new TinyApi();
  const body = `await svc.cases.get("C-1"); await svc.cases.delete("C-1"); await svc.cases.create({ type: "T" });`;
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  const { code, stdout, stderr } = await svcWorkflow(
    ["plan", `${folder.path}/script.ts`, "--allow", "cases.create"],
    envOf(api),
  );
  assert.deepEqual(stdout.match(/^Step.*|^The plan.*/gm), [
    "Step 1: cases.get (read, NOT GRANTED)",
    "Step 2: cases.delete (change, NOT GRANTED)",
    "Step 3: cases.create (change, granted)",
    "The plan is complete: 3 steps, 2 changes. Nothing was changed.",
  ]);
  assert.equal(stderr, "Not granted: cases.get, cases.delete. To grant, add --allow cases.get,cases.delete.\n");
  assert.equal(code, 0);
  assert.deepEqual(api.received, []);
});

Deno.test("a plan that reads nothing needs no service", async () => {
  const body = `const made = await svc.cases.create({ type: "T" });
    await svc.assignments.perform(made.nextAssignmentInfo.ID, { action: "A" });`;
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  const { code, stdout } = await svcWorkflow(["plan", `${folder.path}/script.ts`, "--allow", "*"]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /\n {2}If-Match: entity tag from GET \/assignments\/«step 1: nextAssignmentInfo\.ID»\n/);
});

Deno.test("a plan shows the entity tags that the profile reads, and a record whose read offers none", async () => {
  const body = `await svc.cases.stageNext("C-1"); await svc.data.update("D", { data: { ID: "1" } });`;
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  for (const tags of ["first", "on-demand", "never"] as const) {
    await using api = new TinyApi((call) => {
      const isRecord = call === "GET /data_views/D";
      return Response.json({ id: "C-1" }, isRecord ? { status: 405 } : { headers: { etag: "7" } });
    });
    const profile = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", tags };
    await saveProfile("default", profile, folder.path);
    const args = ["plan", `${folder.path}/script.ts`, "--allow", "*"];
    const { code, stdout } = await svcWorkflow(args, { SVC_CONFIG_DIR: folder.path });
    assert.equal(code, 0, stdout);
    assert.deepEqual(stdout.match(/If-Match: .*/g) ?? [], tags === "first" ? ["If-Match: 7"] : []);
    const reads = { "first": ["GET /cases/C-1", "GET /data_views/D"], "on-demand": ["GET /data_views/D"], "never": [] };
    assert.deepEqual(api.received.map(({ call }) => call), reads[tags]);
  }
});

const MADE = `const made = await svc.cases.create({ type: "T", data: input });\n    `;

Deno.test("a placeholder appears where its value would", async (t) => {
  const shown: [body: string, request: Record<string, unknown>][] = [
    [`await svc.cases.delete(made.id);`, { method: "DELETE", path: "/cases/«step 1: id»" }],
    [
      "await svc.cases.create({ type: `T-${made.type}`, data: { a: [made.list[0].x], b: `${made.id}!`, [made.key]: 1 } });",
      {
        method: "POST",
        path: "/cases",
        body: {
          caseTypeID: "T-«step 1: type»",
          content: { a: ["«step 1: list[0].x»"], b: "«step 1: id»!", "«step 1: key»": 1 },
        },
      },
    ],
    [
      `await svc.cases.create({ type: "T", data: made.data.caseInfo.content });`,
      { method: "POST", path: "/cases", body: { caseTypeID: "T", content: "«step 1: data.caseInfo.content»" } },
    ],
    [
      `await svc.cases.create({ type: "T", data: { text: JSON.stringify({ made }) } });`,
      { method: "POST", path: "/cases", body: { caseTypeID: "T", content: { text: `{"made":"«step 1»"}` } } },
    ],
    [
      `if (made.next && made.next.id === made.next.id) await svc.cases.delete((await made.next).id);`,
      { method: "DELETE", path: "/cases/«step 1: next.id»" },
    ],
  ];
  for (const [body, request] of shown) {
    await t.step(body, async () => {
      const { steps, end } = await planOf(MADE + body);
      assert.equal(end, "The plan is complete: 2 steps, 2 changes. Nothing was changed.");
      const { method, path, body: sent } = steps[1] ?? {};
      assert.deepEqual({ method, path, ...(sent !== undefined && { body: sent }) }, request);
    });
  }
});

Deno.test("a plan ends where it needs a value that only a change returns", async (t) => {
  const needs = (what: string, step = 1) => `needs «step ${step}: ${what}», which is unknown until step ${step} runs.`;
  const script = "after step 1: the script (script.ts:8)";
  const ends: [body: string, end: string][] = [
    [`await svc.cases.get(made.id);`, `at step 2: cases.get ${needs("id")}`],
    ["await svc.cases.get(`${made.id}`);", `at step 2: cases.get ${needs("id")}`],
    [`await svc.data.query("D", { params: { a: [made.a.b] } });`, `at step 2: data.query ${needs("a.b")}`],
    [
      `await svc.attachments.upload({ file: new File(["1"], "a.txt"), appendUniqueId: made.a });`,
      `at step 2: attachments.upload ${needs("a")}`,
    ],
    [`made.total + 1;`, `${script} ${needs("total")}`],
    [`made.total > 1;`, `${script} ${needs("total")}`],
    [`"Case " + made.id;`, `${script} ${needs("id")}`],
    [`made.id == "a";`, `${script} ${needs("id")}`],
    [`for (const one of made.list);`, `${script} ${needs("list")}`],
    [`made.id.split(" ");`, `${script} ${needs("id")}`],
    [`made.list.map((one) => one.id);`, `${script} ${needs("list")}`],
    [`({ ...made.data });`, `${script} ${needs("data")}`],
    [`Object.keys(made.data);`, `${script} ${needs("data")}`],
    [`"a" in made.data;`, `${script} ${needs("data")}`],
    [`made.data.a = 1;`, `${script} ${needs("data")}`],
    [`try { Number(made.total); } catch { log("caught"); }`, `${script} ${needs("total")}`],
    [`for (let one = made.next; one; one = one.next);`, `${script} ${needs("next.".repeat(50) + "next")}`],
  ];
  for (const [body, end] of ends) {
    await t.step(body, async () => {
      const plan = await planOf(MADE + body);
      assert.deepEqual([plan.end, plan.complete], [`The plan ends ${end}`, false]);
    });
  }
});

Deno.test("a plan ends even if only a response would end the loop of the script", async (t) => {
  const loops: [body: string, steps: number, end: RegExp][] = [
    [
      `for (let made = await svc.cases.create({ type: "T" }); made.next; ) made = await svc.cases.create({ type: "T", data: { parent: made.id } });`,
      26,
      /at step 26: each of the last 25 changes needs the response of the previous one\.$/,
    ],
    [
      `for (;;) { const next = await svc.assignments.getNext(); await svc.assignments.perform(next.id, { action: "A" }); }`,
      3,
      /at step 3: the response of assignments\.get-next depends on step 1\.$/,
    ],
    [
      `await svc.cases.create({ type: "T" }); await waitFor(() => svc.cases.get("C-1"), (one) => one.status === "Done");`,
      4,
      /at step 4: the script waits for cases\.get to return something else\.$/,
    ],
    [`for (;;) await svc.cases.create({ type: "T" });`, 1000, /after step 1000: a plan has at most 1000 steps\.$/],
  ];
  for (const [body, count, end] of loops) {
    await t.step(body, async () => {
      const { steps, end: said } = await planOf(body);
      assert.equal(steps.length, count);
      assert.match(said, end);
    });
  }
});

Deno.test("a plan skips sleeps, and no timer fires before the call that it guards ends", async () => {
  const body = `const at = Date.now();
    const one = await svc.cases.get("C-1", { signal: AbortSignal.timeout(5000) });
    await Promise.all([sleep(3_600_000), sleep(60_000).then(() => svc.cases.create({ type: "T" }))]);
    return [one.id, Date.now() - at >= 3_600_000, Date.now() - at < 4_000_000];`;
  const { result, steps } = await planOf(body);
  assert.deepEqual(result, ["C-1", true, true]);
  assert.deepEqual(
    steps.filter(({ kind }) => kind !== "sleep").map(({ operation }) => operation),
    ["cases.get", "cases.create"],
  );
});

Deno.test("no timer of a plan fires while the script computes or makes changes", async () => {
  const body = `const signal = AbortSignal.timeout(60_000);
    await svc.cases.get("C-1");
    let sum = 0;
    for (let i = 0; i < 2e8; i++) sum += i % 7;
    for (let i = 0; i < 100; i++) await svc.cases.create({ type: String(sum) }, { signal });
    return (await svc.cases.get("C-2", { signal })).id;`;
  const { result, complete } = await planOf(body);
  assert.deepEqual([result, complete], ["C-2", true]);
});

Deno.test("a placeholder that a script has altered cannot control the terminal", async () => {
  const body = `const made = await svc.cases.create({ type: "T" });
    log(String(made["a\\u009b2J\\u202e"]), String(made).replace(/-5b5d-$/, "-zz-"), String(made).replace(/-5b5d-$/, "-ff-"));`;
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  const { stderr } = await svcWorkflow(["plan", `${folder.path}/script.ts`, "--allow", "*"]);
  assert.match(stderr, /^«step 1: \["a\\u009b2J\\u202e"\]» svc-[0-9a-f-]{36}-1-zz- «step 1»\n$/);
});

Deno.test("the script gets the error of a read, and a plan fails with the error of its script", async () => {
  const body = `try { await svc.cases.get("missing"); } catch (error) { log(error.code); }
    await svc.cases.create({ type: "T" });
    throw new Error("no luck");`;
  await using api = new TinyApi();
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  const { code, stdout, stderr } = await svcWorkflow(["plan", `${folder.path}/script.ts`, "--allow", "*"], envOf(api));
  assert.match(stdout, /fails: NOT_FOUND The resource cannot be found\.\n/);
  assert(stdout.endsWith("The plan ends after step 2: the script fails.\n"), stdout);
  const [said, error] = stderr.split("\n");
  assert.equal(said, "NOT_FOUND");
  assert.equal(JSON.parse(error ?? "").error.message, "The script failed: no luck (script.ts:9)");
  assert.equal(code, 1);
  assert.deepEqual(api.received, [{ call: "GET /cases/missing" }]);
});

Deno.test("the plan of a batch covers one input", async (t) => {
  await using folder = await makeFolder({
    "script.ts": scriptText("return input;", []),
    "in.ndjson": `{"n":1}\n{"n":2}\nbad\n`,
    "in.csv": "n\n1\n2\n",
    "empty.ndjson": "",
  });
  const plan = (...args: string[]) => svcInProcess(["workflow", "plan", `${folder.path}/script.ts`, ...args]);
  const results: [args: string[], result: unknown][] = [
    [["--each", "in.ndjson"], { n: 1 }],
    [["--each", "in.ndjson", "--input-line", "2"], { n: 2 }],
    [["--each", "in.csv"], { n: "1" }],
    [["--each", "in.csv", "--input-line", "3"], { n: "2" }],
  ];
  for (const [[flag = "", file, ...rest], result] of results) {
    await t.step(`${file} ${rest.join(" ")}`, async () => {
      const { stdout } = await plan(flag, `${folder.path}/${file}`, ...rest, "--format", "json");
      assert.deepEqual(JSON.parse(stdout).result, result);
    });
  }
  const errors: [args: string[], message: RegExp][] = [
    [["--input", "1", "--each", `${folder.path}/in.csv`], /mutually exclusive/],
    [["--input-line", "1"], /--input-line needs --each/],
    [["--each", `${folder.path}/in.ndjson`, "--input-line", "3"], /in\.ndjson:3/],
    [["--each", `${folder.path}/in.ndjson`, "--input-line", "9"], /has no input in line 9/],
    [["--each", `${folder.path}/empty.ndjson`], /has no input\./],
  ];
  for (const [args, message] of errors) {
    await t.step(args.join(" ").replaceAll(folder.path, ""), async () => {
      const { code, stdout, stderr } = await plan(...args);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(JSON.parse(stderr).error.message, message);
    });
  }
});

interface PlanData {
  readonly steps: readonly Record<string, unknown>[];
  readonly result?: unknown;
  readonly complete: boolean;
  readonly end: string;
}

/** Plans a script against an API that only answers reads. */
async function planOf(body: string): Promise<PlanData> {
  await using api = new TinyApi();
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  const args = ["plan", `${folder.path}/script.ts`, "--allow", "*", "--format", "json"];
  const { stdout, stderr } = await svcWorkflow(args, envOf(api));
  assert.equal(stderr, "");
  assert(api.received.every(({ call }) => call.startsWith("GET /cases/")), JSON.stringify(api.received));
  return JSON.parse(stdout);
}

function envOf({ baseUrl }: TinyApi): Record<string, string> {
  return { SVC_BASE_URL: baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
}

/** A service with all that it has written down. */
async function openCity() {
  const folder = await makeFolder();
  const service = await startService({ data: folder.path });
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const credentials = { clientId, clientSecret, noCache: true };
  return {
    svc: createClient({ baseUrl: service.url, ...credentials }),
    env: { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret },
    /** Every row of every table, but for the access tokens. */
    state(): Record<string, unknown[]> {
      using db = new DatabaseSync(`${folder.path}/service.db`, { readOnly: true });
      const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'tokens'").all();
      return Object.fromEntries(tables.map(({ name }) => [String(name), db.prepare(`SELECT * FROM "${name}"`).all()]));
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
