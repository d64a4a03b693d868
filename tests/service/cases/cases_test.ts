/** Stages, processes, actions and relatives of cases. */
import assert from "node:assert/strict";
import { createPermit, openEngine, PERMIT_FILE, textAt, valueAt } from "../../harness/service_engine.ts";
import { readCpuTime } from "../../harness/cpu_time.ts";

const TYPE = "City-Permit-Work-Permit";

Deno.test("a case is read with its stages, actions and assignments in the shape of the API", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  const info = valueAt(await engine.body("cases.get", { caseId }), "data.caseInfo");
  assert.equal(valueAt(info, "businessID"), "P-1");
  assert.equal(valueAt(info, "content.pyLabel"), "Permit for Ada");
  assert.equal(valueAt(info, "content.Channel"), "Internet");
  assert.equal(valueAt(info, "stages.0.visited_status"), "active");
  assert.equal(valueAt(info, "stages.1.visited_status"), "future");
  assert.equal(valueAt(info, "stages.1.entryTime"), undefined);
  assert.deepEqual(valueAt(info, "availableActions.0"), {
    ID: "pyUpdateCaseDetails",
    name: "Edit details",
    type: "Case",
    links: {
      open: {
        rel: "self",
        href: "/cases/CITY-PERMIT-WORK P-1/actions/pyUpdateCaseDetails",
        type: "GET",
        title: "Get case action details",
      },
    },
  });
  assert.equal(valueAt(info, "availableProcesses.0.ID"), "Site_Visit");
  assert.equal(valueAt(info, "assignments.0.actions.0.ID"), "Register");
  assert.equal((await engine.refused("cases.get", { caseId: "CITY-PERMIT-WORK P-99" })).status, 404);
});

Deno.test("a case moves to a stage by name or ID, and to the next stage, but not beyond the last", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const gone = await engine.body("cases.stageGo", { caseId, stage: "Decision" });
  assert.equal(valueAt(gone, "data.caseInfo.stageID"), "PRIM2");
  assert.equal(valueAt(gone, "data.caseInfo.assignments.length"), undefined);
  assert.deepEqual(
    valueAt(gone, "data.caseInfo.assignments.1"),
    undefined,
    "the assignment of the stage it left is closed",
  );
  assert.equal((await engine.refused("cases.stageNext", { caseId })).status, 409);
  await engine.call("cases.stageGo", { caseId, stage: "PRIM0" });
  const next = await engine.body("cases.stageNext", { caseId });
  assert.equal(valueAt(next, "data.caseInfo.stageLabel"), "Review");
  const unclear = await engine.refused("cases.stageNext", { caseId }, { query: { cleanupProcesses: "no" } });
  assert.deepEqual([unclear.status, unclear.message], [400, "cleanupProcesses must be true or false, not 'no'"]);
  const kept = await engine.body("cases.stageNext", { caseId }, { query: { cleanupProcesses: "false" } });
  assert.equal(valueAt(kept, "data.caseInfo.assignments.1.processID"), "Decision");
  assert.equal((await engine.refused("cases.stageGo", { caseId, stage: "Nowhere" })).status, 404);
  const stale = { caseId, stage: "PRIM0", ifMatch: "20200101T000000.000 GMT" };
  assert.equal((await engine.refused("cases.stageGo", stale)).status, 412);
});

Deno.test("an optional process runs beside the stage and survives a change of stage", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const started = await engine.body("cases.startProcess", { caseId, process: "Site_Visit" });
  assert.equal(valueAt(started, "data.caseInfo.assignments.1.ID"), "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!SITE_VISIT");
  assert.equal((await engine.refused("cases.startProcess", { caseId, process: "Intake" })).status, 404);
  await engine.call("cases.stageGo", { caseId, stage: "Review" });
  const visit = await engine.body("assignments.getNext", {}, { as: "inspector@city" });
  assert.equal(valueAt(visit, "data.caseInfo.assignments.0.processID"), "Site_Visit");
  const done = await engine.body("assignments.perform", {
    assignmentId: valueAt(visit, "id"),
    action: "Visit",
    data: { Inspector: "I-1", VisitDate: "2026-02-30" },
    ifMatch: valueAt(visit, "etag"),
  }, { as: "inspector@city" }).catch((error: Error) => error.message);
  assert.match(String(done), /2026-02-30 is not a valid date/);
});

