/** Drafts, locks, screens, and processes of previous stages. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import {
  createPermit,
  type Engine,
  objectAt,
  openEngine,
  PERMIT_FILE,
  textAt,
  valueAt,
} from "../../harness/service_engine.ts";

const REVIEWER = { as: "reviewer@city" };
const REVIEW = "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW";
const INTAKE = "ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE";

/** Performs the first screen of the review. */
async function checkApplication(engine: Engine): Promise<void> {
  const ifMatch = textAt(await engine.body("assignments.get", { assignmentId: REVIEW }, REVIEWER), "etag");
  const values = { assignmentId: REVIEW, action: "CheckApplication", data: { Address: "Canal 1" }, ifMatch };
  await engine.call("assignments.perform", values, REVIEWER);
}

/** A move that keeps the processes of the stage where the case is. */
const KEPT = { query: { cleanupProcesses: "false" } };

async function tagOf(engine: Engine, caseId: string): Promise<string> {
  return textAt(await engine.body("cases.get", { caseId }), "etag");
}

function idsAt(body: JsonObject, path: string): JsonValue[] {
  const list = valueAt(body, path);
  return Array.isArray(list) ? list.map((one) => textAt(one, "ID")) : [];
}

/** The sample application with something else in it. */
async function changed(text: string, other: string): Promise<string> {
  const yaml = await Deno.readTextFile(PERMIT_FILE);
  assert.ok(yaml.includes(text));
  return yaml.replace(text, other);
}

Deno.test("the draft of a screen is deleted with the screen, and the case is unlocked", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  await engine.call("cases.stageGo", { caseId, stage: "Review" });
  const draft = { assignmentId: REVIEW, action: "CheckApplication", data: { Address: "Canal 2" } };
  await engine.call("assignments.save", draft, REVIEWER);
  assert.equal((await engine.refused("cases.stageNext", { caseId })).status, 423);
  await checkApplication(engine);
  await engine.call("cases.stageNext", { caseId });
});

Deno.test("get-next skips a case that another operator's draft has locked, until the draft is discarded", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  await createPermit(engine, { Applicant: "Grace" });
  await engine.call("cases.stageGo", { caseId, stage: "Review" }, KEPT);
  const draft = { assignmentId: REVIEW, action: "CheckApplication", data: { Address: "Canal 2" } };
  await engine.call("assignments.save", draft, REVIEWER);
  const next = async () => textAt(await engine.body("assignments.getNext", {}), "id");
  assert.equal(await next(), INTAKE.replace("P-1", "P-2"));
  await engine.call("cases.discardUpdates", { caseId }, REVIEWER);
  assert.equal(await next(), INTAKE);
});

Deno.test("the operator who performs the first screen of a flow from a queue owns the assignment", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  await engine.call("cases.stageGo", { caseId, stage: "Review" });
  await checkApplication(engine);
  const next = { assignmentId: REVIEW, action: "CheckDocuments", ifMatch: await tagOf(engine, caseId) };
  assert.equal((await engine.refused("assignments.perform", next, { as: "clerk@city" })).status, 403);
  await engine.call("assignments.perform", next, REVIEWER);
});

Deno.test("discarding drafts of a case without drafts changes nothing", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const before = [await tagOf(engine, caseId), (await engine.history(caseId)).length];
  await engine.call("cases.discardUpdates", { caseId });
  assert.deepEqual([await tagOf(engine, caseId), (await engine.history(caseId)).length], before);
});

Deno.test("an assignment of a previous stage does not move the current stage", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  await engine.call("cases.stageGo", { caseId, stage: "Review" }, KEPT);
  await checkApplication(engine);
  const register = { assignmentId: INTAKE, action: "Register", ifMatch: await tagOf(engine, caseId) };
  const { data } = await engine.body("assignments.perform", register);
  assert.equal(valueAt(data, "caseInfo.stageID"), "PRIM1");
  const review = await engine.body("assignments.get", { assignmentId: REVIEW }, REVIEWER);
  assert.equal(valueAt(review, "data.caseInfo.assignments.0.actions.0.ID"), "CheckDocuments");
  assert.equal(valueAt(review, "data.caseInfo.assignments.1"), undefined);
});

