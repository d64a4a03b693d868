/** The open work of an operator: the inbox, and assignments that are taken from a queue. */
import assert from "node:assert/strict";
import { isObjectList, type JsonObject } from "../../../utils/json.ts";
import { createPermit, type Engine, openEngine, PERMIT_FILE, textAt, valueAt } from "../../harness/service_engine.ts";

const [CLERK, REVIEWER, DECIDER] = ["clerk@city", "reviewer@city", "decider@city"];
const REVIEW = "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW";

/** Opens a service with three permits: the first two are in the queue of the review, the third in the worklist of the clerk. */
async function openWithPermits(yaml?: string): Promise<Engine> {
  const engine = await openEngine(yaml);
  for (const [index, Applicant] of ["Ada", "Bo", "Cy"].entries()) {
    const caseId = await createPermit(engine, { Applicant, Contact: { Name: `Friend of ${Applicant}` } });
    if (index < 2) await engine.call("cases.stageGo", { caseId, stage: "Review" });
  }
  return engine;
}

async function listNumbers(engine: Engine, values: JsonObject = {}, as = CLERK): Promise<string> {
  const { assignments } = await engine.body("work.inbox", values, { as });
  assert.ok(isObjectList(assignments));
  return assignments.map(({ businessID }) => businessID).join(" ");
}

Deno.test("the inbox lists the own worklist and the own queues, the most urgent first, then the oldest", async () => {
  await using engine = await openWithPermits();
  assert.equal(await listNumbers(engine), "P-1 P-2 P-3");
  assert.equal(await listNumbers(engine, {}, REVIEWER), "P-1 P-2");
  assert.equal(await listNumbers(engine, {}, DECIDER), "");
  const { assignments, hasMoreResults } = await engine.body("work.inbox", { pageSize: 1 });
  assert.deepEqual([assignments, hasMoreResults], [[{
    ID: REVIEW,
    caseID: "CITY-PERMIT-WORK P-1",
    name: "Check the application",
    urgency: 20,
    createTime: "2026-01-02T03:04:07.678Z",
    businessID: "P-1",
    label: "Permit for Ada",
    caseTypeID: "City-Permit-Work-Permit",
    caseTypeName: "Permit",
    status: "Pending-Review",
    stageLabel: "Review",
    assigneeInfo: { ID: "Review", name: "Review of applications", type: "workbasket" },
  }], true]);
});

Deno.test("the inbox is narrowed by status, case type and text, and read in pages", async () => {
  await using engine = await openWithPermits();
  assert.equal(await listNumbers(engine, { status: "pending" }), "P-1 P-2");
  assert.equal(await listNumbers(engine, { status: "New" }), "P-3");
  assert.equal(await listNumbers(engine, { type: "permit" }), "P-1 P-2 P-3");
  assert.equal(await listNumbers(engine, { type: "City-Permit-Work-Receipt" }), "");
  assert.equal(await listNumbers(engine, { text: "friend of b" }), "P-2");
  assert.equal(await listNumbers(engine, { text: "Pending" }), "", "the status is not a text field");
  assert.equal(await listNumbers(engine, { page: 2, pageSize: 2 }), "P-3");
  assert.equal((await engine.body("work.inbox", { page: 2, pageSize: 2 })).hasMoreResults, false);
  for (
    const [values, message] of [
      [{ type: "Permitt" }, "There is no case type 'Permitt'; did you mean 'Permit'?"],
      [{ page: 0 }, "page must be at least 1"],
      [{ pageSize: 1000 }, "pageSize must be a number from 1 to 200"],
      [{ page: 1000 }, "Only the first 10000 elements can be read. Add conditions."],
    ] as const
  ) {
    const refused = await engine.refused("work.inbox", values);
    assert.deepEqual([refused.status, refused.message], [400, message]);
  }
});

Deno.test("the inbox leaves out queued work on cases that the operator may not change", async () => {
  const yaml = (await Deno.readTextFile(PERMIT_FILE)).replace(
    /\n {4}rights: .*\n/,
    `\n    rights: { work: "operator.ID != 'reviewer@city' || Applicant != 'Ada'" }\n`,
  );
  await using engine = await openWithPermits(yaml);
  assert.equal(await listNumbers(engine, {}, REVIEWER), "P-2");
  assert.equal((await engine.refused("work.take", { assignmentId: REVIEW }, { as: REVIEWER })).status, 403);
});

