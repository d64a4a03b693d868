import assert from "node:assert/strict";
import { RouteTable } from "../../../service/http/route_table.ts";

function createTable(routes: readonly string[]): RouteTable<string> {
  const table = new RouteTable<string>();
  for (const route of routes) {
    const [method = "", path = ""] = route.split(" ");
    table.add(method, path, route);
  }
  return table;
}

const TABLE = createTable([
  "GET /cases/{id}",
  "PATCH /cases/{id}",
  "GET /cases/recent",
  "POST /cases/{id}/notes",
  "DELETE /cases/recent/old",
]);

Deno.test("a fixed segment goes before a variable, if it has the method and the rest of the path", () => {
  const found: [method: string, path: string, route: string | undefined][] = [
    ["GET", "/cases/recent", "GET /cases/recent"],
    ["GET", "/cases/C-1", "GET /cases/{id}"],
    ["PATCH", "/cases/recent", "PATCH /cases/{id}"],
    ["POST", "/cases/recent/notes", "POST /cases/{id}/notes"],
    ["DELETE", "/cases/recent/old", "DELETE /cases/recent/old"],
    ["DELETE", "/cases/C-1/old", undefined],
    ["GET", "/cases/%2F", "GET /cases/{id}"],
  ];
  for (const [method, path, route] of found) assert.equal(TABLE.find(method, path), route, `${method} ${path}`);
});

Deno.test("a path that is shorter, longer or empty in a variable has no route", () => {
  for (
    const path of ["", "/", "/cases", "/cases/", "/cases/C-1/", "/cases/C-1/notes/N-1", "cases/C-1", "//cases/C-1"]
  ) {
    assert.equal(TABLE.find("GET", path), undefined, path);
    assert.deepEqual(TABLE.listMethods(path), [], path);
  }
  assert.equal(TABLE.find("get", "/cases/C-1"), undefined);
  assert.equal(TABLE.find("GET", "/CASES/C-1"), undefined);
});

Deno.test("the methods of a path are those of all routes that match it", () => {
  assert.deepEqual(TABLE.listMethods("/cases/recent"), ["GET", "PATCH"]);
  assert.deepEqual(TABLE.listMethods("/cases/C-1"), ["GET", "PATCH"]);
  assert.deepEqual(TABLE.listMethods("/cases/C-1/notes"), ["POST"]);
});