Deno.test("a move that keeps processes continues a running process of the stage, with its draft and its lock", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  const draft = { assignmentId: INTAKE, action: "Register", data: { Applicant: "Grace" } };
  await engine.call("assignments.save", draft);
  for (const stage of ["PRIM0", "Review", "PRIM0"]) await engine.call("cases.stageGo", { caseId, stage }, KEPT);
  const { data } = await engine.body("assignments.getAction", { assignmentId: INTAKE, action: "Register" });
  assert.equal(valueAt(data, "caseInfo.content.Applicant"), "Grace");
  assert.equal((await engine.refused("cases.stageNext", { caseId }, REVIEWER)).status, 423);
});

Deno.test("a move that keeps processes starts no process in a stage with a running one", async () => {
  await using engine = await openEngine(`
application: { id: Shop, name: Shop, organisation: Org }
operators: { "ada@shop": { name: Ada } }
caseTypes:
  Org-Shop-Work-Part:
    name: Part
    prefix: P
    workPool: SHOP-WORK
    fields: {}
    stages: { PRIM0: { name: Part, processes: { Make: { steps: { Make: {} } } }, transition: resolution } }
  Org-Shop-Work-Order:
    name: Order
    prefix: O
    workPool: SHOP-WORK
    fields: {}
    stages:
      PRIM0:
        name: Order
        transition: manual
        processes:
          Parts: { steps: { Order: { type: child, caseType: Org-Shop-Work-Part, wait: true } } }
          Send: { steps: { Send: {} } }
`);
  const caseId = textAt(await engine.body("cases.create", { type: "Org-Shop-Work-Order" }), "id");
  await engine.call("cases.stageGo", { caseId, stage: "PRIM0" }, KEPT);
  assert.deepEqual(idsAt(await engine.body("cases.listDescendants", { caseId }), "childCases"), ["SHOP-WORK P-1"]);
  const make = { assignmentId: "ASSIGN-WORKLIST SHOP-WORK P-1!MAKE", action: "Make" };
  await engine.call("assignments.perform", { ...make, ifMatch: await tagOf(engine, "SHOP-WORK P-1") });
  const moved = await engine.body("cases.stageGo", { caseId, stage: "PRIM0" }, KEPT);
  assert.deepEqual(idsAt(moved, "data.caseInfo.assignments"), ["ASSIGN-WORKLIST SHOP-WORK O-1!SEND"]);
});

Deno.test("an assignment that is opened again under its handle is the newest, in the response and in later reads", async () => {
  await using engine = await openEngine(
    await changed("next: [{ resolve: Resolved-Withdrawn }]", "next: [{ step: Register }]"),
  );
  const caseId = await createPermit(engine);
  await engine.call("cases.startProcess", { caseId, process: "Site_Visit" });
  const values = { assignmentId: INTAKE, action: "Withdraw", ifMatch: await tagOf(engine, caseId) };
  const answer = await engine.body("assignments.perform", values);
  const newestLast = ["ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!SITE_VISIT", INTAKE];
  assert.deepEqual(idsAt(answer, "data.caseInfo.assignments"), newestLast);
  assert.deepEqual(idsAt(await engine.body("cases.get", { caseId }), "data.caseInfo.assignments"), newestLast);
});

