/** Responses, and the parts of requests that identify them. */
import assert from "node:assert/strict";
import { NotFound } from "../../../service/errors.ts";
import type { Outcome } from "../../../service/http/handler.ts";
import { createSegmentReader, digestRequest, getPath, parseQuery } from "../../../service/http/receive.ts";
import { createUnauthorizedResponse, prepareResponse, respond } from "../../../service/http/responses.ts";
import { isOrigin } from "../../../service/http/cross_origin.ts";

function prepare(outcome: Outcome) {
  const { status, headers, body } = prepareResponse(outcome, 201, "/api");
  return [status, headers["content-type"], body];
}

Deno.test("the outcome of a call decides about status, type and body", () => {
  assert.deepEqual(prepare({ body: { a: 1 } }), [201, "application/json", '{"a":1}']);
  assert.deepEqual(prepare({ body: null }), [201, "application/json", "null"]);
  assert.deepEqual(prepare({ text: "" }), [201, "text/plain; charset=utf-8", ""]);
  assert.deepEqual(prepare({}), [201, undefined, ""]);
  assert.deepEqual(prepare({ result: "perElement", body: [] }), [207, "application/json", "[]"]);
  const [status, , body] = prepare({ failure: new NotFound("It is missing."), body: { a: 1 }, result: "done" });
  assert.deepEqual([status, JSON.parse(String(body)).errorClassification], [404, "Resource not found"]);
});

Deno.test("a response has the headers of its resource", () => {
  const expires = new Date("2031-04-05T06:07:08Z");
  const { headers } = respond({ tag: "t", location: "/cases/A B/ö", expires }, 200, "/api", "R-1");
  assert.deepEqual(headers, {
    "cache-control": "no-store",
    etag: "t",
    location: "/api/cases/A%20B/%C3%B6",
    expires: "Sat, 05 Apr 2031 06:07:08 GMT",
    "x-request-id": "R-1",
  });
});

Deno.test("content is sent as a file, in bytes or as base64", async () => {
  for (const isBase64 of [true, undefined]) {
    const content = { type: "text/html", name: `ä "1'.txt`, size: 4, stream: new Blob(["abcd"]).stream(), isBase64 };
    const { status, headers, body } = respond({ content }, 201, "/api", "R-1");
    assert.deepEqual([status, headers], [200, {
      "cache-control": "no-store",
      "content-type": "text/html",
      "content-length": isBase64 ? "8" : "4",
      "content-transfer-encoding": isBase64 ? "base64" : "binary",
      "x-content-type-options": "nosniff",
      "content-disposition": `attachment; filename="_ _1'.txt"; filename*=UTF-8''%C3%A4%20%221%27.txt`,
      "x-request-id": "R-1",
    }]);
    assert.equal(await new Response(body).text(), isBase64 ? "YWJjZA==" : "abcd");
  }
  const unnamed = { type: "text/plain", size: 0, stream: new Blob([]).stream() };
  assert.equal("content-disposition" in respond({ content: unnamed }, 200, "", "R-1").headers, false);
});

Deno.test("a missing token and an invalid one have different challenges", () => {
  const challenge = (hasToken: boolean) => createUnauthorizedResponse("No.", hasToken, "R").headers["www-authenticate"];
  assert.deepEqual([challenge(false), challenge(true)], [
    'Bearer realm="svc"',
    'Bearer realm="svc", error="invalid_token"',
  ]);
});

Deno.test("a request is identified by its method, target, and body or parts", () => {
  const file = {
    id: "x",
    name: "a.txt",
    type: "text/plain",
    size: 3,
    digest: "d",
    stream: () => new Blob([]).stream(),
  };
  const base = { method: "POST", target: "/a?b=1", text: "x", form: undefined };
  const requests = [
    base,
    { ...base, method: "PUT" },
    { ...base, target: "/a?b=2" },
    { ...base, text: undefined },
    { ...base, form: new Map([["a", "1"], ["b", "2"]]) },
    { ...base, form: new Map([["a", "2"], ["b", "1"]]) },
    ...[file, { ...file, name: "b" }, { ...file, type: "b" }, { ...file, size: 4 }, { ...file, digest: "e" }]
      .map((one) => ({ ...base, form: new Map([["file", one]]) })),
  ];
  assert.equal(new Set(requests.map(digestRequest)).size, requests.length);
  const again = new Map<string, string | typeof file>([["b", "2"], ["a", "1"]]);
  assert.equal(
    digestRequest({ ...base, form: again }),
    digestRequest({ ...base, form: new Map([...again].reverse()) }),
  );
  assert.equal(
    digestRequest({ ...base, form: new Map([["file", { ...file, id: "y" }]]) }),
    digestRequest({ ...base, form: new Map([["file", file]]) }),
  );
});

Deno.test("a target has a path, and a query that names each parameter once", () => {
  assert.deepEqual(["/a%2Fb?c=/d", "/a#b?c", "/a"].map(getPath), ["/a%2Fb", "/a", "/a"]);
  assert.deepEqual([...parseQuery("/a?b=1&c=%20?")], [["b", "1"], ["c", " ?"]]);
  assert.equal(parseQuery("/a").size, 0);
  assert.throws(() => parseQuery("/a?b=1&c=2&b=1"), { kind: "Invalid", message: /^The query has b more than once/ });
  const read = createSegmentReader("/cases/{caseID}/tags/{tagID}");
  const target = "/cases/A%20B/tags/x%2Fy?caseID=z";
  assert.deepEqual([read(target, "caseID"), read(target, "tagID"), read(target, "other"), read("/cases", "tagID")], [
    ...["A B", "x/y", undefined, undefined],
  ]);
  assert.throws(() => read("/cases/%C3/tags/x", "caseID"), { kind: "Invalid", message: /not percent-encoded UTF-8/ });
});

Deno.test("an origin has a scheme and a host, and nothing else", () => {
  const values = [
    "*",
    "https://desk.example",
    "http://localhost:8080",
    "https://desk.example/",
    "desk.example",
    "null",
  ];
  assert.deepEqual(values.map(isOrigin), [true, true, true, false, false, false]);
});
