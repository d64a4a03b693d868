/** `svc ui-lists`: personalizations and the order of rows. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();
const DECIDER = "decider@city";
const LIST = "'City-Permit-Work-Permit!Documents'";

/** Returns the ID from the output of a command. */
async function idOf(line: string, operator?: string): Promise<string> {
  return String(await live.json(`ui-lists ${line}`, operator));
}

/** Returns the personalizations that an operator sees, by ID. */
async function seen(operator?: string): Promise<Map<unknown, JsonObject>> {
  const { personalizations } = await live.object("ui-lists list-personalizations Permits", operator);
  assert.ok(Array.isArray(personalizations));
  return new Map(personalizations.filter(isJsonObject).map((one) => [one.id, one]));
}

/** Creates a permit with documents of these titles. */
async function permitWith(...titles: string[]): Promise<string> {
  return await live.createPermit({ Applicant: "Ada", Documents: titles.map((Title) => ({ Title })) });
}

/** Reads the titles of the documents of a permit, and its entity tag. */
async function documentsOf(id: string): Promise<{ titles: unknown[]; etag: unknown }> {
  const read = await live.object(`cases get '${id}'`);
  const documents = valueAt(read, "data.caseInfo.content.Documents");
  assert.ok(Array.isArray(documents));
  return { titles: documents.map((row) => valueAt(row, "Title")), etag: read.etag };
}

Deno.test("create-personalization returns an ID and stores the state unchanged", async () => {
  const state = '{"columns": ["pyID"],\\u0020 "é": 1} and no JSON at all ';
  const id = await idOf(`create-personalization Permits --name Mine --personalization-state '${state}'`);
  const { etag, ...mine } = (await seen()).get(id) ?? assert.fail("it is listed");
  assert.match(String(etag), /GMT$/);
  assert.deepEqual(mine, {
    id,
    ID: id,
    name: "Mine",
    personalizationState: state,
    markAsDefault: false,
    markAsAppDefault: false,
    createdBy: "clerk@city",
  });
});

Deno.test("only the owner of a personalization can see, change and delete it", async () => {
  const id = await idOf("create-personalization Permits --name Private --id private --mark-as-default");
  assert.equal(id, "private");
  assert.equal((await seen(DECIDER)).has(id), false);
  for (const line of ["update-personalization Permits private --name X", "delete-personalization Permits private"]) {
    assert.equal((await live.refused(`ui-lists ${line}`, DECIDER)).code, "NOT_FOUND");
  }
  assert.equal((await seen()).get(id)?.name, "Private");
});

Deno.test("a new default replaces only the caller's old one", async () => {
  const theirs = await idOf("create-personalization Permits --name D --mark-as-default", DECIDER);
  const first = await idOf("create-personalization Permits --name A --mark-as-default");
  const second = await idOf("create-personalization Permits --name B --mark-as-default");
  const defaults = async (operator?: string) =>
    [...(await seen(operator)).values()].filter((one) => one.markAsDefault).map((one) => one.id);
  assert.deepEqual([await defaults(), await defaults(DECIDER)], [[second], [theirs]]);
  assert.equal(await idOf(`update-personalization Permits ${first} --name A --mark-as-default`), first);
  assert.deepEqual([await defaults(), await defaults(DECIDER)], [[first], [theirs]]);
  await idOf(`update-personalization Permits ${first} --name A --no-mark-as-default`);
  assert.deepEqual([await defaults(), await defaults(DECIDER)], [[], [theirs]]);
});

Deno.test("the application has one default, which all operators see and some may set", async () => {
  const old = await idOf("create-personalization Permits --name Old --mark-as-app-default");
  assert.equal((await seen(DECIDER)).get(old)?.markAsAppDefault, true);
  const refused = await live.refused(
    "ui-lists create-personalization Permits --name No --mark-as-app-default",
    DECIDER,
  );
  assert.equal(refused.code, "FORBIDDEN");
  const line = "create-personalization Permits --name New --mark-as-default --mark-as-app-default";
  const fresh = await idOf(line, "reviewer@city");
  const [own, others] = [await seen(), await seen(DECIDER)];
  assert.equal(own.get(old)?.markAsAppDefault, false);
  assert.equal(others.has(old), false);
  const { markAsAppDefault, markAsDefault, createdBy } = others.get(fresh) ?? assert.fail("everybody sees it");
  assert.deepEqual([markAsAppDefault, markAsDefault, createdBy], [true, false, "reviewer@city"]);
  assert.equal((await live.refused(`ui-lists delete-personalization Permits ${fresh}`)).code, "NOT_FOUND");
});

