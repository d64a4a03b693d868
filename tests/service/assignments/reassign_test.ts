/** Assignments that are released to their queue, or transferred to other operators. */
import assert from "node:assert/strict";
import { createPermit, type Engine, openEngine, PERMIT_FILE, textAt, valueAt } from "../../harness/service_engine.ts";

const REVIEW = "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW";
const INTAKE = "ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE";
const [CLERK, REVIEWER, DECIDER] = ["clerk@city", "reviewer@city", "decider@city"];

/** Opens a service in which the reviewer has taken the review of a permit from its queue. */
async function openTaken(): Promise<{ engine: Engine; caseId: string }> {
  const engine = await openEngine();
  const caseId = await createPermit(engine);
  await engine.call("cases.stageGo", { caseId, stage: "Review" });
  await engine.call("assignments.getNext", {}, { as: REVIEWER });
  return { engine, caseId };
}

async function readAssignee(engine: Engine, caseId: string): Promise<string> {
  return textAt(await engine.body("cases.get", { caseId }), "data.caseInfo.assignments.0.assigneeInfo.ID");
}

async function readLast(engine: Engine, caseId: string): Promise<string[]> {
  const texts = (await engine.history(caseId)).map(({ pyMessageKey }) => String(pyMessageKey));
  return texts.filter((text) => /^(Released|Transferred)/.test(text));
}

Deno.test("work from a queue is released by its holder, and others take it again", async () => {
  const { engine, caseId } = await openTaken();
  await using _ = engine;
  const none = await engine.refused("assignments.getNext", {}, { as: CLERK });
  assert.equal(none.status, 404);
  const before = textAt(await engine.body("cases.get", { caseId }), "etag");
  await engine.call("work.release", { assignmentId: REVIEW }, { as: REVIEWER });
  assert.ok(textAt(await engine.body("cases.get", { caseId }), "etag") > before);
  assert.equal(await readAssignee(engine, caseId), "Review");
  assert.equal(textAt(await engine.body("assignments.getNext", {}, { as: CLERK }), "id"), REVIEW);
  assert.deepEqual(await readLast(engine, caseId), [
    "Released Check the application from Rosa Reviewer to Review of applications",
  ]);
});

Deno.test("only the holder and a manager release and transfer work", async () => {
  const { engine, caseId } = await openTaken();
  await using _ = engine;
  for (const [name, values] of [["work.release", {}], ["work.transfer", { toOperator: CLERK }]] as const) {
    const refused = await engine.refused(name, { assignmentId: REVIEW, ...values }, { as: CLERK });
    assert.deepEqual([refused.status, refused.message], [
      403,
      `Only the holder of ${REVIEW} and operators with the right 'manage' may give it to others`,
    ]);
  }
  await engine.call("work.transfer", { assignmentId: REVIEW, toOperator: CLERK }, { as: DECIDER });
  assert.equal(await readAssignee(engine, caseId), CLERK);
  await engine.call("work.transfer", { assignmentId: REVIEW, toQueue: "Inspection" }, { as: CLERK });
  assert.equal(await readAssignee(engine, caseId), "Inspection");
  assert.deepEqual(await readLast(engine, caseId), [
    "Transferred Check the application from Rosa Reviewer to Clara Clerk",
    "Transferred Check the application from Clara Clerk to Site visits",
  ]);
});

Deno.test("work cannot be released without a queue, with a draft, or to an operator who may not work", async () => {
  const yaml = (await Deno.readTextFile(PERMIT_FILE)).replace(
    "rights: { manage:",
    "rights: { work: \"operator.ID != 'inspector@city'\", manage:",
  );
  await using engine = await openEngine(yaml);
  const caseId = await createPermit(engine);
  const refuse = async (name: string, values: object) => {
    const { status, message } = await engine.refused(name, { assignmentId: INTAKE, ...values });
    return [status, message];
  };
  assert.deepEqual(await refuse("work.release", {}), [
    409,
    `The step 'Register the application' has no queue: transfer ${INTAKE}`,
  ]);
  assert.deepEqual(await refuse("work.transfer", {}), [400, "Name either an operator or a queue"]);
  assert.deepEqual(await refuse("work.transfer", { toOperator: "clark@city" }), [
    400,
    "There is no operator 'clark@city'; did you mean 'clerk@city'?",
  ]);
  assert.deepEqual(await refuse("work.transfer", { toQueue: "Revieu" }), [
    400,
    "There is no queue 'Revieu'; did you mean 'Review'?",
  ]);
  assert.deepEqual(await refuse("work.transfer", { toOperator: "inspector@city" }), [
    409,
    "Ines Inspector may not change P-1",
  ]);
  assert.deepEqual(await refuse("work.transfer", { toOperator: CLERK }), [409, `Clara Clerk has ${INTAKE} already`]);
  assert.equal(
    (await engine.refused("work.transfer", { assignmentId: INTAKE, toQueue: "Review", ifMatch: "old" })).status,
    412,
  );
  await engine.call("assignments.save", { assignmentId: INTAKE, action: "Register", data: { Area: 3 } });
  assert.match(String((await refuse("work.transfer", { toOperator: REVIEWER }))[1]), /has a saved draft/);
  const shown = await engine.body("cases.get", { caseId });
  assert.equal(valueAt(shown, "data.caseInfo.assignments.0.assigneeInfo.ID"), CLERK);
});
