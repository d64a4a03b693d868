/** Cases that are found by a text or by their number, and the changes in their history. */
import assert from "node:assert/strict";
import { isObjectList, type JsonObject } from "../../../utils/json.ts";
import { createPermit, type Engine, openEngine, PERMIT_FILE, valueAt } from "../../harness/service_engine.ts";

async function find(engine: Engine, values: JsonObject, as?: string): Promise<string> {
  const { cases } = await engine.body("work.find", values, { as });
  assert.ok(isObjectList(cases));
  return cases.map(({ businessID }) => businessID).join(" ");
}

Deno.test("a text finds the newest cases with it in the number, the label or a text field", async () => {
  await using engine = await openEngine();
  await createPermit(engine, { Applicant: "Ada", Address: 'Dam "1"\\' });
  await createPermit(engine, { Applicant: "Bo", Contact: { Name: "ÉMILE" }, Area: 40 });
  await createPermit(engine, { Applicant: "Adam", Documents: [{ Title: "Plan" }] });
  assert.equal(await find(engine, { text: "ada" }), "P-3 P-1");
  assert.equal(await find(engine, { text: "for bo" }), "P-2", "the label");
  assert.equal(await find(engine, { text: "émile" }), "P-2", "a field of a page");
  assert.equal(await find(engine, { text: 'm "1"\\' }), "P-1", "characters that JSON escapes");
  assert.equal(await find(engine, { text: "-3" }), "P-3", "a part of the number");
  for (const text of ["Applicant", "40", "New", "nothing"]) assert.equal(await find(engine, { text }), "", text);
  assert.equal(await find(engine, { text: "ada", status: "new", type: "Permit", page: 2, pageSize: 1 }), "P-1");
});

Deno.test("a text is found in whatever form its accents are stored", async () => {
  await using engine = await openEngine();
  const [composed, decomposed] = ["Zo\u00eb Andr\u00e9", "Zoe\u0308 Andre\u0301"];
  await createPermit(engine, { Applicant: composed });
  await createPermit(engine, { Applicant: decomposed });
  for (const text of [composed, decomposed]) {
    assert.equal(await find(engine, { text }), "P-2 P-1");
    assert.equal(await find(engine, { text: text.slice(2).toUpperCase() }), "P-2 P-1");
  }
});

Deno.test("a text with characters that a database does not store is found", async () => {
  await using engine = await openEngine();
  for (const Applicant of ["Ada\0Bo", "Ada\u0001Bo", "AdaBo"]) await createPermit(engine, { Applicant });
  assert.equal(await find(engine, { text: "da\0b" }), "P-1");
  assert.equal(await find(engine, { text: "\0" }), "P-1");
  assert.equal(await find(engine, { text: "ADA\u0001B" }), "P-2");
  assert.equal(await find(engine, { text: "\u0001" }), "P-2");
});

Deno.test("a number finds one case, in any case and with the conditions", async () => {
  await using engine = await openEngine();
  for (let count = 0; count < 11; count++) await createPermit(engine, { Applicant: count === 5 ? "See P-1" : "Ada" });
  assert.equal(await find(engine, { businessId: "p-1" }), "P-1");
  assert.equal(await find(engine, { text: "p-1" }), "P-1", "not P-10, P-11 or the text in P-6");
  assert.equal(await find(engine, { text: "P-1", page: 2, pageSize: 1 }), "");
  assert.equal(await find(engine, { text: "P-9", status: "Resolved" }), "");
  assert.equal(await find(engine, { businessId: "P-6", text: "see" }), "P-6");
  assert.equal(await find(engine, { businessId: "P-5", text: "see" }), "");
  assert.equal(await find(engine, { businessId: "P-99" }), "");
});

Deno.test("cases that the operator may not see are not found", async () => {
  const yaml = (await Deno.readTextFile(PERMIT_FILE)).replace(
    /\n {4}rights: .*\n/,
    `\n    rights: { read: "operator.ID != 'inspector@city' || Channel != 'Desk'" }\n`,
  );
  await using engine = await openEngine(yaml);
  await createPermit(engine, { Applicant: "Ada", Channel: "Desk" });
  await createPermit(engine, { Applicant: "Ada" });
  assert.equal(await find(engine, { text: "ada" }, "inspector@city"), "P-2");
  assert.equal(await find(engine, { businessId: "P-1" }, "inspector@city"), "");
});

Deno.test("the history has the old and the new value of each field that an action changed", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine, { Applicant: "Ada", Area: 10 });
  const assignmentId = `ASSIGN-WORKLIST ${caseId}!INTAKE`;
  await engine.call("assignments.perform", {
    assignmentId,
    ifMatch: "*",
    action: "Register",
    data: { Area: 20, Applicant: "Ada" },
  });
  await engine.call("cases.performAction", { caseId, action: "Expedite", data: { Reason: "Flood" } });
  const performed = (await engine.history(caseId)).filter(({ pyHistoryType }) => pyHistoryType === "performed");
  assert.deepEqual(performed.map((line) => line.pyChanges), [
    { Area: { from: 10, to: 20 }, Fee: { from: 75, to: 100 } },
    { Urgent: { from: false, to: true }, Fee: { from: 100, to: 200 }, Reason: { to: "Flood" } },
  ]);
  assert.deepEqual(valueAt(performed, "0.pyContent"), { Area: 20, Applicant: "Ada" });
});