Deno.test("an operator takes work from a queue once, and not from others", async () => {
  await using engine = await openWithPermits();
  const caseId = "CITY-PERMIT-WORK P-1";
  const readTag = async () => textAt(await engine.body("cases.get", { caseId }), "etag");
  const outside = await engine.refused("work.take", { assignmentId: REVIEW }, { as: DECIDER });
  assert.deepEqual([outside.status, outside.message], [
    403,
    `${REVIEW} is not in your worklist or in one of your queues: the queue Review has it`,
  ]);
  const before = await readTag();
  const stale = await engine.refused("work.take", { assignmentId: REVIEW, ifMatch: "old" }, { as: REVIEWER });
  assert.equal(stale.status, 412);
  const taken = await engine.body("work.take", { assignmentId: REVIEW, ifMatch: before }, { as: REVIEWER });
  assert.equal(valueAt(taken, "data.caseInfo.assignments.0.assigneeInfo.ID"), REVIEWER);
  const after = await readTag();
  assert.ok(after > before);
  await engine.call("work.take", { assignmentId: REVIEW }, { as: REVIEWER });
  assert.equal(await readTag(), after, "taking it again changes nothing");
  const late = await engine.refused("work.take", { assignmentId: REVIEW });
  assert.deepEqual([late.status, late.message], [409, `Rosa Reviewer has ${REVIEW}`]);
  const last = (await engine.history(caseId)).at(-1);
  assert.equal(last?.pyMessageKey, "Took Check the application from Review of applications");
  assert.equal(await listNumbers(engine), "P-2 P-3");
});

Deno.test("work of a step with dueDays is due that many days later, and the inbox is narrowed by that", async () => {
  const yaml = (await Deno.readTextFile(PERMIT_FILE)).replace(/^( +)urgency: 20$/m, "$&\n$1dueDays: 5");
  await using engine = await openWithPermits(yaml);
  const { assignments } = await engine.body("work.inbox", {});
  assert.equal(valueAt(assignments, "0.dueTime"), "2026-01-07T03:04:07.678Z");
  assert.equal(valueAt(assignments, "2.dueTime"), undefined);
  const shown = await engine.body("cases.get", { caseId: "CITY-PERMIT-WORK P-1" });
  assert.equal(valueAt(shown, "data.caseInfo.assignments.0.dueTime"), "2026-01-07T03:04:07.678Z");
  assert.equal(await listNumbers(engine, { due: "2026-01-07T04:04:08+01:00" }), "P-1");
  assert.equal(await listNumbers(engine, { due: "2026-01-07T00:00:00Z" }), "");
  const refused = await engine.refused("work.inbox", { due: "tomorrow" });
  assert.deepEqual([refused.status, refused.message], [400, "due must be a time such as 2026-01-31T17:00:00Z"]);
});

Deno.test("the inbox and the case name the actions with a draft, until it is discarded", async () => {
  await using engine = await openWithPermits();
  const { caseID: caseId, ID: assignmentId } = await readLast(engine);
  const readDrafts = async () => [
    (await readLast(engine)).draftActions,
    valueAt(await engine.body("cases.get", { caseId }), "data.caseInfo.assignments.0.draftActions"),
  ];
  assert.deepEqual(await readDrafts(), [undefined, undefined]);
  await engine.call("assignments.save", { assignmentId, action: "Register", data: { Email: "cy@example.org" } });
  assert.deepEqual(await readDrafts(), [["Register"], ["Register"]]);
  await engine.call("cases.discardUpdates", { caseId });
  assert.deepEqual(await readDrafts(), [undefined, undefined]);
});

async function readLast(engine: Engine): Promise<JsonObject> {
  const { assignments } = await engine.body("work.inbox", {});
  assert.ok(isObjectList(assignments));
  return assignments.at(-1) ?? {};
}