Deno.test("an optional process that is started again runs beside the first one", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const handle = "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!SITE_VISIT";
  const start = async () => await engine.body("cases.startProcess", { caseId, process: "Site_Visit" });
  await start();
  await start();
  const listed = async () => {
    const list = valueAt(await engine.body("cases.get", { caseId }), "data.caseInfo.assignments");
    const all = Array.isArray(list) ? list.map((one) => [valueAt(one, "ID"), valueAt(one, "processID")]) : [];
    return all.filter(([, process]) => process === "Site_Visit").map(([id]) => id);
  };
  assert.deepEqual(await listed(), [handle, `${handle}_1`]);
  const as = { as: "inspector@city" };
  const ifMatch = textAt(await engine.body("assignments.get", { assignmentId: handle }, as), "etag");
  const data = { Inspector: "I-1", VisitDate: "2026-02-03" };
  await engine.call("assignments.perform", { assignmentId: handle, action: "Visit", data, ifMatch }, as);
  assert.deepEqual(await listed(), [`${handle}_1`]);
  await start();
  assert.deepEqual(await listed(), [`${handle}_1`, handle]);
  await start();
  assert.deepEqual(await listed(), [`${handle}_1`, handle, `${handle}_2`]);
});

Deno.test("an optional process is offered, and can be started, while its condition holds", async () => {
  const yaml = await Deno.readTextFile(PERMIT_FILE);
  const id = "Site_Visit:\n";
  assert.ok(yaml.includes(id));
  await using engine = await openEngine(yaml.replace(id, `${id}        when: Area > 10.0\n`));
  for (const [Area, offered, status] of [[10, undefined, 404], [11, "Site_Visit", 200]] as const) {
    const body = await engine.body("cases.create", { type: "City-Permit-Work-Permit", data: { Area } });
    const caseId = textAt(body, "id");
    const { data } = await engine.body("cases.get", { caseId });
    assert.equal(valueAt(data, "caseInfo.availableProcesses.0.ID"), offered);
    const start = ["cases.startProcess", { caseId, process: "Site_Visit" }] as const;
    if (status === 404) assert.equal((await engine.refused(...start)).status, status);
    else await engine.call(...start);
  }
});

Deno.test("case actions change fields, set fields and move the case", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  const perform = async (action: string, data: object) =>
    await engine.body("cases.performAction", { caseId, action, data });
  const edited = await perform("pyUpdateCaseDetails", { Applicant: "Grace", Contact: { Phone: "555-0100" } });
  assert.equal(valueAt(edited, "data.caseInfo.content.Applicant"), "Grace");
  assert.deepEqual(valueAt(edited, "data.caseInfo.content.Contact"), {
    classID: "City-Permit-Data-Contact",
    Name: "",
    Phone: "555-0100",
  });
  assert.equal(valueAt(await perform("Expedite", {}), "data.caseInfo.content.Fee"), 150);
  assert.equal(valueAt(await perform("pyChangeStage", { pyGotoStage: "Decision" }), "data.caseInfo.stageID"), "PRIM2");
  assert.equal(valueAt(await perform("Withdraw", { Reason: "Moved away" }), "data.caseInfo.stageID"), "ALT1");
  const refused = await engine.refused("cases.performAction", { caseId, action: "Nope" });
  assert.equal(refused.status, 409);
  assert.match(refused.message, /not a valid action/);
  const mistyped = await engine.refused("cases.performAction", {
    caseId,
    action: "pyUpdateCaseDetails",
    data: { Applicnt: "Ada", Fees: 1 },
  });
  assert.deepEqual(mistyped.details.map(({ message }) => message), [
    "'Applicnt' is not a field of this form; did you mean 'Applicant'?",
    "'Fees' is not a field of this form", // Fee is calculated: it would be refused, too.
  ]);
  const wrong = await engine.refused("cases.performAction", {
    caseId,
    action: "pyUpdateCaseDetails",
    data: { Contact: { Phone: "none" } },
  });
  assert.equal(wrong.status, 422);
  assert.equal(wrong.details[1]?.erroneousInputOutputFieldInPage, ".Contact.Phone");
});

