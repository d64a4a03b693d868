import assert from "node:assert/strict";
import cases from "../../../lib/resources/cases.ts";
import data from "../../../lib/resources/data.ts";
import work from "../../../lib/resources/work.ts";
import type { JsonValue } from "../../../utils/json.ts";
import type { Operation } from "../../../lib/operation/operation.ts";
import { checkDescribedFields } from "../../../lib/output/described_fields.ts";
import type { DataFormat } from "../../../lib/output/format.ts";
import { SvcError } from "../../../lib/errors.ts";
import { render } from "../../../lib/output/render.ts";

const CASE = { id: "C-1", type: "T", status: "Open", urgency: 10, data: { caseInfo: {} } };

async function rendered(
  value: JsonValue,
  fields: string[],
  format: DataFormat = "compact",
): Promise<[string, readonly string[]]> {
  const { text, notes } = await render(value, { format, fields: { names: fields } }, { color: false });
  return [text.trimEnd(), notes];
}

async function refused(value: JsonValue, ...fields: string[]): Promise<string> {
  const error = await rendered(value, fields).catch((thrown) => thrown);
  assert.ok(error instanceof SvcError);
  assert.equal(error.code, "INVALID_ARGS");
  return `${error.message} ${error.hint}`;
}

Deno.test("top-level members are selected in the order of the names", async () => {
  assert.deepEqual(await rendered(CASE, ["status", "id"]), ['{"status":"Open","id":"C-1"}', []]);
  assert.deepEqual(await rendered(CASE, ["id"], "yaml"), ["id: C-1", []]);
  assert.deepEqual(await rendered(CASE, ["status", "id"], "table"), ["status  id\nOpen    C-1", []]);
  assert.deepEqual(await rendered(CASE, ["id", "id"], "json"), ['{\n  "id": "C-1"\n}', []]);
});

Deno.test("an unknown field is an error with the existing ones, and a warning after a change", async () => {
  const problem = "The response has no field nope, toString. Its fields: id, type, status, urgency, data.";
  assert.equal(await refused(CASE, "nope", "id", "toString"), problem);
  const fields = { names: ["nope", "id", "toString"], acceptsUnknown: true };
  assert.deepEqual(await render(CASE, { format: "compact", fields }, { color: false }), {
    text: '{"id":"C-1"}\n',
    notes: [`Warning: ${problem}`],
  });
});

Deno.test("a field that the description of a response has may be missing", async () => {
  const fields = { names: ["id", "etag"], described: ["etag"] };
  const { text } = await render(CASE, { format: "compact", fields }, { color: false });
  assert.equal(text, '{"id":"C-1"}\n');
  const rows = { cases: [{ ID: "A" }, { ID: "B" }] };
  const due = { names: ["cases.due", "ID"], described: ["cases.due"] };
  assert.equal(
    (await render(rows, { format: "table", fields: due }, { color: false })).text,
    "due  ID\n     A\n     B\n",
  );
});

Deno.test("fields of a list are those of its elements", async () => {
  const rows = [{ a: 1, b: 2 }, { b: 3, c: 4 }];
  assert.deepEqual(await rendered(rows, ["b"]), ['[{"b":2},{"b":3}]', []]);
  assert.deepEqual(await rendered(rows, ["c"]), ['[{},{"c":4}]', []]);
  assert.deepEqual(await rendered([], ["a"]), ["[]", []]);
});

Deno.test("fields of an object with one list are those of the elements, unless the list itself is named", async () => {
  const stages = { stages: [{ ID: "PRIM0", name: "Create", links: {} }] };
  assert.deepEqual(await rendered(stages, ["stages"]), [JSON.stringify(stages), []]);
  assert.deepEqual(await rendered(stages, ["name"]), ['{"stages":[{"name":"Create"}]}', []]);
  assert.deepEqual(await rendered(stages, ["name"], "table"), ["name\nCreate", []]);
  const rows = { resultCount: 1, data: [{ a: 1 }] };
  assert.deepEqual(await rendered(rows, ["data"], "table"), ["a\n1", []]);
});

Deno.test("a member of the result comes before a column of its only list, in all formats", async () => {
  const rows = { total: 2, data: [{ ID: "A", total: 7 }, { ID: "B" }], empty: [] };
  assert.deepEqual(await rendered(rows, ["ID"]), ['{"data":[{"ID":"A"},{"ID":"B"}]}', []]);
  assert.deepEqual(await rendered(rows, ["ID"], "yaml"), ["data:\n  - ID: A\n  - ID: B", []]);
  assert.deepEqual(await rendered(rows, ["ID"], "table"), ["ID\nA\nB", []]);
  assert.deepEqual(await rendered(rows, ["total"]), ['{"total":2}', []]);
  assert.deepEqual(await rendered(rows, ["data.total", "ID"]), ['{"data":[{"total":7,"ID":"A"},{"ID":"B"}]}', []]);
  assert.deepEqual(await rendered(rows, ["total", "ID"]), ['{"total":2,"data":[{"ID":"A"},{"ID":"B"}]}', []]);
  assert.deepEqual(await rendered(rows, ["total", "ID"], "table"), ["ID\nA\nB", ["Outside the list: total 2."]]);
  assert.deepEqual(await rendered(rows, ["data.ID", "data.total"], "table"), ["ID  total\nA       7\nB", []]);
  assert.equal(
    await refused({ data: [{ name: "A" }], total: 1 }, "nam"),
    "The response has no field nam. Did you mean name?",
  );
  const two = { steps: [{ ID: "A" }], notes: [{ text: "x" }] };
  assert.equal(await refused(two, "ID"), "The response has no field ID. Did you mean steps.ID?");
});

