/** Performing actions, and the order of the checks. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../utils/json.ts";
import { type Engine, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";

const TYPE = "City-Permit-Work-Permit";
const CLERK = "clerk@city";
const AREA = "data.caseInfo.content.Area";

async function intake(engine: Engine, data = {}): Promise<{ caseId: string; assignmentId: string; tag: string }> {
  const created = await engine.body("cases.create", { type: TYPE, data });
  return {
    caseId: textAt(created, "id"),
    assignmentId: textAt(created, "nextAssignmentInfo.ID"),
    tag: textAt(created, "etag"),
  };
}

Deno.test("a permit moves from intake to review and decision, and is resolved", async () => {
  await using engine = await openEngine();
  const created = await engine.call("cases.create", { type: TYPE, data: { Applicant: "Ada" } });
  assert.equal(created.location, "/cases/CITY-PERMIT-WORK P-1");
  assert.equal(valueAt(created.body, "id"), "CITY-PERMIT-WORK P-1");
  assert.equal(valueAt(created.body, "ID"), "CITY-PERMIT-WORK P-1");
  assert.equal(valueAt(created.body, "status"), "New");
  assert.equal(valueAt(created.body, "data.caseInfo.content.Fee"), 50);
  assert.equal(valueAt(created.body, "nextAssignmentInfo.ID"), "ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE");

  const registered = await engine.body("assignments.perform", {
    assignmentId: "ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE",
    action: "Register",
    data: { Area: 10, Urgent: true },
    pageInstructions: [{ instruction: "APPEND", target: ".Documents", content: { Title: "Plan", Pages: 4 } }],
    ifMatch: created.tag,
  });
  assert.equal(valueAt(registered, "status"), "Pending-Review");
  assert.equal(valueAt(registered, "data.caseInfo.stageID"), "PRIM1");
  assert.equal(valueAt(registered, "data.caseInfo.content.Fee"), 50 + 25 + 100 + 2);
  assert.equal(valueAt(registered, "data.caseInfo.content.Documents.0.Cost"), 2);
  assert.equal(valueAt(registered, "nextAssignmentInfo.ID"), "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW");

  let tag = textAt(registered, "etag");
  const review = "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW";
  const steps = [
    { action: "CheckApplication", data: { Address: "Canal 1" } },
    { action: "CheckDocuments", data: {} },
    { action: "GiveAdvice", data: { Complete: true, Advice: "Fine." } },
  ];
  for (const { action, data } of steps) {
    const done = await engine.body("assignments.perform", { assignmentId: review, action, data, ifMatch: tag }, {
      as: "reviewer@city",
    });
    tag = textAt(done, "etag");
  }
  const decision = await engine.body("assignments.getNext", {}, { as: "decider@city" });
  assert.equal(valueAt(decision, "id"), "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!DECISION");
  const decided = await engine.body("assignments.perform", {
    assignmentId: valueAt(decision, "id"),
    action: "Decide",
    data: { Decision: "Grant" },
    ifMatch: tag,
  }, { as: "decider@city" });
  assert.equal(valueAt(decided, "status"), "Resolved-Completed");
  assert.equal(valueAt(decided, "confirmationNote"), "Thank you. The city works on the application.");
  assert.deepEqual(valueAt(decided, "data.caseInfo.assignments"), []);
  const read = await engine.body("cases.get", { caseId: "CITY-PERMIT-WORK P-1" });
  assert.deepEqual(valueAt(read, "data.caseInfo.availableActions"), []);
  assert.equal(valueAt(read, "data.caseInfo.stages.2.visited_status"), "completed");
  const history = await engine.history("CITY-PERMIT-WORK P-1");
  assert.deepEqual(history.map(({ pyHistoryType }) => pyHistoryType), [
    "created",
    "stage",
    "performed",
    "stage",
    "performed",
    "performed",
    "performed",
    "stage",
    "performed",
    "resolved",
  ]);
  assert.deepEqual(history[2]?.pyContent, { Area: 10, Urgent: true });
});

Deno.test("perform refuses in order: 404, 403, 409, 428, 412, 400, 422", async () => {
  await using engine = await openEngine();
  const { assignmentId, tag, caseId } = await intake(engine);
  const action = "Register";
  const refused = async (values: object, as?: string) => await engine.refused("assignments.perform", values, { as });

  const wrong = { assignmentId: "ASSIGN-WORKLIST CITY-PERMIT-WORK P-9!INTAKE", action: "None" };
  assert.equal((await refused(wrong, "reviewer@city")).status, 404);
  assert.equal((await refused({ assignmentId, action: "None" }, "reviewer@city")).status, 403);
  const unknown = await refused({ assignmentId, action: "None", data: { Nope: 1 } });
  assert.equal(unknown.status, 409);
  assert.match(unknown.message, /not a valid action/);
  assert.equal((await refused({ assignmentId, action, data: { Nope: 1 } })).status, 428);
  const stale = await refused({ assignmentId, action, ifMatch: "20200101T000000.000 GMT", data: { Nope: 1 } });
  assert.equal(stale.status, 412);
  assert.match(stale.message, /stale/);
  const invalid = await refused({ assignmentId, action, ifMatch: tag, data: { Nope: 1, Fee: 3, Area: "x" } });
  assert.equal(invalid.status, 400);
  assert.deepEqual(invalid.details.map((detail) => detail.erroneousInputOutputIdentifier), [".Nope", ".Fee"]);
  const issue = await refused({ assignmentId, action, ifMatch: tag, data: { Area: "x", Channel: "Pigeon" } });
  assert.equal(issue.status, 422);
  assert.equal(issue.details[0]?.message, "Error_Validation_Fail");
  assert.deepEqual(issue.details.slice(1).map((detail) => detail.erroneousInputOutputFieldInPage), [
    ".Area",
    ".Channel",
    ".Applicant",
  ]);
  assert.match(issue.message, /x is not a valid decimal value/);

  const left = await engine.body("cases.get", { caseId });
  assert.equal(valueAt(left, "etag"), tag, "nothing has changed");
  assert.equal((await engine.history(caseId)).length, 2);
});

Deno.test("an entity tag may be quoted, weak or in a list, and each change creates a newer one", async () => {
  await using engine = await openEngine();
  const { assignmentId, tag: first } = await intake(engine, { Applicant: "Ada" });
  let tag = first;
  for (const sent of [(tag: string) => `"${tag}"`, (tag: string) => `W/"${tag}"`, (tag: string) => `"old", "${tag}"`]) {
    const saved = await engine.body("assignments.save", {
      assignmentId,
      action: "Register",
      data: { Area: 1 },
      ifMatch: sent(tag),
    });
    assert.match(tag, /^\d{8}T\d{6}\.\d{3} GMT$/);
    assert.ok(textAt(saved, "etag") > tag);
    tag = textAt(saved, "etag");
  }
});

Deno.test("a draft stays out of the case, shows in the form, locks the case, and is discarded", async () => {
  await using engine = await openEngine();
  const { caseId, assignmentId } = await intake(engine, { Applicant: "Ada", Email: "ada@example.org" });
  const form = { assignmentId, action: "Register" };
  await engine.call("assignments.save", { ...form, data: { Applicant: "Grace", Email: null } });
  const content = async (name: string, values: object) =>
    valueAt(await engine.body(name, values), "data.caseInfo.content");
  assert.equal(valueAt(await content("cases.get", { caseId }), "Applicant"), "Ada");
  assert.equal(valueAt(await content("assignments.getAction", form), "Applicant"), "Grace");
  assert.equal(valueAt(await content("assignments.getAction", form), "Email"), "");
  const others = await engine.body("assignments.get", { assignmentId }, { as: "reviewer@city" });
  assert.equal(valueAt(others, "data.caseInfo.content.Applicant"), "Ada", "other operators do not see the draft");

  const locked = await engine.refused("cases.stageNext", { caseId }, { as: "reviewer@city" });
  assert.equal(locked.status, 423);
  assert.match(locked.message, /locked by Clara Clerk/);
  await engine.call("cases.discardUpdates", { caseId });
  assert.equal(valueAt(await content("assignments.getAction", form), "Applicant"), "Ada");
  await engine.call("cases.stageNext", { caseId }, { as: "reviewer@city" });
});

Deno.test("a draft is submitted with what is performed", async () => {
  await using engine = await openEngine();
  const { assignmentId } = await intake(engine);
  const form = { assignmentId, action: "Register" };
  const saved = await engine.body("assignments.save", { ...form, data: { Applicant: "Grace" } });
  const done = await engine.body("assignments.perform", {
    ...form,
    data: { Area: 2 },
    ifMatch: valueAt(saved, "etag"),
  });
  assert.equal(valueAt(done, "data.caseInfo.content.Applicant"), "Grace");
  assert.equal(valueAt(done, "data.caseInfo.content.Area"), 2);
});

Deno.test("a form shows values calculated from its draft, and the case shows values calculated from its content", async () => {
  await using engine = await openEngine();
  const { caseId, assignmentId } = await intake(engine, { Applicant: "Ada" });
  const form = { assignmentId, action: "Register" };
  const data = { Area: 4, Documents: [{ Title: "Map", Pages: 6 }] };
  const shown = [
    await engine.body("assignments.save", { ...form, data }),
    await engine.body("assignments.get", form),
    await engine.body("assignments.getAction", form),
    await engine.body("assignments.refreshAction", form),
  ];
  const fee = (body: JsonObject) => valueAt(body, "data.caseInfo.content.Fee");
  assert.deepEqual(shown.map(fee), [63, 63, 63, 63]);
  assert.deepEqual(shown.map((body) => valueAt(body, "data.caseInfo.content.Documents.0.Cost")), [3, 3, 3, 3]);
  assert.equal(fee(await engine.body("cases.get", { caseId })), 50);
});

Deno.test("a draft does not revert changes that were made after it was saved", async () => {
  await using engine = await openEngine();
  const { caseId, assignmentId } = await intake(engine, { Applicant: "Ada", Address: "Main Street 1" });
  const form = { assignmentId, action: "Register" };
  await engine.call("assignments.save", { ...form, data: { Applicant: "Grace", Email: "grace@example.org" } });
  const data = { Applicant: "Ann", Address: "Canal 1" };
  const edited = await engine.body("cases.performAction", { caseId, action: "pyUpdateCaseDetails", data });
  const done = await engine.body("assignments.perform", {
    ...form,
    data: { Email: null },
    ifMatch: valueAt(edited, "etag"),
  });
  const content = (field: string) => valueAt(done, `data.caseInfo.content.${field}`);
  assert.deepEqual(["Address", "Applicant", "Email"].map(content), ["Canal 1", "Grace", ""]);
});

Deno.test("refresh and recalculate compute without saving", async () => {
  await using engine = await openEngine();
  const { caseId, assignmentId, tag } = await intake(engine, { Applicant: "Ada" });
  const form = { assignmentId, action: "Register" };
  const refreshed = await engine.body("assignments.refreshAction", {
    ...form,
    data: { Area: 4 },
    pageInstructions: [
      { instruction: "APPEND", target: ".Documents", content: { Title: "A", Pages: 2 } },
      { instruction: "APPEND", target: ".Documents", content: { Title: "B", Pages: 6 } },
    ],
    interestPage: ".Documents(2)",
  });
  assert.equal(valueAt(refreshed, "data.caseInfo.content.Fee"), 50 + 10 + 1 + 3);
  assert.equal(valueAt(refreshed, "data.caseInfo.assignments"), undefined);
  assert.deepEqual(valueAt(refreshed, "data.caseInfo.content.Documents.0"), {});
  assert.equal(valueAt(refreshed, "data.caseInfo.content.Documents.1.Cost"), 3);
  assert.equal(valueAt(refreshed, "uiResources.root.config.context"), "caseInfo.content.Documents[1]");

  const data = {
    calculations: { fields: [{ name: ".Fee", context: "content" }, { name: ".Nope", context: "content" }] },
  };
  const body = { ...data, content: { Urgent: true } };
  const recalculated = await engine.body("assignments.recalculate", { ...form, data }, { body });
  assert.deepEqual(valueAt(recalculated, "data.caseInfo.content"), { Fee: 150 });
  const calculated = await engine.body("cases.calcFields", { caseId, view: "pyDetails", data });
  assert.deepEqual(valueAt(calculated, "data.caseInfo.content"), { Fee: 50 });
  assert.equal(valueAt(await engine.body("cases.get", { caseId }), "etag"), tag);
  const missing = await engine.refused("assignments.refreshAction", { ...form, interestPage: ".Documents(1)" });
  assert.equal(missing.status, 400);
});

Deno.test("page instructions change all rows, and name the class of their target", async () => {
  await using engine = await openEngine();
  const Documents = [{ Title: "A", Pages: 2 }, { Title: "B", Pages: 6 }];
  const { assignmentId } = await intake(engine, { Applicant: "Ada", Documents });
  const apply = async (...pageInstructions: object[]) => {
    const values = { assignmentId, action: "Register", pageInstructions };
    return valueAt(await engine.body("assignments.refreshAction", values), "data.caseInfo.content.Documents");
  };
  const all = { instruction: "UPDATE ALL", target: ".Documents", content: { Pages: 4 } };
  const rows = await apply({ ...all, targetClassID: "City-Permit-Data-Document" });
  assert.deepEqual([0, 1].map((index) => valueAt(rows, `${index}.Title`)), ["A", "B"]);
  assert.deepEqual([0, 1].map((index) => valueAt(rows, `${index}.Cost`)), [2, 2]);
  assert.deepEqual(await apply({ instruction: "DELETE ALL", target: "Documents" }), []);
  const one = await apply(
    { instruction: "DELETE ALL", target: "Documents" },
    { instruction: "APPEND", target: ".Documents", content: { Title: "C" } },
  );
  assert.deepEqual([valueAt(one, "0.Title"), valueAt(one, "1")], ["C", undefined]);
  const refusals: [instruction: object, reason: string][] = [
    [{ ...all, content: undefined }, "UPDATE ALL needs 'content'"],
    [{ ...all, targetClassID: "Other" }, "'.Documents' is of the class City-Permit-Data-Document, not of Other"],
    [{ ...all, target: ".Contact" }, "UPDATE ALL is not an instruction for a page"],
    [{ ...all, instruction: "ADD" }, "ADD is not an instruction for a list"],
    [{ ...all, groupIndex: "Home" }, "'groupIndex' is for page groups, and '.Documents' is not one"],
  ];
  for (const [instruction, reason] of refusals) {
    const refused = await engine.refused("assignments.refreshAction", {
      assignmentId,
      action: "Register",
      pageInstructions: [instruction],
    });
    assert.deepEqual([refused.status, refused.message], [400, `Page instruction 1: ${reason}.`]);
  }
  const wrong = { ...all, content: { Pages: 0 } };
  const { details } = await engine.refused("assignments.perform", {
    assignmentId,
    action: "Register",
    pageInstructions: [wrong],
    ifMatch: "*",
  });
  const places = details.map((detail) => detail.erroneousInputOutputFieldInPage);
  assert.deepEqual(places.slice(1), [".Documents(1).Pages", ".Documents(2).Pages"]);
});

Deno.test("a calculation returns values at the place that its context names", async () => {
  await using engine = await openEngine();
  const Documents = [{ Title: "A", Pages: 2 }, { Title: "B", Pages: 6 }];
  const { caseId } = await intake(engine, { Applicant: "Ada", Documents });
  const calculate = (fields: { name: string; context: string }[], whens?: { name: string; context: string }[]) => ({
    caseId,
    view: "pyDetails",
    data: { calculations: { fields, ...(whens && { whens }) } },
  });
  const row = { name: ".Cost", context: "content.Documents(2)" };
  for (const field of [row, { ...row, context: "caseInfo.content.Documents(2)" }]) {
    const body = await engine.body("cases.calcFields", calculate([field, { name: ".Fee", context: field.context }]));
    assert.deepEqual(valueAt(body, "data.caseInfo.content"), { Documents: [{}, { Cost: 3 }] });
  }
  const both = calculate([
    { name: ".Documents(1).Cost", context: "content" },
    { name: ".Fee", context: "content" },
    row,
  ]);
  const content = valueAt(await engine.body("cases.calcFields", both), "data.caseInfo.content");
  assert.deepEqual(content, { Documents: [{ Cost: 1 }, { Cost: 3 }], Fee: 54 });
  for (
    const context of [
      "",
      "content.Documents",
      "content.Documents(3)",
      "content.Documents(0)",
      "content.Nope(1)",
      "other",
    ]
  ) {
    const { status, details } = await engine.refused("cases.calcFields", calculate([{ name: ".Fee", context }]));
    assert.equal(status, 400, context);
    assert.match(JSON.stringify(details), /is neither the content nor a page or row of it/);
  }
  const condition = calculate([], [{ name: ".IsLarge", context: "content" }]);
  assert.deepEqual(valueAt(await engine.body("cases.calcFields", condition), "data.caseInfo.content"), {});
});

Deno.test("an operator navigates a screen flow forward and back", async () => {
  await using engine = await openEngine();
  const { caseId } = await intake(engine, { Applicant: "Ada" });
  await engine.call("cases.stageGo", { caseId, stage: "Review" });
  const assignmentId = textAt(await engine.body("assignments.getNext", {}, { as: "reviewer@city" }), "id");
  const as = { as: "reviewer@city" };
  const first = await engine.refused("assignments.navigateBack", { assignmentId }, as);
  assert.equal(first.status, 422);
  const wrongScreen = await engine.refused("assignments.perform", { assignmentId, action: "GiveAdvice" }, as);
  assert.equal(wrongScreen.status, 409);

  const opened = await engine.body("assignments.get", { assignmentId }, as);
  const moved = await engine.body("assignments.perform", {
    assignmentId,
    action: "CheckApplication",
    data: { Address: "Canal 1" },
    ifMatch: valueAt(opened, "etag"),
  }, as);
  assert.equal(valueAt(moved, "nextAssignmentInfo.ID"), assignmentId);
  const shown = await engine.body("assignments.get", { assignmentId }, as);
  assert.equal(valueAt(shown, "data.caseInfo.assignments.0.isMultiStep"), "true");
  assert.equal(valueAt(shown, "uiResources.navigation.steps.0.visited_status"), "success");
  assert.equal(valueAt(shown, "uiResources.navigation.steps.1.visited_status"), "current");
  assert.equal(valueAt(shown, "uiResources.navigation.steps.2.visited_status"), "future");
  assert.equal(valueAt(shown, "uiResources.root.config.name"), "pyEmbedAssignment");
  assert.equal(valueAt(shown, "data.caseInfo.content.pyViewName"), "CheckDocuments");

  const jump = async (step: string) =>
    (await engine.refused("assignments.navigateToStep", { assignmentId, step }, as)).status;
  assert.equal(await jump("AssignmentSF2"), 409);
  assert.equal(await jump("AssignmentSF9"), 404);
  assert.equal(await jump("AssignmentSF3"), 422);
  for (const [move, step] of [["navigateBack"], ["navigateToStep", "AssignmentSF1"]]) {
    assert.equal((await engine.refused(`assignments.${move}`, { assignmentId, step })).status, 403, "not the worker's");
  }
  await engine.call("assignments.navigateBack", { assignmentId, data: { Area: 7 } }, as);
  const back = await engine.body("assignments.navigateToStep", { assignmentId, step: "AssignmentSF2" }, as);
  assert.equal(valueAt(back, "data.caseInfo.content.Area"), 7, "what was filled in is kept as a draft");
  await engine.call("assignments.navigateBack", { assignmentId }, as);
  await engine.call("assignments.perform", { assignmentId, action: "CheckApplication", ifMatch: "*" }, as);
  const area = async (as: string) => valueAt(await engine.body("assignments.get", { assignmentId }, { as }), AREA);
  assert.deepEqual([await area("reviewer@city"), await area(CLERK)], [7, ""], "a draft until the flow ends");
});

Deno.test("the last screen of a flow submits the drafts of all screens, or reports missing fields", async () => {
  await using engine = await openEngine();
  const { caseId } = await intake(engine, { Applicant: "Ada" });
  await engine.call("cases.stageGo", { caseId, stage: "Review" });
  const assignmentId = textAt(await engine.body("assignments.getNext", {}), "id");
  const ifMatch = "*";
  const screen = (action: string, data: object) =>
    engine.body("assignments.perform", { assignmentId, action, data, ifMatch });
  await screen("CheckApplication", { Address: "Canal 1" });
  await screen("CheckDocuments", { Area: 7 });
  await engine.call("assignments.navigateToStep", { assignmentId, step: "AssignmentSF1" });
  const data = { Applicant: "Grace", Address: null };
  await engine.call("assignments.navigateToStep", { assignmentId, step: "AssignmentSF3", data });
  const advice = { Complete: true, Advice: "Grant it" };
  const refused = await engine.refused("assignments.perform", {
    assignmentId,
    action: "GiveAdvice",
    data: advice,
    ifMatch,
  });
  assert.deepEqual([refused.status, refused.details[1]?.erroneousInputOutputFieldInPage], [422, ".Address"]);

  await engine.call("assignments.navigateToStep", { assignmentId, step: "AssignmentSF1" });
  await engine.call("assignments.navigateToStep", { assignmentId, step: "AssignmentSF3", data: { Address: "Quay 2" } });
  const done = await screen("GiveAdvice", advice);
  const content = (field: string) => valueAt(done, `data.caseInfo.content.${field}`);
  assert.deepEqual(["Applicant", "Address", "Area"].map(content), ["Grace", "Quay 2", 7]);
  const performed = (await engine.history(caseId)).filter(({ pyHistoryType }) => pyHistoryType === "performed");
  const [first, last] = performed.slice(-2);
  assert.deepEqual([first?.pyContent, last?.pyContent], [{ Applicant: "Grace", Address: "Quay 2" }, advice]);
});

Deno.test("get-next returns the most urgent, then oldest assignment, and skips those of other operators", async () => {
  await using engine = await openEngine();
  for (const name of ["A", "B", "C"]) {
    const { caseId } = await intake(engine, { Applicant: name });
    await engine.call("cases.stageGo", { caseId, stage: "PRIM1" });
  }
  const first = await engine.body("assignments.getNext", {}, { as: "reviewer@city" });
  assert.equal(valueAt(first, "id"), "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW");
  assert.equal(valueAt(first, "data.caseInfo.assignments.0.assigneeInfo.ID"), "reviewer@city");
  const again = await engine.body("assignments.getNext", {}, { as: "reviewer@city" });
  assert.equal(valueAt(again, "id"), valueAt(first, "id"));
  const other = await engine.body("assignments.getNext", {}, { as: CLERK });
  assert.equal(valueAt(other, "id"), "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-2!REVIEW");
  const taken = await engine.body("assignments.get", { assignmentId: valueAt(first, "id") }, { as: CLERK });
  assert.equal(valueAt(taken, "data.caseInfo.assignments.0.canPerform"), "false");
  assert.equal(valueAt(taken, "data.caseInfo.assignments.0.actions"), undefined);
  const none = await engine.refused("assignments.getNext", {}, { as: "decider@city" });
  assert.equal(none.status, 404);
  assert.equal(none.details[0]?.message, "Error_No_Assignment_Available");
});

Deno.test("an operator who saves a draft of an assignment in a queue owns it", async () => {
  await using engine = await openEngine();
  const { caseId } = await intake(engine, { Applicant: "Ada" });
  const { body } = await engine.call("cases.stageGo", { caseId, stage: "Review" });
  const assignmentId = textAt(body, "data.caseInfo.assignments.0.ID");
  const action = "CheckApplication";
  await engine.call("assignments.save", { assignmentId, action, data: { Address: "Canal 1" } });
  assert.equal((await engine.refused("assignments.getNext", {}, { as: "reviewer@city" })).status, 404);
  const next = await engine.body("assignments.getNext", {});
  assert.equal(valueAt(next, "id"), assignmentId);
  const done = await engine.body("assignments.perform", { assignmentId, action, ifMatch: valueAt(next, "etag") });
  assert.equal(valueAt(done, "data.caseInfo.content.Address"), "Canal 1");
});