Deno.test("an unknown action, stage, process or view of a case is refused with the available ones", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const assignmentId = `ASSIGN-WORKLIST ${caseId}!INTAKE`;
  const refusals: [operation: string, values: object, status: number, end: string][] = [
    ["assignments.perform", { assignmentId, action: "Registr" }, 409, "; did you mean 'Register'?"],
    ["assignments.getAction", { assignmentId, action: "Approve" }, 409, "; available: Register, Withdraw"],
    ["cases.performAction", { caseId, action: "expedite" }, 409, "; did you mean 'Expedite'?"],
    ["cases.stageGo", { caseId, stage: "PRIM9" }, 404, "; available: Intake, Review, Decision, Withdrawal"],
    ["cases.startProcess", { caseId, process: "Intake" }, 404, "; available: Site_Visit"],
    ["cases.getView", { caseId, view: "Sumary" }, 404, "; did you mean 'Summary'?"],
  ];
  for (const [operation, values, status, end] of refusals) {
    const refused = await engine.refused(operation, values);
    assert.deepEqual([refused.status, refused.message.slice(-end.length)], [status, end], operation);
  }
  const perform = ["assignments.perform", { assignmentId, action: "Registr" }] as const;
  const other = await engine.refused(...perform, { as: "reviewer@city" });
  assert.deepEqual([other.status, other.message.includes("Register")], [403, false], "who may not work on it");
});

Deno.test("only a case that has never left its create stage can be deleted", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const other = await createPermit(engine);
  await engine.call("cases.stageGo", { caseId, stage: "PRIM0" });
  await engine.call("cases.delete", { caseId });
  assert.equal((await engine.refused("cases.get", { caseId })).status, 404);
  await engine.call("cases.stageNext", { caseId: other });
  assert.equal((await engine.refused("cases.delete", { caseId: other })).status, 403);
  const back = await engine.body("cases.stageGo", { caseId: other, stage: "PRIM0" });
  assert.equal(valueAt(back, "data.caseInfo.assignments.0.processID"), "Intake");
  const refused = await engine.refused("cases.delete", { caseId: other });
  assert.deepEqual([refused.status, refused.message], [
    403,
    "P-2 has left its create stage and can no longer be deleted",
  ]);
});

Deno.test("parents and children are listed up and down", async () => {
  await using engine = await openEngine();
  const parent = await createPermit(engine);
  const child = await createPermit(engine, {}, parent);
  const grandchild = await createPermit(engine, {}, child);
  const up = await engine.body("cases.listAncestors", { caseId: grandchild });
  assert.deepEqual([valueAt(up, "ancestors.0.id"), valueAt(up, "ancestors.1.id")], [child, parent]);
  assert.deepEqual(await engine.body("cases.listAncestors", { caseId: parent }), {});
  const down = await engine.body("cases.listDescendants", { caseId: parent });
  assert.equal(valueAt(down, "childCases.0.id"), child);
  assert.equal(valueAt(down, "childCases.0.childCases.0.id"), grandchild);
  assert.deepEqual(await engine.body("cases.listDescendants", { caseId: grandchild }), {});
  assert.equal((await engine.refused("cases.delete", { caseId: parent })).status, 409);
  const orphan = await engine.refused("cases.create", { type: TYPE, parentCaseId: "NO C-1" });
  assert.equal(orphan.status, 404);
});

Deno.test("attachment categories tell the caller's rights", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const rights = async (as: string) =>
    valueAt(
      await engine.body("cases.listAttachmentCategories", { caseId }, { as }),
      "attachment_categories.0.canDeleteAll",
    );
  assert.equal(await rights("clerk@city"), false);
  assert.equal(await rights("decider@city"), true);
  const links = await engine.body("cases.listAttachmentCategories", { caseId }, { query: { type: "url" } });
  assert.equal(valueAt(links, "attachment_categories.0.ID"), "URL");
  const unknown = await engine.refused("cases.listAttachmentCategories", { caseId }, { query: { type: "zz" } });
  assert.deepEqual([unknown.status, unknown.message], [400, "type must be File or URL, not 'zz'"]);
});

Deno.test("case types are listed with the forms of their creation and bulk actions", async () => {
  await using engine = await openEngine();
  const list = await engine.body("caseTypes.list", {});
  assert.equal(valueAt(list, "caseTypes.0.ID"), TYPE);
  const form = await engine.body("caseTypes.getAction", { caseTypeId: TYPE, action: "Create" });
  assert.equal(valueAt(form, "data.caseInfo.content.Channel"), "Internet");
  assert.equal(valueAt(form, "uiResources.resources.fields.Channel.0.datasource.records.1.value"), "Desk");
  const none = await engine.refused("caseTypes.getAction", { caseTypeId: TYPE, action: "Expedit" });
  assert.deepEqual([none.status, none.message.endsWith("; did you mean 'Expedite'?")], [404, true]);
  const other = await engine.refused("cases.create", { type: TYPE, process: "pyStartCases" });
  assert.deepEqual([other.status, other.message], [
    404,
    "Process not found for the given parameter processID; did you mean 'pyStartCase'?",
  ]);
  const bulk = await engine.body("caseTypes.listBulkActions", { caseTypeId: TYPE });
  assert.equal(valueAt(bulk, "bulkActions.0.ID"), "pyUpdateCaseDetails");
});