Deno.test("an empty list stays empty", async () => {
  const none = { cases: [], hasMoreResults: false };
  for (const field of ["cases.ID", "ID", "cases.assignments.name"]) {
    assert.deepEqual(await rendered(none, [field]), ['{"cases":[]}', []]);
  }
  assert.deepEqual(await rendered(none, ["ID", "hasMoreResults"]), ['{"cases":[],"hasMoreResults":false}', []]);
});

Deno.test("a result without fields has none to select", async () => {
  assert.equal(await refused("text", "a"), "The response has no field a. Its fields: none.");
});

const DETAILED = {
  id: "C-1",
  "dotted.name": 1,
  data: { caseInfo: { status: "Open", assignments: [{ ID: "A", name: "First" }, { ID: "B" }] } },
};

Deno.test("a path selects a field further down, an element of a list, or a field of all elements", async () => {
  assert.deepEqual(await rendered(DETAILED, ["data.caseInfo.status", "id"]), [
    '{"data.caseInfo.status":"Open","id":"C-1"}',
    [],
  ]);
  const assignments = "data.caseInfo.assignments";
  assert.deepEqual(await rendered(DETAILED, [`${assignments}[1].ID`, `${assignments}.0.name`]), [
    `{"${assignments}[1].ID":"B","${assignments}.0.name":"First"}`,
    [],
  ]);
  assert.deepEqual(await rendered(DETAILED, [`${assignments}.ID`, `${assignments}.name`]), [
    `{"${assignments}":[{"ID":"A","name":"First"},{"ID":"B"}]}`,
    [],
  ]);
  const nested = { stages: [{ ID: "S", steps: [{ name: "One" }, { name: "Two" }] }, { ID: "T", steps: [] }] };
  assert.deepEqual(await rendered(nested, ["stages.ID", "stages.steps.name"]), [
    '{"stages":[{"ID":"S","steps":[{"name":"One"},{"name":"Two"}]},{"ID":"T","steps":[]}]}',
    [],
  ]);
  assert.deepEqual(await rendered(nested, ["stages[0].steps.name"]), [
    '{"stages[0].steps":[{"name":"One"},{"name":"Two"}]}',
    [],
  ]);
  assert.deepEqual(await rendered(DETAILED, ["data.caseInfo.status"], "table"), ["data.caseInfo.status\nOpen", []]);
});

Deno.test("a name that contains a dot comes before a path", async () => {
  assert.deepEqual(await rendered(DETAILED, ["dotted.name"]), ['{"dotted.name":1}', []]);
});

Deno.test("paths start at the elements of a list, or at the member that contains it", async () => {
  const list = { caseTypes: [{ ID: "A", links: { create: "x" } }, { ID: "B" }] };
  assert.deepEqual(await rendered(list, ["links.create"]), ['{"caseTypes":[{"links.create":"x"},{}]}', []]);
  assert.deepEqual(await rendered(list, ["caseTypes.ID"]), ['{"caseTypes":[{"ID":"A"},{"ID":"B"}]}', []]);
  assert.deepEqual(await rendered(list, ["caseTypes[1].ID"]), ['{"caseTypes[1].ID":"B"}', []]);
});

Deno.test("an error suggests a field with a similar name, or one further down with the same name", async () => {
  const suggestions = [
    ["ID", "Did you mean id or data.caseInfo.assignments.ID?"],
    ["Status", "Did you mean data.caseInfo.status?"],
    ["data.caseInfo.statsu", "Did you mean data.caseInfo.status?"],
    ["data.caseInfo.assignments.nmae", "Did you mean data.caseInfo.assignments.name?"],
    ["toString", "Its fields: id, dotted.name, data."],
  ] as const;
  for (const [field, hint] of suggestions) {
    assert.equal(await refused(DETAILED, field), `The response has no field ${field}. ${hint}`);
  }
});

Deno.test("fields are checked by the description of a response before it exists", () => {
  const check = (field: string, { answer }: Operation, isOpen = false) => {
    try {
      return checkDescribedFields([field], answer, isOpen).described;
    } catch (error) {
      return error instanceof SvcError ? `${error.message} ${error.hint}` : undefined;
    }
  };
  assert.deepEqual(check("cases.ID", work.find), ["cases.ID"]);
  assert.deepEqual(check("lastUpdateTime", work.find), ["cases.lastUpdateTime"]);
  assert.match(
    String(check("zork", work.find)),
    /^The response has no field zork\. Its fields: cases, hasMoreResults, ID, businessID, /,
  );
  assert.equal(check("lable", work.find), "The response has no field lable. Did you mean label?");
  assert.equal(check("cases.lable", work.find), "The response has no field cases.lable. Did you mean cases.label?");
  assert.deepEqual(check("id", cases.create), ["id"]);
  assert.deepEqual(check("data.caseInfo.content.Anything", cases.create), []);
  assert.match(String(check("stauts", cases.create, true)), /^The response has no field stauts. Did you mean status/);
  assert.deepEqual(check("ID", cases.create, true), []);
  assert.deepEqual(check("extension", cases.create, true), []);
  assert.deepEqual(check("Applicant", data.query, true), []);
  assert.deepEqual(check("name", cases.bulkActions, true), ["name"]);
  assert.deepEqual(check("content", cases.create, true), [], "a service can have it at the top");
  assert.deepEqual(check("hasMoreResult", data.query, true), [], "it can be a column");
});