Deno.test("update-personalization keeps members that are not given and requires a current tag", async () => {
  const id = await idOf("create-personalization Permits --name One --personalization-state S --mark-as-default");
  const { etag } = (await seen()).get(id) ?? assert.fail("it is listed");
  const update = `update-personalization Permits ${id} --route-to-workbasket Review`;
  await idOf(`${update} --name Two --if-match '${etag}'`);
  const { name, personalizationState, markAsDefault, pyRouteToWorkbasket } = (await seen()).get(id) ?? {};
  assert.deepEqual([name, personalizationState, markAsDefault, pyRouteToWorkbasket], ["Two", "S", true, "Review"]);
  assert.equal((await live.refused(`ui-lists ${update} --name X --if-match '${etag}'`)).code, "PRECONDITION_FAILED");
});

Deno.test("the name of a personalization has at most 100 characters, and an emoji counts as one", async () => {
  await idOf(`create-personalization Permits --name ${"😀".repeat(100)}`);
  const long = await live.refused(`ui-lists create-personalization Permits --name ${"😀".repeat(101)}`);
  assert.equal(long.code, "BAD_REQUEST");
});

Deno.test("delete-personalization removes it", async () => {
  const id = await idOf("create-personalization Permits --name Gone");
  assert.equal(await idOf(`delete-personalization Permits ${id}`), id);
  assert.equal((await seen()).has(id), false);
  assert.equal((await live.refused(`ui-lists delete-personalization Permits ${id}`)).code, "NOT_FOUND");
});

Deno.test("move moves a row of the case and adds a history entry", async () => {
  const id = await permitWith("a", "b", "c", "d");
  const before = await documentsOf(id);
  const move = (from: string, to: string, flags = "") =>
    live.object(`ui-lists move ${LIST} --context '${id}' --source-id ${from} --destination-id ${to} ${flags}`);
  const moved = await move("4", "2", "--list-class City-Permit-Data-Document");
  assert.deepEqual([moved.id, valueAt(moved, "data.caseInfo.content.Documents.1.Title")], [id, "d"]);
  const after = await documentsOf(id);
  assert.deepEqual(after.titles, ["a", "d", "b", "c"]);
  assert.equal(after.etag, moved.etag);
  assert.notEqual(after.etag, before.etag);
  await move(".Documents(1)", "Documents(4)", `--if-match '${after.etag}'`);
  assert.deepEqual((await documentsOf(id)).titles, ["d", "b", "c", "a"]);
  const params = JSON.stringify({ dataViewParameters: { CaseInstanceKey: id } });
  const history = valueAt(await live.object(`data query D_pyWorkHistory --data '${params}'`), "data");
  assert.ok(Array.isArray(history));
  const lines = history.filter((line) => valueAt(line, "pyHistoryType") === "moved").map((line) =>
    valueAt(line, "pyMessageKey")
  );
  assert.deepEqual(lines, ["Moved row 4 of Documents to 2", "Moved row 1 of Documents to 4"]);
});

Deno.test("moving a row to its own position or with an error changes nothing", async () => {
  const id = await permitWith("a", "b");
  const before = await documentsOf(id);
  const line = `ui-lists move ${LIST} --context '${id}' --source-id 2 --destination-id`;
  assert.equal((await live.object(`${line} 2`)).etag, before.etag);
  assert.equal((await live.refused(`${line} 3`)).code, "NOT_FOUND");
  assert.equal((await live.refused(`${line} 1 --if-match stale`)).code, "PRECONDITION_FAILED");
  assert.deepEqual(await documentsOf(id), before);
});

