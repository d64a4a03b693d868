/** Rights on a second case: a call about one case changes another one only if the caller may change that one, too. */
import assert from "node:assert/strict";
import { statusesOf } from "../associations/_elements.ts";
import { type Engine, openEngine, PERMIT_FILE, textAt, valueAt } from "../../harness/service_engine.ts";

/** The clerk may change all cases. Other operators may change all except those of Ada. */
const RIGHTS = `
    rights:
      work: Applicant != 'Ada' || operator.ID == 'clerk@city'
`;
const YAML = (await Deno.readTextFile(PERMIT_FILE)).replace(/\n {4}rights: .*\n/, RIGHTS);
const PERMIT = "City-Permit-Work-Permit";
const [CLERK, INSPECTOR] = ["clerk@city", "inspector@city"];

/** Creates a case that everyone may change, and one that only the clerk may change. */
async function createTwo(engine: Engine): Promise<[own: string, readOnly: string]> {
  const create = async (Applicant: string) => {
    return textAt(await engine.body("cases.create", { type: PERMIT, data: { Applicant } }, { as: CLERK }), "ID");
  };
  return [await create("Grace"), await create("Ada")];
}

async function relate(engine: Engine, caseId: string, other: string, as: string) {
  const body = { cases: [{ ID: other, relationship: "blocks" }] };
  const { body: results } = await engine.call("related.add", { caseId }, { as, body });
  assert.deepEqual(statusesOf(results).map(([id]) => id), [other]);
  return [valueAt(results, "0.status"), valueAt(results, "0.errorDetails.0.localizedValue")];
}

/** Returns what a case shows. */
async function describe(engine: Engine, caseId: string) {
  const reads = ["cases.get", "related.list", "cases.listDescendants", "attachments.list", "tags.list"];
  return [await engine.history(caseId), ...await Promise.all(reads.map((name) => engine.body(name, { caseId })))];
}

Deno.test("a relation needs the right to change both cases, in either direction and for its removal", async () => {
  await using engine = await openEngine(YAML);
  const [own, readOnly] = await createTwo(engine);
  const before = await describe(engine, readOnly);
  const refused = ["403", "You may not change P-2"];
  assert.deepEqual(await relate(engine, own, readOnly, INSPECTOR), refused);
  assert.equal((await engine.refused("related.add", { caseId: readOnly }, { as: INSPECTOR })).status, 403);
  assert.deepEqual(await describe(engine, readOnly), before);

  assert.deepEqual(await relate(engine, own, readOnly, CLERK), ["201", undefined]);
  const related = await describe(engine, readOnly);
  for (const [caseId, relatedCaseId] of [[own, readOnly], [readOnly, own]]) {
    const { status, message } = await engine.refused("related.delete", { caseId, relatedCaseId }, { as: INSPECTOR });
    assert.deepEqual([status, message], [403, "You may not change P-2"]);
  }
  assert.deepEqual(await describe(engine, readOnly), related);
  assert.equal(valueAt(related, "2.associatedCases.0.ID"), own);
  await engine.call("related.delete", { caseId: own, relatedCaseId: readOnly }, { as: CLERK });
  assert.deepEqual(await describe(engine, readOnly), before);
});

Deno.test("an operator relates cases that the operator may change, although others may not be changed", async () => {
  await using engine = await openEngine(YAML);
  const [own] = await createTwo(engine);
  const [second] = await createTwo(engine);
  assert.deepEqual(await relate(engine, own, second, INSPECTOR), ["201", undefined]);
  await engine.call("related.delete", { caseId: second, relatedCaseId: own }, { as: INSPECTOR });
  assert.deepEqual(valueAt(await engine.body("related.list", { caseId: own }), "associatedCases"), []);
});

Deno.test("a child case needs the right to change its parent", async () => {
  await using engine = await openEngine(YAML);
  const [own, readOnly] = await createTwo(engine);
  const before = await describe(engine, readOnly);
  const create = (parentCaseId: string) => ({ type: PERMIT, parentCaseId, data: { Applicant: "Ada" } });
  const { status, message } = await engine.refused("cases.create", create(readOnly), { as: INSPECTOR });
  assert.deepEqual([status, message], [403, "You may not change P-2"]);
  assert.deepEqual(await describe(engine, readOnly), before);
  const child = textAt(await engine.body("cases.create", create(own), { as: INSPECTOR }), "ID");
  assert.equal(valueAt(await engine.body("cases.listDescendants", { caseId: own }), "childCases.0.ID"), child);
});

Deno.test("a bulk action changes the cases that the caller may change, and no others", async () => {
  await using engine = await openEngine(YAML);
  const [own, readOnly] = await createTwo(engine);
  const actions = await engine.body("cases.bulkActions", { cases: [own, readOnly] });
  const action = textAt(actions, "bulkActions.0.ID");
  const before = await describe(engine, readOnly);
  const { body } = await engine.call("cases.bulkPerform", { cases: [readOnly, own], action }, { as: INSPECTOR });
  assert.deepEqual([0, 1].map((n) => valueAt(body, `results.${n}.status`)), [403, 200]);
  assert.deepEqual(await describe(engine, readOnly), before);
});

Deno.test("deleting a case ends its relations to cases that the caller may only read", async () => {
  await using engine = await openEngine(YAML);
  const [own, readOnly] = await createTwo(engine);
  await relate(engine, own, readOnly, CLERK);
  await engine.call("cases.delete", { caseId: own }, { as: INSPECTOR });
  assert.deepEqual(valueAt(await engine.body("related.list", { caseId: readOnly }), "associatedCases"), []);
});
