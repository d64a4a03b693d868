import assert from "node:assert/strict";
import type { JsonValue } from "../../../utils/json.ts";
import type { Format } from "../../../lib/output/format.ts";
import { render } from "../../../lib/output/render.ts";

const CASE = { id: "C-1", type: "T", status: "Open", urgency: 10, data: { caseInfo: {} } };

async function rendered(
  value: JsonValue,
  fields: string[],
  format: Format = "compact",
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
