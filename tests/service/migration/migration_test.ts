/** Definitions that do not fit the stored data: a start refuses them, and a migration replaces names. */
import assert from "node:assert/strict";
import { createClient } from "../../../mod.ts";
import { SvcError } from "../../../lib/errors.ts";
import { startService } from "../../../service/mod.ts";
import { migrate } from "../../../service/migration/migrate.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { makeFolder } from "../../harness/svc.ts";

const BEFORE = `
application: { id: Jobs, name: Jobs, organisation: Org }
operators:
  ada@org: { name: Ada, queues: [Desk] }
queues: { Desk: { name: Desk } }
caseTypes:
  Org-Jobs-Work-Job:
    name: Job
    prefix: J
    workPool: ORG-JOBS-WORK
    fields:
      Title: { type: Text }
      Amount: { type: Decimal }
      Due: { type: Text }
      Level: { type: Dropdown, values: [Low, High] }
      Site: { type: Page, class: Org-Jobs-Data-Site, fields: { City: { type: Text } } }
      Lines:
        type: List
        class: Org-Jobs-Data-Line
        fields: { Item: { type: Text }, Color: { type: Dropdown, values: [Red, Blue] } }
    stages:
      Start:
        name: Start
        processes:
          Intake: { steps: { Fill: { route: { queue: Desk }, actions: { Submit: { fields: [Title, Amount] } } } } }
      Work:
        name: Work
        processes:
          Doing: { steps: { Do: { route: { to: creator }, actions: { Done: { fields: [Title] } } } } }
    participantRoles: { Helper: { multiple: true, fields: [pyLastName] } }
    attachmentCategories: { Link: { type: URL }, Plan: { type: File } }
dataTypes:
  Org-Jobs-Data-Tool: { name: Tool, key: [Name], savable: D_Tools, fields: { Name: { type: Text }, Price: { type: Decimal } } }
dataViews:
  D_Tools: { name: Tools, source: records, class: Org-Jobs-Data-Tool }
`;

/** Renames every part. */
const AFTER = BEFORE.replaceAll("ada@org", "eve@org").replaceAll("Desk", "Front")
  .replaceAll("Org-Jobs-Work-Job", "Org-Jobs-Work-Task").replaceAll("Title", "Subject")
  .replace("Start:\n        name", "Begin:\n        name").replace("Intake:", "Entry:").replace("Fill:", "Type:")
  .replaceAll("Org-Jobs-Data-Tool", "Org-Jobs-Data-Device").replaceAll("Price", "Cost");

const RENAMES = [
  "caseTypes.Org-Jobs-Work-Job=Org-Jobs-Work-Task",
  "caseTypes.Org-Jobs-Work-Task.fields.Title=Subject",
  "caseTypes.Org-Jobs-Work-Task.stages.Start=Begin",
  "caseTypes.Org-Jobs-Work-Task.processes.Intake=Entry",
  "caseTypes.Org-Jobs-Work-Task.processes.Entry.steps.Fill=Type",
  "dataTypes.Org-Jobs-Data-Tool=Org-Jobs-Data-Device",
  "dataTypes.Org-Jobs-Data-Device.fields.Price=Cost",
  "queues.Desk=Front",
  "operators.ada@org=eve@org",
];

interface Place extends AsyncDisposable {
  readonly data: string;
  /** Writes a definition and returns its path. */
  write(yaml: string): Promise<string>;
}

