/** Actions on many cases at once: each case by itself, at once and in the background. */
import assert from "node:assert/strict";
import { createPermit, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";

Deno.test("a bulk action reports the result of each case, and a failure does not stop the others", async () => {
  await using engine = await openEngine();
  const first = await createPermit(engine);
  const last = await createPermit(engine);
  const cases = [first, "CITY-PERMIT-WORK P-99", last];
  const common = await engine.body("cases.bulkActions", { cases: [first, last] });
  assert.deepEqual(valueAt(common, "bulkActions.2"), {
    id: "Expedite",
    ID: "Expedite",
    name: "Expedite",
    type: "Case",
  });
  const { status, message } = await engine.refused("cases.bulkActions", { cases });
  assert.deepEqual([status, message], [404, "Case CITY-PERMIT-WORK P-99 not found"]);
  const values = { cases, action: "pyUpdateCaseDetails", data: { Channel: "Desk" } };
  const done = await engine.call("cases.bulkPerform", values);
  assert.equal(done.result, "perElement");
  assert.deepEqual(valueAt(done.body, "summary"), { total: 3, successful: 2, failed: 1 });
  assert.equal(valueAt(done.body, "results.1.status"), 404);
  assert.equal(valueAt(done.body, "results.2.status"), 200);
  assert.equal(valueAt(await engine.body("cases.get", { caseId: last }), "data.caseInfo.content.Channel"), "Desk");
  const single = await engine.body("cases.bulkPerform", { cases: [first], action: "Withdraw", data: { Reason: "-" } });
  assert.equal(valueAt(single, "results.0.status"), 409, "not every case action is a bulk action");
});

Deno.test("a bulk action with an entity tag skips cases that have changed since, also in the background", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const bulk = async (Channel: string, ifMatch: string, runningMode?: string) => {
    const values = { cases: [caseId], action: "pyUpdateCaseDetails", data: { Channel }, ifMatch, runningMode };
    const { body } = await engine.call("cases.bulkPerform", values);
    await engine.settle();
    return { status: valueAt(body, "results.0.status"), read: await engine.call("cases.get", { caseId }) };
  };
  const { tag = "" } = await engine.call("cases.get", { caseId });
  const first = await bulk("Post", tag);
  assert.equal(first.status, 200);
  assert.equal((await bulk("Desk", tag)).status, 412);
  const last = await bulk("Desk", tag, "async");
  assert.deepEqual(last.read.tag, first.read.tag);
  assert.equal(valueAt(last.read.body, "data.caseInfo.content.Channel"), "Post");
});

Deno.test("a bulk action in the background returns a job, and runs afterwards", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const values = { cases: [caseId], action: "pyUpdateCaseDetails", data: { Channel: "Post" }, runningMode: "async" };
  const accepted = await engine.call("cases.bulkPerform", values);
  assert.equal(accepted.result, "accepted");
  assert.match(textAt(accepted.body, "jobID"), /^[0-9a-f-]{36}$/);
  await engine.settle();
  assert.equal(valueAt(await engine.body("cases.get", { caseId }), "data.caseInfo.content.Channel"), "Post");
  assert.equal((await engine.refused("cases.bulkPerform", { ...values, runningMode: "fast" })).status, 400);
});

const KNOTS = `
application: { id: Knots, name: Knots, organisation: Org }
operators: { "ada@knots": { name: Ada } }
caseTypes:
  Org-Knots-Work-Rope:
    name: Rope
    prefix: R
    workPool: ORG-KNOTS-WORK
    fields: { Size: { type: Integer } }
    actions: { Tie: { name: Tie, bulk: true, fields: [Size], stage: PRIM1 } }
    stages:
      PRIM0: { name: Loose, transition: manual, processes: {} }
      PRIM1:
        name: Tied
        transition: manual
        processes:
          Tie: { steps: { Knot: { name: Knot, type: child, caseType: Org-Knots-Work-Knot, content: { Size: Size } } } }
  Org-Knots-Work-Knot:
    name: Knot
    prefix: K
    workPool: ORG-KNOTS-WORK
    fields: { Size: { type: Integer }, Double: { type: Integer, calculated: Size * 2.0, max: 10 } }
    stages: { PRIM0: { name: Made, transition: manual, processes: {} } }
dataViews:
  D_Knots: { name: Knots, source: cases, caseTypes: [Org-Knots-Work-Knot] }
`;

Deno.test("a failed case of a bulk action changes nothing, not even the numbers of its children, also in the background", async () => {
  await using engine = await openEngine(KNOTS);
  const cases: string[] = [];
  for (const _ of "123") cases.push(textAt(await engine.body("cases.create", { type: "Org-Knots-Work-Rope" }), "id"));
  const tie = async (rope: number, Size: number, runningMode?: string) => {
    const values = { cases: cases.slice(rope - 1), action: "Tie", data: { Size }, runningMode };
    const { body } = await engine.call("cases.bulkPerform", values);
    await engine.settle();
    return valueAt(body, "results.0.status");
  };
  assert.equal(await tie(1, 6), 422);
  await tie(1, 6, "async");
  assert.equal(await tie(3, 5), 200);
  const rows = await engine.body("data.query", { dataViewId: "D_Knots", data: {} });
  assert.deepEqual([valueAt(rows, "data.0.pyID"), valueAt(rows, "data.1")], ["K-1", undefined]);
});
