/** Rows of a query that are read one by one. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { iterateRows } from "../../../utils/sqlite/iterate_rows.ts";

function openNumbers(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE numbers (n, json)");
  const insert = db.prepare("INSERT INTO numbers VALUES (?, ?)");
  for (let n = 0; n < 100; n++) insert.run((n * 37) % 100, n === 99 ? "{" : "{}");
  return db;
}

Deno.test("rows have the order of the query", () => {
  using db = openNumbers();
  const sql = "SELECT n FROM numbers WHERE n >= ? ORDER BY n DESC";
  const rows = [...iterateRows((text) => db.prepare(text), sql, [10])];
  assert.deepEqual(rows.map(({ n }) => n), Array.from({ length: 90 }, (_, index) => 99 - index));
});

Deno.test("a query that fails after some rows throws its error", () => {
  using db = openNumbers();
  const sql = "SELECT n, json -> '$' AS value FROM numbers";
  assert.throws(() => [...iterateRows((text) => db.prepare(text), sql)], /malformed JSON/);
});

Deno.test("a query with an integer that is too large for a number throws an error", () => {
  using db = openNumbers();
  db.exec("UPDATE numbers SET n = 77871542830435860 WHERE n = 50");
  assert.throws(() => [...iterateRows((text) => db.prepare(text), "SELECT n FROM numbers")], {
    code: "ERR_OUT_OF_RANGE",
  });
});