Deno.test("a draft that can no longer be calculated is shown unchanged, and other assignments can be performed", async () => {
  const made = "Made: { type: Integer, max: 1, calculated: 'Urgent && Area > 5.0 ? 1 + 1 : 1' }";
  await using engine = await openEngine(await changed("Advice: {", `${made}\n      Advice: {`));
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  const draft = { assignmentId: INTAKE, action: "Register", data: { Area: 7 } };
  const tooMuch = await engine.refused("assignments.save", { ...draft, data: { Area: 7, Urgent: true } });
  assert.match(tooMuch.message, /2 is more than 1/);
  await engine.call("assignments.save", draft);
  const urgent = { caseId, action: "pyUpdateCaseDetails", data: { Urgent: true } };
  const done = await engine.body("cases.performAction", urgent, { query: { viewType: "form" } });
  assert.equal(valueAt(done, "data.caseInfo.content.Area"), 7);
  assert.ok(valueAt(done, "uiResources"));
  assert.equal(valueAt(await engine.body("cases.get", { caseId }), "data.caseInfo.content.Urgent"), true);
  assert.equal(
    valueAt(await engine.body("assignments.get", { assignmentId: INTAKE }), "data.caseInfo.content.Area"),
    7,
  );
  const register = { assignmentId: INTAKE, action: "Register", ifMatch: await tagOf(engine, caseId) };
  assert.match((await engine.refused("assignments.perform", register)).message, /2 is more than 1/);
  await engine.call("assignments.perform", { ...register, data: { Area: 3 } });
});

Deno.test("page instructions change no list that the form only shows", async () => {
  await using engine = await openEngine(
    await changed(
      "- { field: Documents, columns: [Title, Pages, Cost], editing: modal, rowView: Document }",
      "- { field: Documents, readOnly: true }",
    ),
  );
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  const pageInstructions = [{ instruction: "APPEND", target: ".Documents", content: { Title: "Plan" } }];
  const register = { assignmentId: INTAKE, action: "Register", pageInstructions, ifMatch: await tagOf(engine, caseId) };
  const { status, message } = await engine.refused("assignments.perform", register);
  assert.deepEqual([status, message], [
    400,
    "Page instruction 1: the target '.Documents' is not editable in this form.",
  ]);
});

Deno.test("calculated values of a row cannot be overwritten by a client that sends the row back", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Documents: [{ Title: "Plan", Pages: 4, Cost: "free" }] });
  assert.equal(valueAt(await engine.body("cases.get", { caseId }), "data.caseInfo.content.Documents.0.Cost"), 2);
});

Deno.test("an urgency is a text up to platform version 24, as clients of that version read it", async () => {
  await using engine = await openEngine(await changed("platformVersion: 25", "platformVersion: 24"));
  const caseId = await createPermit(engine);
  const { urgency, data } = await engine.body("cases.get", { caseId });
  const urgencies = [urgency, valueAt(data, "caseInfo.urgency"), valueAt(data, "caseInfo.assignments.0.urgency")];
  assert.deepEqual(urgencies, ["10", "10", "10"]);
});

Deno.test("a value that a definition sets must be valid for the field, or nothing is changed", async () => {
  const sets: [set: string, reason: RegExp][] = [
    ["Channel: \"'Fa' + 'x'\"", /Fax is not one of Internet, Desk/],
    ["VisitDate: \"'so' + 'on'\"", /soon is not a valid date/],
    ["Area: '-1'", /-1 is less than 0/],
    ["Documents: '[1]'", /\[1\] is not a valid list/],
    ["Address: dyn(caseInfo.urgency)", /10 is not a valid text value/],
    ["Contact: \"{'Phone': 'none'}\"", /none is not a valid phone number/],
    ["Contact: \"{'Nick': 'Al'}\"", /'Nick' is not a field of \.Contact/],
  ];
  for (const [set, reason] of sets) {
    await using engine = await openEngine(await changed('set: { Urgent: "true" }', `set: { ${set} }`));
    const caseId = await createPermit(engine);
    const before = await engine.body("cases.get", { caseId });
    const ifMatch = textAt(before, "etag");
    const refused = await engine.refused("cases.performAction", { caseId, action: "Expedite", ifMatch });
    assert.equal(refused.status, 422);
    assert.match(refused.message, reason);
    assert.ok(refused.details[1]?.erroneousInputOutputFieldInPage?.startsWith("." + set.split(":")[0]));
    assert.deepEqual(await engine.body("cases.get", { caseId }), before);
  }
});

