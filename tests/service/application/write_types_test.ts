/** TypeScript types of an application, in programs and in workflow scripts. */
import assert from "node:assert/strict";
import { parseApplication } from "../../../service/application/load.ts";
import { writeTypes } from "../../../service/application/write_types.ts";
import { findTypeErrors } from "../../harness/project.ts";
import { openService } from "../../harness/service.ts";
import { PERMIT_FILE, valueAt } from "../../harness/service_engine.ts";
import { makeFolder, parseErrorRecord, svcInProcess } from "../../harness/svc.ts";
import { createCaseBody, runText, scriptText, TinyApi } from "../../harness/workflow.ts";

const SAMPLE = await Deno.readTextFile(PERMIT_FILE);
const TYPES = writeTypes(parseApplication(SAMPLE, "permit.yaml"));

const IMPORT = `import type { CityPermitDataInspector, CityPermitWorkPermit } from "./types.ts";`;
const CLIENT = `
  ${IMPORT}
  import { createClient, type JsonObject } from "@svc/lib";
  const svc = createClient();
  const { content = {} as CityPermitWorkPermit } = (await svc.cases.get<CityPermitWorkPermit>("C")).data.caseInfo;
  const inspectors = (await svc.data.query<CityPermitDataInspector>("D_Inspectors")).data ?? [];
`;

const CORRECT = `${CLIENT}
  const applicant: string | undefined = content.Applicant;
  const total = (content.Area || 0) + (content.Fee ?? 0) + content.pxUrgencyWork;
  const channel: "Internet" | "Desk" | "Post" | "E-mail" | "" | undefined = content.Channel;
  const pages = content.Documents?.map(({ Title, Pages }) => Title?.repeat(Pages || 1));
  const facts: string[] = [content.pyID, content.pyStatusWork, content.pxCreateDateTime];
  const json: JsonObject = content;
  await svc.cases.create<CityPermitWorkPermit>({
    type: "City-Permit-Work-Permit",
    data: { Applicant: "Ada", Channel: "Desk", Documents: [{ Title: "Plan" }], Contact: { Name: "Ada" } },
  });
  await svc.data.create<CityPermitDataInspector>("D_Inspectors", { data: { ID: "I-1", Name: "Ines", Phone: null } });
  const ids: string[] = inspectors.map(({ ID }) => ID);
  console.log(applicant, total, channel, pages, facts, json, ids);
`;

const MISTAKES = [
  `content.Applicnt`,
  `content.Documents?.[0]?.Titel`,
  `content.Channel === "Fax"`,
  `content.Area?.toUpperCase()`,
  `content.Fee = 3`,
  `inspectors[0]?.Nmae`,
  `await svc.cases.create<CityPermitWorkPermit>({ type: "T", data: { Applicnt: "Ada" } })`,
  `await svc.cases.create<CityPermitWorkPermit>({ type: "T", data: { Decision: "Maybe" } })`,
  `await svc.cases.create<CityPermitWorkPermit>({ type: "T", data: { Documents: [{ Pages: "2" }] } })`,
  `await svc.data.create<CityPermitDataInspector>("D_Inspectors", { data: { Active: "yes" } })`,
];

const SCRIPT = scriptText(
  `const { data } = await svc.cases.get<CityPermitWorkPermit>("C-1");
   const permit: CityPermitWorkPermit | undefined = data.caseInfo.content;
   return permit?.Applicant ?? "unknown";`,
  ["*"],
  IMPORT,
);

/** A definition with IDs, labels and values that do not fit into TypeScript as they are. */
const UNUSUAL = SAMPLE
  .replace("label: Applicant, maxLength", `label: "Name */ of the\\n applicant?", maxLength`)
  .replace("values: [Grant, Refuse] }", `values: [Grant, Refuse, 'Grant "in part"\\'] }`)
  .replace("class: City-Permit-Data-Contact", "class: City-Permit-Data-Inspector")
  .replace(
    /^dataTypes:$/m,
    "dataTypes:\n  City-Permit-DataInspector: { name: Other, key: [Id], fields: { Id: { type: Text } } }",
  );

const UNUSUAL_TYPES = writeTypes(parseApplication(UNUSUAL, "unusual.yaml"));

/** Writes values that the service returns as constants of the generated types. */
async function programOfAnswers(): Promise<string> {
  await using service = await openService();
  const inspector = { ID: "I-1", Name: "Ines" };
  await service.call("POST", "/data/D_Inspectors", { body: { data: inspector } });
  const rows = await service.rows("D_Inspectors", {
    dataViewParameters: {},
    query: { select: [{ field: "ID" }, { field: "Phone" }] },
  });
  assert.deepEqual(rows.at(-1), { ID: "I-1", Phone: null });
  const data = { Applicant: "Ada", Area: 2, Documents: [{ Title: "Plan" }], Contact: { Name: "Ada" } };
  const created = await service.call("POST", "/cases", {
    body: { caseTypeID: "City-Permit-Work-Permit", content: data },
  });
  const { body } = await service.call("GET", `/cases/${encodeURIComponent(String(valueAt(created.body, "id")))}`);
  const content = valueAt(body, "data.caseInfo.content");
  return `${IMPORT}
    export const inspectors: CityPermitDataInspector[] = ${JSON.stringify(rows)};
    export const permit: CityPermitWorkPermit = ${JSON.stringify(content)};`;
}