/** Creates a data directory with cases and a record of the first definition. */
async function prepare(): Promise<Place> {
  const folder = await makeFolder({ "app.yaml": BEFORE });
  const data = `${folder.path}/data`;
  const service = await startService({ data, app: `${folder.path}/app.yaml` });
  const svc = createClient({ baseUrl: service.url, ...await service.addClient("ada@org"), noCache: true });
  for (const Title of ["a", "b", "2026-01-31"]) {
    await svc.cases.create({ type: "Org-Jobs-Work-Job", data: { Title, Amount: 2.5, Due: Title } });
  }
  const id = "ORG-JOBS-WORK J-3";
  await svc.participants.add(id, { role: "Helper", data: { pyLastName: "Hopper" } });
  await svc.attachments.add(id, {
    attachments: [{ type: "URL", category: "Link", name: "a", url: "https://a.example" }],
  });
  await svc.data.create("D_Tools", { data: { Name: "Saw", Price: 3 } });
  const draft = { action: "Submit", data: { Title: "draft" } };
  await svc.assignments.save("ASSIGN-WORKBASKET ORG-JOBS-WORK J-3!INTAKE", draft);
  await service.close();
  await addContent(data, {
    Level: "High",
    Site: { City: "Rome" },
    Lines: [{ Item: "Saw", Color: "Blue" }, { Item: "Axe", Color: "Red" }],
  });
  return {
    data,
    async write(yaml) {
      await Deno.writeTextFile(`${folder.path}/app.yaml`, yaml);
      return `${folder.path}/app.yaml`;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Adds content to a case without using a form. */
async function addContent(data: string, added: JsonObject): Promise<void> {
  const store = openSqliteStore(locateFiles(data).database, true);
  await store.transact(async (tx) => {
    const stored = await tx.getCase("ORG-JOBS-WORK J-2");
    assert.ok(stored);
    await tx.putCase({ ...stored, content: { ...stored.content, ...added } });
  });
  await store.close();
}

/** Returns the mismatches for which a start is refused. */
async function refuse({ data }: Place, app: string): Promise<unknown[]> {
  try {
    await (await startService({ data, app })).close();
  } catch (error) {
    assert.ok(error instanceof SvcError);
    assert.equal(error.code, "INVALID_CONFIG", String(error.cause));
    assert.match(error.hint ?? "", /svc service migrate.*--accept-mismatch/);
    return (error.details ?? []).map((detail) => isJsonObject(detail) ? detail.message : detail);
  }
  return [];
}

Deno.test("a start lists what a changed definition does not fit, and refuses", async () => {
  await using place = await prepare();
  const unknown = "which the definition does not have";
  const cases: [change: (yaml: string) => string, mismatches: string[]][] = [
    [(yaml) => yaml, []],
    [(yaml) => yaml.replace("Title: { type: Text }", "Title: { type: TextArea }"), []],
    [(yaml) => yaml.replace("Due: { type: Text }", "Due: { type: Date }"), [
      "2 cases of Org-Jobs-Work-Job with a value of Due that does not fit the type Date",
    ]],
    [(yaml) => yaml.replace("Amount: { type: Decimal }", "Amount: { type: Integer }"), [
      "3 cases of Org-Jobs-Work-Job with a value of Amount that does not fit the type Integer",
    ]],
    [(yaml) => yaml.replace("      Due: { type: Text }\n", ""), [
      "3 cases of Org-Jobs-Work-Job with a value of Due, a field that the definition does not have",
    ]],
    [(yaml) => yaml.replaceAll("Org-Jobs-Work-Job", "Org-Jobs-Work-Task"), [
      `3 cases with the type Org-Jobs-Work-Job, ${unknown}`,
    ]],
    [(yaml) => yaml.replace("City: { type: Text }", "City: { type: Integer }"), [
      "1 page of Org-Jobs-Work-Job.Site with a value of City that does not fit the type Integer",
    ]],
    [(yaml) => yaml.replace("Item: { type: Text }", "Part: { type: Text }"), [
      "2 rows of Org-Jobs-Work-Job.Lines with a value of Item, a field that the definition does not have",
    ]],
    [(yaml) => yaml.replace("values: [Low, High]", "values: [Low, Highest]"), [
      "1 case of Org-Jobs-Work-Job with a value of Level that the definition does not allow",
    ]],
    [(yaml) => yaml.replace("values: [Red, Blue]", "values: [Red]"), [
      "1 row of Org-Jobs-Work-Job.Lines with a value of Color that the definition does not allow",
    ]],
    [(yaml) => yaml.replace("values: [Low, High]", "values: [Low, Medium, High]"), []],
    [(yaml) => yaml.replace("key: [Name]", "key: [Price]"), [
      "1 record of Org-Jobs-Data-Tool whose stored key does not match Price",
    ]],
    [(yaml) => yaml.replace("Start:\n        name", "Begin:\n        name"), [
      `3 cases of Org-Jobs-Work-Job in the stage Start, ${unknown}`,
    ]],
    [(yaml) => yaml.replace("Fill:", "Type:"), [
      `3 assignments of Org-Jobs-Work-Job in the step Fill of the process Intake, ${unknown}`,
    ]],
    [(yaml) => yaml.replace("Submit:", "Send:"), [
      `1 draft of Org-Jobs-Work-Job for the action Submit of the step Fill of the process Intake, ${unknown}`,
    ]],
    [(yaml) => yaml.replace("Helper:", "Aide:"), [
      `1 participant of Org-Jobs-Work-Job with the role Helper, ${unknown}`,
    ]],
    [(yaml) => yaml.replace("{ Link:", "{ Site:"), [
      `1 attachment of Org-Jobs-Work-Job with the category Link, ${unknown}`,
    ]],
    [(yaml) => yaml.replaceAll("Org-Jobs-Data-Tool", "Org-Jobs-Data-Device"), [
      `1 record with the class Org-Jobs-Data-Tool, ${unknown}`,
    ]],
    [(yaml) => yaml.replaceAll("Desk", "Front"), [`2 assignments in the queue Desk, ${unknown}`]],
    [(yaml) => yaml.replaceAll("ada@org", "eve@org"), [
      `1 assignment of the operator ada@org, ${unknown}`,
    ]],
  ];
  for (const [change, mismatches] of cases) {
    const app = await place.write(change(BEFORE));
    const found = await refuse(place, app);
    // A definition that fits becomes the one to which the next is compared.
    assert.deepEqual(found, mismatches, app);
  }
});

Deno.test("a mismatch that was accepted is not reported again", async () => {
  await using place = await prepare();
  const app = await place.write(BEFORE.replace("Due: { type: Text }", "Due: { type: Date }"));
  assert.equal((await refuse(place, app)).length, 1);
  await (await startService({ data: place.data, app, acceptMismatch: true })).close();
  assert.deepEqual(await refuse(place, app), []);
});

Deno.test("a migration shows its plan, changes nothing before it is applied, and then everything at once", async () => {
  await using place = await prepare();
  const app = await place.write(AFTER);
  assert.ok((await refuse(place, app)).length > 3);
  const options = { data: place.data, app, renames: RENAMES };
  const before = await readAll(place);
  const plan = await migrate({ ...options, apply: false });
  assert.deepEqual(plan, {
    applied: false,
    renames: RENAMES.map((rename, index) => ({ rename, rows: [3, 3, 6, 3, 3, 1, 1, 2, 18][index] })),
    mismatches: [],
  });
  assert.deepEqual(await readAll(place), before);
  const incomplete = await migrate({ ...options, renames: RENAMES.slice(0, -1), apply: false });
  assert.equal(incomplete.mismatches.length, 1);
  assert.deepEqual(await migrate({ ...options, apply: true }), { ...plan, applied: true });

  await using service = await startService({ data: place.data, app });
  const svc = createClient({ baseUrl: service.url, ...await service.addClient("eve@org"), noCache: true });
  const found = await svc.cases.get("ORG-JOBS-WORK J-1");
  const { content, stageID, caseTypeID } = found.data.caseInfo;
  assert.deepEqual([content?.Subject, content?.Amount, content?.Title], ["a", 2.5, undefined]);
  assert.deepEqual([stageID, caseTypeID], ["Begin", "Org-Jobs-Work-Task"]);
  const drafted = "ASSIGN-WORKBASKET ORG-JOBS-WORK J-3!INTAKE";
  const form = await svc.assignments.getAction(drafted, { action: "Submit" });
  assert.equal(form.data.caseInfo.content?.Subject, "draft");
  await svc.assignments.perform(drafted, { action: "Submit" });
  assert.equal((await svc.cases.get("ORG-JOBS-WORK J-3")).data.caseInfo.stageID, "Work");
  const tool = await svc.data.get("D_Tools", { params: { Name: "Saw" } });
  assert.deepEqual([tool.Name, tool.Cost, tool.Price], ["Saw", 3, undefined]);
});

Deno.test("a migration reports the mismatches that a start has accepted", async () => {
  await using place = await prepare();
  const app = await place.write(BEFORE.replace("Due: { type: Text }", "Due: { type: Date }"));
  await (await startService({ data: place.data, app, acceptMismatch: true })).close();
  const { mismatches } = await migrate({
    data: place.data,
    app,
    renames: ["caseTypes.Org-Jobs-Work-Job.stages.Start=Work"],
    apply: false,
  });
  assert.deepEqual(mismatches.map(({ message }) => message), [
    "2 cases of Org-Jobs-Work-Job with a value of Due that does not fit the type Date",
  ]);
});

Deno.test("a rename to a name that the definition does not have, or in another form, is refused", async () => {
  await using place = await prepare();
  const app = await place.write(AFTER);
  const refused = async (rename: string) => {
    const error = await migrate({ data: place.data, app, renames: [rename], apply: true }).catch((error) => error);
    assert.ok(error instanceof SvcError);
    return [error.code, error.message];
  };
  assert.deepEqual(await refused("queues.Desk=Fromt"), [
    "INVALID_ARGS",
    "The definition has no 'Fromt'; did you mean 'Front'?",
  ]);
  for (const wrong of ["queues.Desk", "queues=Desk", "=Front", "views.A=B", "caseTypes.A.fields=B", "queues.Desk="]) {
    assert.deepEqual(await refused(wrong), ["INVALID_ARGS", `'${wrong}' is not a rename.`]);
  }
});

/** Reads everything that a migration may change. */
async function readAll({ data }: Place): Promise<unknown> {
  const store = openSqliteStore(locateFiles(data).database, true);
  try {
    return await store.read(async (tx) => {
      const ids = ["J-1", "J-2", "J-3"].map((id) => `ORG-JOBS-WORK ${id}`);
      const read = ids.map(async (id): Promise<JsonObject> => ({
        stored: JSON.stringify(await tx.getCase(id)),
        assignments: JSON.stringify(await tx.listAssignments(id)),
      }));
      return [await Promise.all(read), await tx.countUses()];
    });
  } finally {
    await store.close();
  }
}

Deno.test("a rename of a name that the data does not contain changes nothing and suggests a similar name", async () => {
  await using place = await prepare();
  const app = await place.write(AFTER);
  const wrong = [
    ["caseTypes.Org-Jobs-Work-Jobb=Org-Jobs-Work-Task", "Org-Jobs-Work-Jobb", "Org-Jobs-Work-Job"],
    ["caseTypes.Org-Jobs-Work-Job=Org-Jobs-Work-Task"],
    ["caseTypes.Org-Jobs-Work-Task.fields.Titles=Subject", "Titles", "Title"],
    ["caseTypes.Org-Jobs-Work-Task.stages.Strat=Begin", "Strat", "Start"],
    ["caseTypes.Org-Jobs-Work-Task.processes.Intakes=Entry", "Intakes", "Intake"],
    ["caseTypes.Org-Jobs-Work-Task.processes.Intake.steps.Fil=Type", "Fil", "Fill"],
    ["dataTypes.Org-Jobs-Data-Device.fields.Price=Cost", "Org-Jobs-Data-Device", "Org-Jobs-Data-Tool"],
    ["queues.Dusk=Front", "Dusk", "Desk"],
    ["operators.ade@org=eve@org", "ade@org", "ada@org"],
  ];
  const renames = wrong.map(([rename = ""]) => rename);
  const report = await migrate({ data: place.data, app, renames, apply: false });
  for (const [index, { rename, rows, note }] of report.renames.entries()) {
    const [, name, similar] = wrong[index] ?? [];
    if (name === undefined) assert.deepEqual([rows, note], [3, undefined], rename);
    else {assert.deepEqual([rows, note], [
        0,
        `The stored data does not contain the name '${name}'; did you mean '${similar}'?`,
      ]);}
  }
});

Deno.test("a renamed operator keeps everything that belongs to it", async () => {
  await using folder = await makeFolder({ "app.yaml": BEFORE });
  const [data, app] = [`${folder.path}/data`, `${folder.path}/app.yaml`];
  const open = async (operator: string) => {
    const service = await startService({ data, app });
    const options = { baseUrl: service.url, ...await service.addClient(operator), noCache: true };
    return { service, svc: createClient(options) };
  };
  const before = await open("ada@org");
  const { id } = await before.svc.cases.create({ type: "Org-Jobs-Work-Job", data: { Title: "a" } });
  await before.svc.followers.add(id, { user: "ada@org" });
  await before.svc.tags.add(id, { tag: ["urgent"] });
  const file = new File(["The plan."], "plan.txt");
  const { ID } = await before.svc.attachments.upload({ file });
  const { id: message } = await before.svc.social.postMessage({ context: "ada@org", message: "Hello @ada@org" });
  await before.svc.social.likeMessage(message);
  await before.service.close();

  await Deno.writeTextFile(app, BEFORE.replaceAll("ada@org", "eve@org"));
  const { mismatches } = await migrate({ data, app, renames: ["operators.ada@org=eve@org"], apply: true });
  assert.deepEqual(mismatches, []);
  const after = await open("eve@org");
  assert.deepEqual((await after.svc.followers.list(id)).followers.map(({ ID }) => ID), ["eve@org"]);
  await after.svc.attachments.add(id, { attachments: [{ type: "File", category: "Plan", ID }] });
  assert.deepEqual((await after.svc.social.listLikes(message)).pxIsLiked, true);
  await after.svc.social.updateMessage(message, { message: "Hello again" });
  const { messages } = await after.svc.social.listMessages({ filterFor: "eve@org", filterBy: "messages" });
  assert.deepEqual(messages.map((one) => one.id), [message]);
  await after.service.close();
});