Deno.test("a value that a step passes to a child case must be valid for its field", async () => {
  const child = "{ type: child, caseType: City-Permit-Work-Receipt, content: { Channel: \"'Fa' + 'x'\" } }";
  await using engine = await openEngine(await changed("{ name: Confirm the withdrawal, fields: [Reason] }", child));
  const refused = await engine.refused("cases.stageGo", { caseId: await createPermit(engine), stage: "ALT1" });
  assert.deepEqual([refused.status, refused.details[1]?.message], [
    422,
    "Fax is not one of Internet, Desk, Post, e-mail, Intern (computed by the application definition)",
  ]);
});

Deno.test("a value that a definition calculates must be valid for the field, or the case is not stored", async () => {
  const data = { Channel: "Desk", Documents: [{ Title: "Plan", Pages: 1 }, { Title: "Map", Pages: 2 }] };
  const inCase = { before: "Advice: {", indent: 6, place: ".Made" };
  const inRow = { before: "Cost: {", indent: 10, place: ".Documents(2).Made" };
  const calculated: [within: typeof inCase | typeof inRow, field: string, reason: RegExp][] = [
    [inCase, "{ type: Date, calculated: \"'n/' + 'a'\" }", /^n\/a is not a valid date/],
    [inCase, "{ type: Dropdown, values: [a, b], calculated: \"'z' + 'z'\" }", /^zz is not one of a, b/],
    [inCase, "{ type: Text, calculated: 'dyn([1, 2])' }", /^\[1,2\] is not a valid text value/],
    [inCase, "{ type: Text, maxLength: 3, calculated: Channel }", /^The text is longer than 3 characters/],
    [inCase, "{ type: Integer, calculated: dyn('many') }", /^many is not a valid integer value/],
    [inRow, "{ type: Integer, max: 1, calculated: Pages }", /^2 is more than 1/],
  ];
  for (const [{ before, indent, place }, field, reason] of calculated) {
    await using engine = await openEngine(await changed(before, `Made: ${field}\n${" ".repeat(indent)}${before}`));
    const refused = await engine.refused("cases.create", { type: "City-Permit-Work-Permit", data });
    const [, issue] = refused.details;
    assert.match(issue?.message ?? "", reason);
    assert.match(issue?.message ?? "", /\(computed by the application definition\)$/);
    assert.deepEqual([refused.status, issue?.erroneousInputOutputFieldInPage], [422, place]);
  }
});

Deno.test("an empty computed value counts as missing, also in pages and rows", async () => {
  const yaml = (await changed("Advice: {", "Due: { type: Date, calculated: VisitDate }\n      Advice: {"))
    .replace("Cost: {", 'Weight: { type: Integer, calculated: "dyn(null)" }\n          Cost: {')
    .replace("Phone: {", "Age: { type: Integer }\n          Phone: {")
    .replace(
      'set: { Urgent: "true" }',
      `set: { Contact: "{'Name': dyn(''), 'Phone': dyn(''), 'Age': dyn(null)}", Channel: "''" }`,
    );
  await using engine = await openEngine(yaml);
  const caseId = await createPermit(engine, { Documents: [{ Title: "Plan" }] });
  await engine.call("cases.performAction", { caseId, action: "Expedite", ifMatch: await tagOf(engine, caseId) });
  const found = async (field: string, comparator: string, rhs?: JsonObject) => {
    const filterConditions = { F1: { lhs: { field }, comparator, ...(rhs && { rhs }) } };
    const data = { query: { filter: { filterConditions } } };
    const rows = (await engine.body("data.query", { dataViewId: "D_Permits", data })).data;
    return Array.isArray(rows) && rows.length > 0;
  };
  assert.ok(await found("Due", "IS_NULL"));
  assert.ok(!await found("Due", "LT", { value: "2026-01-01" }));
  assert.ok(await found("Channel", "IS_NULL"));
  assert.ok(await found("Contact.Phone", "IS_NULL"));
  assert.ok(await found("Contact.Name", "EQ", { value: "" }), "an empty text is a text");
  const { Contact, Documents } = objectAt(await engine.body("cases.get", { caseId }), "data.caseInfo.content");
  assert.deepEqual([valueAt(Contact, "Age"), valueAt(Documents, "0.Weight")], ["", ""]);
});