Deno.test("the name of a view with one list identifies the list", async () => {
  const id = await permitWith("a", "b");
  const view = "'City-Permit-Work-Permit!Application'";
  await live.object(`ui-lists move ${view} --context '${id}' --source-id 2 --destination-id 1`);
  assert.deepEqual((await documentsOf(id)).titles, ["b", "a"]);
});

Deno.test("rows of a locked or resolved case cannot be moved", async () => {
  const id = await permitWith("a", "b");
  const assignment = valueAt(await live.object(`cases get '${id}'`), "data.caseInfo.assignments.0.ID");
  await live.object(`assignments save '${assignment}' --action Register --data '{"Applicant":"Bo"}'`);
  const line = `ui-lists move ${LIST} --context '${id}' --source-id 2 --destination-id 1`;
  assert.equal((await live.refused(line, DECIDER)).code, "LOCKED");
  await live.object(`assignments perform '${assignment}' --action Withdraw`);
  assert.equal((await live.refused(line)).code, "CONFLICT");
});

const CASE = await permitWith("a", "b");
const RECEIPT = (await live.object("cases create --type City-Permit-Work-Receipt --fields id")).id;
const ROWS = "--source-id 1 --destination-id 2";
const REFUSED: Record<string, [code: string, reason: RegExp]> = {
  "list-personalizations Nothing": ["NOT_FOUND", /no UI list 'Nothing'/],
  "create-personalization Nothing --name X": ["NOT_FOUND", /no UI list/],
  "create-personalization Permits --name ' '": ["BAD_REQUEST", /name must have/],
  "create-personalization Permits --name X --id a/b": ["BAD_REQUEST", /ID must be/],
  "create-personalization Permits --name X --route-to-workbasket Nowhere": ["BAD_REQUEST", /no queue Nowhere/],
  "update-personalization Permits nothing --name X": ["NOT_FOUND", /no personalization nothing/],
  "delete-personalization Permits nothing": ["NOT_FOUND", /no personalization nothing/],
  [`move ${LIST} ${ROWS}`]: ["BAD_REQUEST", /context is missing/],
  [`move ${LIST} ${ROWS} --context 'CITY-PERMIT-WORK P-0'`]: ["NOT_FOUND", /Case not found/],
  [`move ${LIST} ${ROWS} --context '${RECEIPT}'`]: ["BAD_REQUEST", /is of City-Permit-Work-Receipt/],
  [`move Documents ${ROWS} --context '${CASE}'`]: ["NOT_FOUND", /does not name a case type and its list/],
  [`move 'City-Permit-Work-Permit!Fee' ${ROWS} --context '${CASE}'`]: ["NOT_FOUND", /no list 'Fee'/],
  [`move 'City-Permit-Work-Receipt!pyDetails' ${ROWS} --context '${CASE}'`]: ["NOT_FOUND", /no list/],
  [`move ${LIST} --source-id Documents(0) --destination-id 1 --context '${CASE}'`]: ["NOT_FOUND", /no row/],
  [`move ${LIST} --source-id .Items(1) --destination-id 1 --context '${CASE}'`]: ["NOT_FOUND", /no row/],
  [`move ${LIST} ${ROWS} --context '${CASE}' --list-class Other`]: ["BAD_REQUEST", /not of Other/],
};

for (const [line, [code, reason]] of Object.entries(REFUSED)) {
  Deno.test(`svc ui-lists ${line} is refused with ${code}`, async () => {
    const error = await live.refused(`ui-lists ${line}`);
    assert.equal(error.code, code);
    assert.match(JSON.stringify(error.details), reason);
  });
}

Deno.test("the ID of a personalization is unique among all operators and cannot change", async () => {
  await idOf("create-personalization Permits --name X --id taken");
  const again = "ui-lists create-personalization Permits --name Y --id taken";
  assert.equal((await live.refused(again, DECIDER)).code, "CONFLICT");
  const renamed = await live.refused("ui-lists update-personalization Permits taken --name X --id other");
  assert.equal(renamed.code, "BAD_REQUEST");
});
