import assert from "node:assert/strict";
import type { JsonValue } from "../../../utils/json.ts";
import type { DataFormat } from "../../../lib/output/format.ts";
import { render } from "../../../lib/output/render.ts";

const CASE = { id: "C-1", type: "T", status: "Open", urgency: 10, data: { caseInfo: {} } };

async function rendered(
  value: JsonValue,
  fields: string[],
  format: DataFormat = "compact",
): Promise<[string, readonly string[]]> {
  const { text, notes } = await render(value, { format, fields }, { color: false });
  return [text.trimEnd(), notes];
}

Deno.test("top-level members are selected in the order of the names", async () => {
  assert.deepEqual(await rendered(CASE, ["status", "id"]), ['{"status":"Open","id":"C-1"}', []]);
  assert.deepEqual(await rendered(CASE, ["id"], "yaml"), ["id: C-1", []]);
  assert.deepEqual(await rendered(CASE, ["status", "id"], "table"), ["status  id\nOpen    C-1", []]);
  assert.deepEqual(await rendered(CASE, ["id", "id"], "json"), ['{\n  "id": "C-1"\n}', []]);
});

Deno.test("an unknown field causes a note with the existing ones", async () => {
  const note = "Warning: the response has no field nope, toString. Its fields: id, type, status, urgency, data.";
  assert.deepEqual(await rendered(CASE, ["nope", "id", "toString"]), ['{"id":"C-1"}', [note]]);
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

Deno.test("a result without fields is printed completely", async () => {
  assert.deepEqual(await rendered("text", ["a"]), ['"text"', ["--fields was ignored: the response has no fields."]]);
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
    `{"${assignments}.ID":["A","B"],"${assignments}.name":["First"]}`,
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
  assert.deepEqual(await rendered(list, ["caseTypes.ID"]), ['{"caseTypes.ID":["A","B"]}', []]);
  assert.deepEqual(await rendered(list, ["caseTypes[1].ID"]), ['{"caseTypes[1].ID":"B"}', []]);
});

Deno.test("a warning suggests a field with a similar name, or one further down with the same name", async () => {
  const warn = async (field: string) => (await rendered(DETAILED, [field]))[1];
  assert.deepEqual(await warn("ID"), [
    "Warning: the response has no field ID. Did you mean id or data.caseInfo.assignments.ID?",
  ]);
  assert.deepEqual(await warn("Status"), [
    "Warning: the response has no field Status. Did you mean data.caseInfo.status?",
  ]);
  assert.deepEqual(await warn("data.caseInfo.statsu"), [
    "Warning: the response has no field data.caseInfo.statsu. Did you mean data.caseInfo.status?",
  ]);
  assert.deepEqual(await warn("toString"), [
    "Warning: the response has no field toString. Its fields: id, dotted.name, data.",
  ]);
});
