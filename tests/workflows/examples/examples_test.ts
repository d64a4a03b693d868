import assert from "node:assert/strict";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { type Client, createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { runBatch } from "../../../workflows/runs/batch.ts";
import { openInputs } from "../../../workflows/inputs/open_inputs.ts";
import { CHECKOUT, makeFolder } from "../../harness/svc.ts";
import { createRunner, openScript, openScriptWorkspace, runWorkflow } from "../../harness/workflow.ts";

interface City extends AsyncDisposable {
  caller(operator: string): Promise<Caller>;
  client(operator: string): Promise<Client>;
}

async function openCity(): Promise<City> {
  const service = await startService();
  const options = async (operator: string) => ({
    baseUrl: service.url,
    ...(await service.addClient(operator)),
    noCache: true,
  });
  return {
    caller: async (operator) => createCaller(await options(operator)),
    client: async (operator) => createClient(await options(operator)),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

function example(name: string): string {
  return `${CHECKOUT}/workflows/examples/${name}.ts`;
}

Deno.test("intake.ts creates a permit and submits it for review", async () => {
  await using city = await openCity();
  const input = { Applicant: "Ada Lovelace", Address: "Main St 1", Area: 40 };
  const options = { script: example("intake"), caller: await city.caller("clerk@city"), allowDeclared: true };
  const result = await runWorkflow(options, input);
  assert.deepEqual(result, { id: "CITY-PERMIT-WORK P-1", status: "Pending-Review" });
  const svc = await city.client("clerk@city");
  const { stageLabel, content } = (await svc.cases.get("CITY-PERMIT-WORK P-1")).data.caseInfo;
  assert.deepEqual([stageLabel, content?.Applicant, content?.Area], ["Review", "Ada Lovelace", 40]);
  await assert.rejects(runWorkflow(options, { Applicant: "Ada" }), /The application has no Address/);
});

Deno.test("triage.ts processes the queues of its operator until they are empty", async () => {
  await using city = await openCity();
  const intake = { script: example("intake"), caller: await city.caller("clerk@city"), allowDeclared: true };
  for (const Area of [40, 900]) await runWorkflow(intake, { Applicant: `A${Area}`, Address: "Main St 1", Area });
  const triage = (caller: Caller) =>
    runWorkflow({ script: example("triage"), caller, allowDeclared: true }, { largestArea: 500 });
  assert.deepEqual(await triage(await city.caller("reviewer@city")), {
    performed: { CheckApplication: 2, CheckDocuments: 2, GiveAdvice: 2 },
  });
  assert.deepEqual(await triage(await city.caller("decider@city")), { performed: { Decide: 2 } });
  const svc = await city.client("clerk@city");
  const statuses = ["P-1", "P-2"].map(async (id) => (await svc.cases.get(`CITY-PERMIT-WORK ${id}`)).status);
  assert.deepEqual(await Promise.all(statuses), ["Resolved-Completed", "Resolved-Rejected"]);
});

Deno.test("nightly_report.ts counts permits by status with reads only", async () => {
  await using city = await openCity();
  const caller = await city.caller("clerk@city");
  const svc = await city.client("clerk@city");
  for (let i = 0; i < 3; i++) await svc.cases.create({ type: "City-Permit-Work-Permit" });
  await runWorkflow({ script: example("intake"), caller, allowDeclared: true }, {
    Applicant: "A",
    Address: "B",
    Area: 10,
  });
  const report = await runWorkflow({ script: example("nightly_report"), caller, allow: ["data.query", "data.count"] });
  assert.deepEqual(report, {
    total: 4,
    byStatus: [{ status: "New", permits: 3, fees: 150 }, { status: "Pending-Review", permits: 1, fees: 75 }],
  });
});

Deno.test("import_csv.ts registers valid rows and creates nothing for invalid rows", async () => {
  await using city = await openCity();
  const rows = [
    "Applicant,Address,Area,Channel",
    'Ada,"Main St 1, left",40,Desk',
    ",Main St 2,40,Desk",
    "Bob,Main St 3,40,Pigeon",
    "Cleo,Main St 4,10,",
  ];
  await using folder = await makeFolder({ "rows.csv": rows.join("\r\n") + "\r\n" });
  await using workflow = await openScript({
    script: example("import_csv"),
    allowDeclared: true,
  });
  const runner = createRunner(workflow, await city.caller("clerk@city"));
  const results = await Array.fromAsync(
    runBatch(runner, await openInputs(`${folder.path}/rows.csv`), { concurrency: 2 }),
  );
  const lines = results.map((result) => JSON.stringify(result));
  assert.equal(results.filter((result) => "error" in result).length, 2);
  const [first, second, third, fourth] = lines;
  assert.match(first ?? "", /"rows\.csv:2","result":\{"id":"CITY-PERMIT-WORK P-\d","status":"Pending-Review"/);
  assert.match(second ?? "", /"rows\.csv:3","error":.*has no Applicant/);
  assert.match(third ?? "", /"rows\.csv:4","error":\{"code":"VALIDATION_FAIL"/);
  assert.match(fourth ?? "", /"rows\.csv:5","result"/);
  const svc = await city.client("clerk@city");
  assert.equal((await svc.data.count("D_Permits")).resultCount, 2);
});

Deno.test("retry registers a rejected row of import_csv.ts after the row is fixed", async () => {
  await using workspace = await openScriptWorkspace("");
  const write = (channel: string) => {
    const rows = `Applicant,Address,Channel\nAda,Main St 1,Desk\nBob,Main St 3,${channel}\n`;
    return Deno.writeTextFile(`${workspace.folder}/rows.csv`, rows);
  };
  await write("Pigeon");
  const first = await workspace.svc(
    "run",
    example("import_csv"),
    "--each",
    "rows.csv",
    "--run-id",
    "r1",
    "--allow-declared",
  );
  assert.match(first.stdout, /Pigeon is not one of Internet, Desk/);
  await write("Post");
  const again = await workspace.svc("retry", "r1");
  assert.deepEqual([again.code, await workspace.permits()], [0, 2], again.stderr);
});