const FAMILY = `
application: { id: Test, name: Test, organisation: Test }
operators: { boss@test: { name: Boss } }
caseTypes:
  Test-Work-Order:
    name: Order
    prefix: O
    workPool: TEST-WORK
    fields:
      Amount: { type: Currency }
      Checked: { type: Boolean }
    stages:
      PRIM0:
        name: Order
        transition: resolution
        processes:
          Check:
            steps:
              Prepare: { type: automatic, set: { Amount: "Amount + 1" } }
              Child: { type: child, caseType: Test-Work-Check, content: { Total: Amount * 2 }, wait: true }
              Finish: { type: automatic, set: { Checked: "true" }, status: Pending-Close }
  Test-Work-Check:
    name: Check
    prefix: K
    workPool: TEST-WORK
    creatable: false
    fields: { Total: { type: Currency } }
    stages:
      PRIM0:
        name: Check
        transition: resolution
        resolve: Resolved-Checked
        processes: { Check: { steps: { Look: { fields: [Total] } } } }
  Test-Work-Loop:
    name: Loop
    prefix: L
    workPool: TEST-WORK
    fields: {}
    stages:
      PRIM0:
        name: Loop
        processes:
          Loop:
            steps:
              A: { type: automatic, next: [{ step: B }] }
              B: { type: automatic, next: [{ step: A }] }
`;

Deno.test("a case waits for the child case that a step creates, and continues when the child is resolved", async () => {
  await using engine = await openEngine(FAMILY);
  const order = await engine.body("cases.create", { type: "Test-Work-Order", data: { Amount: 4 } });
  assert.equal(valueAt(order, "status"), "New");
  const next = await engine.body("assignments.getNext", {});
  assert.equal(valueAt(next, "data.caseInfo.content.Total"), 10);
  await engine.call("assignments.perform", {
    assignmentId: valueAt(next, "id"),
    action: "Look",
    ifMatch: valueAt(next, "etag"),
  });
  const after = await engine.body("cases.get", { caseId: valueAt(order, "id") });
  assert.equal(valueAt(after, "status"), "Resolved-Completed");
  assert.equal(valueAt(after, "data.caseInfo.content.Checked"), true);
  assert.ok(textAt(after, "etag") > textAt(order, "etag"));
  const down = await engine.body("cases.listDescendants", { caseId: valueAt(order, "id") });
  assert.equal(valueAt(down, "childCases.0.status"), "Resolved-Checked");
  assert.equal((await engine.refused("cases.create", { type: "Test-Work-Check" })).status, 403);
  const unknown = await engine.refused("cases.create", { type: "Check" });
  assert.equal(unknown.message, "Case type 'Check' not found; available: Test-Work-Order, Test-Work-Loop");
});

Deno.test("the stages of a case show which processes are open, waiting or to come", async () => {
  const more = "            steps:\n              Prepare:";
  await using engine = await openEngine(
    FAMILY.replace(more, `            steps: { Enter: { fields: [Amount] } }\n          Wait:\n${more}`)
      .replace("  Test-Work-Check:", "          Last: { steps: { Close: { fields: [Amount] } } }\n  Test-Work-Check:"),
  );
  const order = await engine.body("cases.create", { type: "Test-Work-Order" });
  const caseId = textAt(order, "id");
  const seen = async (): Promise<unknown> => {
    const { body } = await engine.call("cases.listStages", { caseId });
    return ["0", "1", "2"].map((index) => valueAt(body, `stages.0.processes.${index}.visited_status`));
  };
  const perform = (assignmentId: unknown, action: string) =>
    engine.body("assignments.perform", { assignmentId, action, ifMatch: "*" });
  assert.deepEqual(await seen(), ["active", "future", "future"]);
  const waiting = await perform(valueAt(order, "nextAssignmentInfo.ID"), "Enter");
  assert.deepEqual(valueAt(waiting, "data.caseInfo.assignments"), []);
  assert.deepEqual(await seen(), ["completed", "active", "future"]);
  await perform(valueAt(await engine.body("assignments.getNext", {}), "id"), "Look");
  assert.deepEqual(await seen(), ["completed", "completed", "active"]);
  await perform(valueAt(await engine.body("assignments.getNext", {}), "id"), "Close");
  assert.deepEqual(await seen(), ["completed", "completed", "completed"]);
});