Deno.test("Reopen is the only action of a resolved case, and moves it to its stage", async () => {
  const action =
    `{ name: Reopen the permit, fields: [{ field: Reason, required: true }], set: { Urgent: "true" }, stage: PRIM1 }`;
  const yaml = await changed("    actions:\n      Expedite:", `    actions:\n      Reopen: ${action}\n      Expedite:`);
  await using engine = await openEngine(yaml);
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  const listActions = async () => idsAt(await engine.body("cases.get", { caseId }), "data.caseInfo.availableActions");
  assert.deepEqual(await listActions(), ["pyUpdateCaseDetails", "pyChangeStage", "Expedite", "Withdraw"]);
  const reopen = { caseId, action: "Reopen", data: { Reason: "A mistake" } };
  assert.equal((await engine.refused("cases.performAction", reopen)).status, 409, "an open case cannot be reopened");

  const withdraw = { assignmentId: INTAKE, action: "Withdraw", ifMatch: await tagOf(engine, caseId) };
  assert.equal((await engine.body("assignments.perform", withdraw)).status, "Resolved-Withdrawn");
  assert.deepEqual(await listActions(), ["Reopen"]);
  assert.equal((await engine.refused("cases.stageGo", { caseId, stage: "Review" })).status, 409);
  const form = await engine.body("cases.getAction", { caseId, action: "Reopen" });
  assert.match(JSON.stringify(form), /"name":"Reopen the permit"/);
  assert.equal((await engine.refused("cases.performAction", { ...reopen, data: {} })).status, 422);

  const reopened = await engine.body("cases.performAction", reopen);
  assert.equal(reopened.status, "Pending-Review");
  assert.equal(valueAt(reopened, "data.caseInfo.assignments.0.ID"), REVIEW);
  const { stages, content } = objectAt(await engine.body("cases.get", { caseId }), "data.caseInfo");
  assert.equal(valueAt(stages, "1.visited_status"), "active");
  assert.deepEqual([valueAt(content, "Urgent"), valueAt(content, "Reason")], [true, "A mistake"]);
  assert.deepEqual(await listActions(), ["pyUpdateCaseDetails", "pyChangeStage", "Expedite", "Withdraw"]);
});

Deno.test("Reopen without a stage returns a case to the stage in which it was resolved, with the status Open", async () => {
  const stage = "        name: Intake\n        transition: create\n";
  await using engine = await openEngine(await changed(stage, `${stage}        actions: { Reopen: {} }\n`));
  const caseId = await createPermit(engine, { Applicant: "Ada" });
  const withdraw = async () => {
    const values = { assignmentId: INTAKE, action: "Withdraw", ifMatch: await tagOf(engine, caseId) };
    return (await engine.body("assignments.perform", values)).status;
  };
  for (let round = 0; round < 2; round++) {
    assert.equal(await withdraw(), "Resolved-Withdrawn");
    const reopened = await engine.body("cases.performAction", { caseId, action: "Reopen" });
    assert.equal(reopened.status, "Open");
    assert.equal(valueAt(reopened, "data.caseInfo.stageID"), "PRIM0");
  }
  const kinds = (await engine.history(caseId)).map(({ pyMessageKey }) => pyMessageKey);
  assert.equal(kinds.filter((kind) => kind === "Performed Reopen").length, 2);
});
