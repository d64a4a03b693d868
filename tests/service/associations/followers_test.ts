/** `svc followers`. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { failedElements, reasonOf, statusesOf } from "./_elements.ts";
import { openLiveForAll, openService, readErrorDetails } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();
const CLERK = { id: "clerk@city", ID: "clerk@city", name: "Clara Clerk", email: "clara@city.example" };
const REVIEWER = { id: "reviewer@city", ID: "reviewer@city", name: "Rosa Reviewer", email: "rosa@city.example" };

function readFollowers(caseId: string): Promise<JsonValue> {
  return live.json(`followers list '${caseId}'`);
}

/** Reads whether an operator follows a case, from the case. */
async function follows(caseId: string, operator?: string): Promise<JsonValue | undefined> {
  return valueAt(await live.object(`cases get '${caseId}'`, operator), "data.caseInfo.associations.follows");
}

Deno.test("add adds a follower, and list shows the followers", async () => {
  const caseId = await live.createPermit();
  assert.deepEqual(await readFollowers(caseId), { followers: [] });
  const add = `followers add '${caseId}' --user`;
  assert.deepEqual(await live.json(`${add} reviewer@city`), [{ ID: "reviewer@city", status: "201" }]);
  await live.json(`${add} clerk@city`);
  assert.deepEqual(await readFollowers(caseId), { followers: [REVIEWER, CLERK] });
});

Deno.test("a case tells each operator whether the operator follows it", async () => {
  const caseId = await live.createPermit();
  const { etag } = await live.object(`cases get '${caseId}'`);
  await live.json(`followers add '${caseId}' --user reviewer@city`);
  assert.deepEqual([await follows(caseId), await follows(caseId, "reviewer@city")], [false, true]);
  const edit = `cases perform-action '${caseId}' --action Expedite --if-match '${etag}'`;
  const edited = await live.object(edit, "reviewer@city");
  assert.equal(valueAt(edited, "data.caseInfo.associations.follows"), true, "following changes no entity tag");
  await live.run(`followers delete '${caseId}' --user reviewer@city`);
  assert.equal(await follows(caseId, "reviewer@city"), false);
});

Deno.test("delete removes a follower once", async () => {
  const caseId = await live.createPermit();
  await live.json(`followers add '${caseId}' --user clerk@city`);
  const removal = `followers delete '${caseId}' --user clerk@city`;
  assert.deepEqual(await live.run(removal), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(await readFollowers(caseId), { followers: [] });
  assert.equal((await live.refused(removal)).code, "NOT_FOUND");
});

Deno.test("an unknown user and an existing follower fail separately", async () => {
  const caseId = await live.createPermit();
  const add = `followers add '${caseId}' --user`;
  const [unknown] = await failedElements(live, `${add} unknown@city`);
  assert.deepEqual(statusesOf([unknown ?? {}]), [["unknown@city", "400"]]);
  assert.equal(reasonOf(unknown), "User unknown@city is not valid");
  await live.json(`${add} clerk@city`);
  const [twice] = await failedElements(live, `${add} clerk@city`);
  assert.deepEqual(statusesOf([twice ?? {}]), [["clerk@city", "409"]]);
  assert.equal(reasonOf(twice), "User clerk@city is already a follower");
  assert.deepEqual(await readFollowers(caseId), { followers: [CLERK] });
});

Deno.test("an unknown case and a stale entity tag are refused", async () => {
  const caseId = await live.createPermit();
  for (const line of ["list 'X P-0'", "add 'X P-0' --user clerk@city", "delete 'X P-0' --user clerk@city"]) {
    assert.equal((await live.refused(`followers ${line}`)).code, "NOT_FOUND", line);
  }
  const stale = "--user clerk@city --if-match '20000101T000000.000 GMT'";
  for (const command of ["add", "delete"]) {
    assert.equal((await live.refused(`followers ${command} '${caseId}' ${stale}`)).code, "PRECONDITION_FAILED");
  }
});

Deno.test("a request with several users or cases has an outcome for each", async () => {
  await using svc = await openService();
  const create = { body: { caseTypeID: "City-Permit-Work-Permit" } };
  const [one, two] = [await svc.call("POST", "/cases", create), await svc.call("POST", "/cases", create)];
  const [id, other] = [String(valueAt(one.body, "id")), String(valueAt(two.body, "id"))];
  const users = ["clerk@city", "unknown@city", "decider@city", "clerk@city"].map((ID) => ({ ID }));
  const followed = await svc.call("POST", `/cases/${encodeURIComponent(id)}/followers`, { body: { users } });
  assert.deepEqual(statusesOf(followed.body), [
    ["clerk@city", "201"],
    ["unknown@city", "400"],
    ["decider@city", "201"],
    ["clerk@city", "409"],
  ]);
  const cases = [{ ID: other, relationship: "duplicate" }, { ID: other, relationship: "again" }, { ID: id }, {}];
  const related = await svc.call("POST", `/cases/${encodeURIComponent(id)}/related_cases`, { body: { cases } });
  assert.deepEqual(statusesOf(related.body), [[other, "201"], [other, "409"], [id, "400"], ["", "400"]]);
  assert.equal(
    (await svc.call("POST", `/cases/${encodeURIComponent(id)}/followers`, { body: { users: ["clerk"] } })).status,
    400,
  );
});

Deno.test("a request with more than 1000 users, cases or tags is refused", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  const path = `/cases/${encodeURIComponent(String(valueAt(created.body, "id")))}`;
  const calls: [path: string, name: string, element: JsonObject][] = [
    ["followers", "users", { ID: "clerk@city" }],
    ["related_cases", "cases", { ID: "none", relationship: "duplicate" }],
    ["tags", "tags", { Name: "urgent" }],
  ];
  for (const [list, name, element] of calls) {
    const add = (count: number) =>
      svc.call("POST", `${path}/${list}`, { body: { [name]: Array(count).fill(element) } });
    const refused = await add(1001);
    assert.equal(refused.status, 400, list);
    assert.equal(readErrorDetails(refused.body)[0]?.message, "A call may have at most 1000 elements, not 1001");
    const { body } = await svc.call("GET", `${path}/${list}`);
    assert.deepEqual(Object.values(Object(body)), [[]]);
    assert.equal(statusesOf((await add(1000)).body).length, 1000);
  }
});
