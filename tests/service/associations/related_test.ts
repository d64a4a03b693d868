/** `svc related`. */
import assert from "node:assert/strict";
import { failedElements, reasonOf, statusesOf } from "./_elements.ts";
import { openLiveForAll, openService } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();

async function permits(): Promise<[string, string]> {
  return [await live.createPermit(), await live.createPermit({ Applicant: "Grace" })];
}

/** Lists the related cases of a case with their relationships and directions. */
async function relationsOf(caseId: string): Promise<unknown[]> {
  const { associatedCases } = await live.object(`related list '${caseId}'`);
  assert.ok(Array.isArray(associatedCases));
  return associatedCases.map((
    related,
  ) => [valueAt(related, "ID"), valueAt(related, "relationship"), valueAt(related, "direction")]);
}

function add(one: string, two: string, relationship = "duplicate"): string {
  return `related add '${one}' --related-case-id '${two}' --relationship ${relationship}`;
}

Deno.test("add relates two cases, and list shows the relation for both", async () => {
  const [one, two] = await permits();
  assert.deepEqual(await relationsOf(one), []);
  assert.deepEqual(await live.json(add(one, two)), [{ ID: two, status: "201" }]);
  assert.deepEqual(await relationsOf(one), [[two, "duplicate", "outgoing"]]);
  assert.deepEqual(await relationsOf(two), [[one, "duplicate", "incoming"]]);
  const { associatedCases } = await live.object(`related list '${one}'`);
  const { links, businessID, ...facts } = Object(valueAt(associatedCases, "0"));
  assert.deepEqual(facts, {
    id: two,
    ID: two,
    name: "Permit for Grace",
    status: "New",
    caseTypeID: "City-Permit-Work-Permit",
    caseTypeName: "Permit",
    relationship: "duplicate",
    direction: "outgoing",
  });
  assert.deepEqual([two.endsWith(businessID), links.open.href], [true, `/cases/${two}`]);
});

Deno.test("the relationship is required by svc, but optional in requests", async () => {
  await using service = await openService();
  const create = () => service.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  const ids = [];
  for (let n = 0; n < 4; n++) ids.push(textAt((await create()).body, "id"));
  const [one = "", ...others] = ids;
  const path = `/cases/${encodeURIComponent(one)}/related_cases`;
  const cases = others.map((ID, n) => n === 2 ? { ID, relationship: "duplicate" } : { ID });
  const { status, body } = await service.call("POST", path, { body: { cases } });
  assert.equal(status, 207, JSON.stringify(body));
  assert.deepEqual(statusesOf(body), others.map((ID) => [ID, "201"]));
  const listed = valueAt((await service.call("GET", path)).body, "associatedCases");
  assert.ok(Array.isArray(listed));
  assert.deepEqual(listed.map((related) => valueAt(related, "relationship")), ["", "", "duplicate"]);

  const { code, message } = await live.refused(`related add '${one}' --related-case-id '${others[0]}'`);
  assert.deepEqual([code, message], ["INVALID_ARGS", "--relationship is required."]);
});

Deno.test("delete removes a relation from both cases", async () => {
  const [one, two] = await permits();
  await live.json(add(one, two));
  const removal = `related delete '${two}' --related-case-id '${one}'`;
  assert.deepEqual(await live.run(removal), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual([await relationsOf(one), await relationsOf(two)], [[], []]);
  const { code, message } = await live.refused(removal);
  assert.equal(code, "CONFLICT");
  assert.equal(typeof message, "string");
});

Deno.test("an unknown case, the case itself and a related case fail separately", async () => {
  const [one, two] = await permits();
  await live.json(add(one, two));
  const failures: [line: string, id: string, status: string, reason: RegExp][] = [
    [add(one, "CITY-PERMIT-WORK P-9999"), "CITY-PERMIT-WORK P-9999", "404", /not found$/],
    [add(one, one), one, "400", /cannot be related to itself$/],
    [add(one, two, "parent"), two, "409", /are already related$/],
    [add(two, one), one, "409", /are already related$/],
  ];
  for (const [line, id, status, reason] of failures) {
    const elements = await failedElements(live, line);
    assert.deepEqual(statusesOf(elements), [[id, status]]);
    assert.match(String(reasonOf(elements[0])), reason);
  }
  assert.deepEqual(await relationsOf(one), [[two, "duplicate", "outgoing"]]);
});

Deno.test("deleting a case removes its relations", async () => {
  const [one, two] = await permits();
  await live.json(add(one, two));
  assert.equal((await live.run(`cases delete '${one}'`)).code, 0);
  assert.deepEqual(await relationsOf(two), []);
  assert.equal((await live.refused(`related delete '${two}' --related-case-id '${one}'`)).code, "CONFLICT");
});

Deno.test("an unknown case and a stale entity tag are refused", async () => {
  const [one, two] = await permits();
  for (const line of ["related list 'X P-0'", add("X P-0", one), `related delete 'X P-0' --related-case-id '${one}'`]) {
    assert.equal((await live.refused(line)).code, "NOT_FOUND", line);
  }
  for (const line of [add(one, two), `related delete '${one}' --related-case-id '${two}'`]) {
    assert.equal((await live.refused(`${line} --if-match '20000101T000000.000 GMT'`)).code, "PRECONDITION_FAILED");
  }
  assert.deepEqual(await relationsOf(two), []);
});