Deno.test("values calculated from the status and the stage of a case follow its moves, and worklists show its label", async () => {
  await using engine = await openEngine(
    FAMILY.replace(
      "    fields:\n      Amount",
      "    label: \"'Order of ' + string(Amount) + ': ' + caseInfo.status\"\n    fields:\n      Amount",
    )
      .replace("Checked: { type: Boolean }", "$&\n      Stage: { type: Text, calculated: caseInfo.stageID }")
      .replace("transition: resolution", "status: Pending-Entry\n        $&")
      .replace("            steps:\n", "$&              Enter: { fields: [Amount] }\n")
      .replace("  Test-Work-Check:", "      PRIM1: { name: Archive, transition: manual, status: Pending-Archive }\n$&"),
  );
  const caseId = textAt(await engine.body("cases.create", { type: "Test-Work-Order", data: { Amount: 4 } }), "id");
  const worklist = async () =>
    valueAt(await engine.body("data.query", { dataViewId: "D_pyMyWorkList" }), "data.0.pyLabel");
  const content = async (name: string) =>
    valueAt(await engine.body("cases.get", { caseId }), `data.caseInfo.content.${name}`);
  assert.equal(await content("pyLabel"), "Order of 4: Pending-Entry");
  assert.equal(await worklist(), "Order of 4: Pending-Entry");
  await engine.call("cases.performAction", { caseId, action: "pyUpdateCaseDetails", data: { Amount: 5 } });
  assert.equal(await worklist(), "Order of 5: Pending-Entry");
  await engine.call("cases.stageGo", { caseId, stage: "Archive" });
  assert.deepEqual([await content("pyLabel"), await content("Stage")], ["Order of 5: Pending-Archive", "PRIM1"]);
});

Deno.test("a stage with an ambiguous name is found by its ID only", async () => {
  const archives = `      PRIM1: { name: Archive, transition: manual }
      ALT1: { name: Archive, type: Alternate, transition: manual }
`;
  await using engine = await openEngine(FAMILY.replace("  Test-Work-Check:", archives + "$&"));
  const caseId = textAt(await engine.body("cases.create", { type: "Test-Work-Order", data: { Amount: 4 } }), "id");
  const unclear = await engine.refused("cases.stageGo", { caseId, stage: "Archive" });
  assert.deepEqual([unclear.status, unclear.message], [400, "Several stages are called Archive. Use PRIM1 or ALT1."]);
  const gone = await engine.body("cases.stageGo", { caseId, stage: "ALT1" });
  assert.equal(valueAt(gone, "data.caseInfo.stageID"), "ALT1");
});

Deno.test("a case that a parent waits for cannot be deleted", async () => {
  await using engine = await openEngine(FAMILY.replace("resolution\n        resolve: Resolved-Checked", "create"));
  const order = await engine.body("cases.create", { type: "Test-Work-Order", data: { Amount: 4 } });
  const down = await engine.body("cases.listDescendants", { caseId: valueAt(order, "id") });
  const caseId = textAt(down, "childCases.0.ID");
  const refused = await engine.refused("cases.delete", { caseId });
  assert.deepEqual([refused.status, /waits for/.test(refused.message)], [409, true]);
  await engine.call("cases.stageGo", { caseId: valueAt(order, "id"), stage: "PRIM0" });
  await engine.call("cases.delete", { caseId });
  assert.equal((await engine.refused("cases.get", { caseId })).status, 404);
});

Deno.test("a definition that moves a case without end fails, and leaves no case", async () => {
  await using engine = await openEngine(FAMILY);
  assert.equal((await engine.refused("cases.create", { type: "Test-Work-Loop" })).status, 500);
  assert.equal((await engine.refused("cases.get", { caseId: "TEST-WORK L-1" })).status, 404);
});

Deno.test("a case with three thousand calculated fields is created quickly", async () => {
  const fields = Array.from({ length: 3000 }, (_, n) => `F${n}: { type: Integer, calculated: "N + ${n}.0" }`);
  await using engine = await openEngine(`
application: { id: Wide, name: Wide, organisation: Wide }
operators: { ada: { name: Ada } }
caseTypes:
  Wide-Work-Case:
    name: Case
    prefix: C
    workPool: WIDE-WORK
    fields: { N: { type: Integer }, ${fields.join(", ")} }
    stages: { PRIM0: { name: Open, transition: create, processes: { Ask: { steps: { Ask: { fields: [N] } } } } } }
`);
  const started = readCpuTime();
  const created = await engine.body("cases.create", { type: "Wide-Work-Case", data: { N: 1 } });
  assert.ok(readCpuTime() - started < 2000, "a call holds up all others while it is served");
  assert.equal(valueAt(created, "data.caseInfo.content.F2999"), 3000);
});