Deno.test("the compiler checks the content of cases and records against the generated types", async (t) => {
  const mistakes = MISTAKES.map((mistake) => `// @ts-expect-error: a mistake\n${mistake};\n`);
  const errors = await findTypeErrors({
    types: TYPES,
    unusual: UNUSUAL_TYPES,
    correct: CORRECT,
    mistakes: `${CLIENT}${mistakes.join("")}console.log({} as JsonObject);`,
    answers: await programOfAnswers(),
    script: SCRIPT,
  });
  await t.step("the types of the sample application compile", () => assert.equal(errors.types, ""));
  await t.step("IDs that lead to one name and labels with the end of a comment compile", () => {
    assert.equal(errors.unusual, "");
  });
  await t.step("they are type arguments of the library's functions", () => assert.equal(errors.correct, ""));
  await t.step("it rejects a wrong member, a wrong choice and a wrong type", () => assert.equal(errors.mistakes, ""));
  await t.step("they fit what the service returns", () => assert.equal(errors.answers, ""));
  await t.step("a workflow script can import them", () => assert.equal(errors.script, ""));
});

Deno.test("IDs that lead to one name get numbers, and data types come before pages of the same class", () => {
  const names = [...UNUSUAL_TYPES.matchAll(/`([\w-]+)`.* \*\/\nexport type (\w+) /g)].map(([, id, name]) => [id, name]);
  assert.deepEqual(names, [
    ["City-Permit-Work-Permit", "CityPermitWorkPermit"],
    ["City-Permit-Work-Receipt", "CityPermitWorkReceipt"],
    ["City-Permit-Work-Objection", "CityPermitWorkObjection"],
    ["City-Permit-Work-Event", "CityPermitWorkEvent"],
    ["City-Permit-DataInspector", "CityPermitDataInspector"],
    ["City-Permit-Data-Inspector", "CityPermitDataInspector2"],
    ["City-Permit-Data-District", "CityPermitDataDistrict"],
    ["City-Permit-Data-Street", "CityPermitDataStreet"],
    ["City-Permit-Data-Adviser", "CityPermitDataAdviser"],
    ["City-Permit-Data-Document", "CityPermitDataDocument"],
    ["City-Permit-Data-Inspector", "CityPermitDataInspector3"],
    ["Embed-Attach-File", "EmbedAttachFile"],
    ["City-Permit-Data-Organiser", "CityPermitDataOrganiser"],
    ["City-Permit-Data-Stand", "CityPermitDataStand"],
    ["City-Permit-Data-Inspector", "CityPermitDataInspector4"],
    ["City-Permit-Data-Adviser", "CityPermitDataAdviser2"],
    ["City-Permit-Data-Stand", "CityPermitDataStand2"],
    ["City-Permit-Work-Permit", "CityPermitWorkPermit2"],
  ]);
  assert.match(
    UNUSUAL_TYPES,
    /\/\*\* Name \*\\\/ of the applicant\? At most 80 characters\. \*\/\n {2}Applicant\?: string;/,
  );
  assert.match(UNUSUAL_TYPES, /Decision\?: "Grant" \| "Refuse" \| "Grant \\"in part\\"\\\\" \| "";/);
});

Deno.test("a workflow script that imports the types beside it runs in the sandbox", async () => {
  await using api = new TinyApi((call) => {
    const body = createCaseBody(call.replace("GET /cases/", ""));
    return Response.json({ ...body, data: { caseInfo: { content: { Applicant: "Ada" } } } });
  });
  const { result, error } = await runText({ "script.ts": SCRIPT, "types.ts": TYPES }, { caller: api.caller });
  assert.equal(error, undefined);
  assert.equal(result, "Ada");
});

Deno.test("svc service types prints the types, or writes them to a file", async () => {
  await using folder = await makeFolder({ "app.yaml": SAMPLE, "types.ts": "// An older version." });
  const [printed, ofFile, written] = await Promise.all([
    svcInProcess(["service", "types"]),
    svcInProcess(["service", "types", `${folder.path}/app.yaml`]),
    svcInProcess(["service", "types", "-o", `${folder.path}/types.ts`]),
  ]);
  assert.deepEqual(printed, { code: 0, stdout: TYPES, stderr: "" });
  assert.deepEqual(ofFile, printed);
  assert.deepEqual(written, { code: 0, stdout: "", stderr: "" });
  assert.equal(await Deno.readTextFile(`${folder.path}/types.ts`), TYPES);
});

Deno.test("svc service types reports the issues of a definition, and leaves the file as it is", async () => {
  const broken = SAMPLE.replace("{ stage: PRIM1 }", "{ stage: PRIM9 }");
  await using folder = await makeFolder({ "app.yaml": broken, "types.ts": "// An older version." });
  const args = ["service", "types", `${folder.path}/app.yaml`, "-o"];
  const result = await svcInProcess([...args, `${folder.path}/types.ts`]);
  const { code, message, details } = parseErrorRecord(result);
  assert.equal(code, "INVALID_CONFIG");
  assert.match(String(message), /app\.yaml:\d+:\d+: .*no stage 'PRIM9'/);
  assert.ok(Array.isArray(details) && details.length === 1);
  assert.equal(await Deno.readTextFile(`${folder.path}/types.ts`), "// An older version.");
  const unwritable = parseErrorRecord(await svcInProcess([...args, `${folder.path}/missing/types.ts`]));
  assert.match(String(unwritable.message), /cannot write .*missing\/types\.ts: there is no such directory/);
});
