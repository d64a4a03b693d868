/** Encoding of calls: identifiers survive the path, values survive the body, and invalid values are rejected first. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readBody, writeBody } from "../../../lib/operation/body_path.ts";
import { createCaller } from "../../../lib/client/caller.ts";
import { createClient } from "../../../lib/client/client.ts";
import { encodeRequest } from "../../../lib/client/request/encode.ts";
import type { JsonObject } from "../../../utils/json.ts";
import { DEFAULT_STYLE } from "../../../lib/operation/request_style.ts";
import { startService } from "../../../service/mod.ts";
import type { Operation, RequestOptions } from "../../../lib/operation/operation.ts";
import assignments from "../../../lib/resources/assignments.ts";
import attachments from "../../../lib/resources/attachments.ts";
import cases from "../../../lib/resources/cases.ts";
import data from "../../../lib/resources/data.ts";
import social from "../../../lib/resources/social.ts";

const identifier = fc.string({ unit: "binary", minLength: 1 })
  .filter((text) => text.isWellFormed() && text !== "." && text !== "..");

Deno.test("any identifier is one segment of the path and comes out of it unchanged", () => {
  fc.assert(fc.property(identifier, identifier, (caseId, action) => {
    const { path } = encodeRequest(cases.getAction, { caseId, action });
    const { pathname } = new URL("https://svc.example" + path);
    const segments = pathname.split("/").map(decodeURIComponent);
    assert.deepEqual(segments, ["", "cases", caseId, "actions", action]);
  }));
});

Deno.test("any query value comes out of the query unchanged", () => {
  fc.assert(fc.property(identifier, fc.uniqueArray(identifier, { minLength: 1 }), (action, ids) => {
    const { path, body } = encodeRequest(cases.bulkPerform, { action, cases: ids });
    const { searchParams } = new URL("https://svc.example" + path);
    assert.equal(searchParams.get("actionID"), action);
    assert.deepEqual(body, { cases: ids.map((ID) => ({ ID })) });
  }));
});

Deno.test("a value that is written at a path of a body is read there", () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
  fc.assert(fc.property(scalar, fc.array(fc.string(), { minLength: 1 }), (one, many) => {
    const body: JsonObject = {};
    writeBody(body, "flat", one);
    writeBody(body, "paging.pageNumber", one);
    writeBody(body, "cases[].ID", many);
    writeBody(body, "first[0].ID", one);
    writeBody(body, "first[0].relationship", one);
    assert.equal(readBody(body, "flat"), one);
    assert.equal(readBody(body, "paging.pageNumber"), one);
    assert.deepEqual(readBody(body, "cases[].ID"), many);
    assert.deepEqual(body.first, [{ ID: one, relationship: one }]);
    assert.equal(readBody(body, "first[0].relationship"), one);
    assert.equal(readBody(body, "absent[].ID"), undefined);
  }));
});

Deno.test("the error names the part of a body that blocks a path", () => {
  assert.throws(() => readBody({ cases: "C-1" }, "cases[].ID"), { message: "cases must be an array" });
  assert.throws(() => readBody({ paging: 3 }, "paging.pageNumber"), { message: "paging must hold objects" });
});

const REFUSED: [why: string, Operation, values: Record<string, unknown>, message: string][] = [
  ["an empty identifier", cases.get, { caseId: "" }, 'caseId cannot be "".'],
  ["the identifier ..", cases.get, { caseId: ".." }, 'caseId cannot be "..".'],
  ["the identifier .", cases.get, { caseId: "." }, 'caseId cannot be ".".'],
  ["another operation's word", assignments.get, { assignmentId: "next" }, 'assignmentId cannot be "next".'],
  ["half a character", cases.get, { caseId: "\ud800" }, 'caseId cannot be "\\ud800".'],
  ["a missing action", cases.getAction, { caseId: "C-1" }, "--action is required."],
  ["content that is not an object", cases.create, { type: "T", data: [] }, "--data must be a JSON object."],
  ["instructions that are not an array", cases.performAction, {
    caseId: "C-1",
    action: "a",
    pageInstructions: {},
  }, "--page-instructions must be a JSON array."],
  [
    "attachments on a refresh",
    assignments.refreshAction,
    { assignmentId: "A", action: "a", attachments: [] },
    "Attachments are accepted only by the perform and save commands.",
  ],
  ["a calculation without fields", cases.calcFields, {
    caseId: "C-1",
    view: "v",
    data: { calculations: {} },
  }, '--data must be a calculation request: {"calculations":{"fields":[{"name":".Total","context":"content"}]}}.'],
  [
    "a body with a parameter",
    data.count,
    { dataViewId: "D", params: {}, data: {} },
    "--data and --params are mutually exclusive.",
  ],
  [
    "a body with a limit",
    data.query,
    { dataViewId: "D", max: 1, data: {} },
    "--data and --max are mutually exclusive.",
  ],
  [
    "a body with a page",
    data.query,
    { dataViewId: "D", page: 1, data: {} },
    "--data and --page are mutually exclusive.",
  ],
  [
    "two page sizes",
    data.query,
    { dataViewId: "D", max: 1, pageSize: 1 },
    "--page-size and --max are mutually exclusive.",
  ],
  ["a body with a total", data.queryView, {
    dataViewId: "D",
    view: "v",
    includeTotal: true,
    data: {},
  }, "--data and --include-total are mutually exclusive."],
  ["a negative page", data.query, { dataViewId: "D", page: -1 }, "--page must be a whole number, 0 or more."],
  ["no cases", cases.bulkActions, { cases: [] }, "--cases must be a list of non-empty strings."],
  ["an unknown option", cases.get, { caseId: "C-1", colour: "red" }, "--colour is not an option of this operation."],
  [
    "an entity tag on a read",
    cases.get,
    { caseId: "C-1", ifMatch: "x" },
    "--if-match is not an option of this operation.",
  ],
  ["a query with half a character", social.searchTags, {
    searchFor: "\ud83d",
  }, "--search-for contains a lone surrogate, which an address cannot contain."],
  ["a record whose key is half a character", data.delete, {
    dataViewId: "D",
    params: { ID: "\ud83d" },
  }, "--params contains a lone surrogate, which an address cannot contain."],
  ["an entity tag that would add a header", cases.stageNext, {
    caseId: "C-1",
    ifMatch: "x\r\nHost: evil",
  }, "--if-match must be an entity tag, as the service gave it."],
];

const FILES: readonly unknown[] = [
  "plan.txt",
  new Blob(["plan"]),
  { name: 5, size: 4, stream: () => new Blob(["plan"]).stream() },
  { name: "plan.txt", size: "4", stream: () => new Blob(["plan"]).stream() },
  { name: "plan.txt", size: 4, stream: new Blob(["plan"]).stream() },
];

Deno.test("a file without a name, a size or a stream is refused before anything is sent", () => {
  for (const file of FILES) {
    const message = "--file must be a file.";
    assert.throws(() => encodeRequest(attachments.upload, { file }), { code: "INVALID_ARGS", message });
  }
});

for (const [why, operation, values, message] of REFUSED) {
  Deno.test(`${why} is refused before anything is sent`, () => {
    assert.throws(() => encodeRequest(operation, values), { name: "SvcError", code: "INVALID_ARGS", message });
  });
}

Deno.test("an invalid timeout is rejected before anything is sent", async () => {
  const caller = createCaller({ baseUrl: "http://127.0.0.1:1", clientId: "id", clientSecret: "secret", noCache: true });
  const ref = { name: "cases.get", operation: cases.get };
  for (const timeoutSeconds of [0, -1, NaN, Infinity]) {
    await assert.rejects(caller.call(ref, { caseId: "C-1" }, { timeoutSeconds }), {
      code: "INVALID_ARGS",
      operation: "cases.get",
    });
  }
});

Deno.test("a request option among the parameters, and a parameter among the options, is refused before anything is sent", async () => {
  const svc = createClient({ baseUrl: "http://127.0.0.1:1", clientId: "id", clientSecret: "secret", noCache: true });
  for (const [name, value] of Object.entries({ signal: null, timeoutSeconds: 1, idempotencyKey: "k", ifMatch: "1" })) {
    const params = { action: "a", [name]: value };
    await assert.rejects(svc.assignments.perform("A", params), {
      code: "INVALID_ARGS",
      operation: "assignments.perform",
      message: `assignments.perform("A"): ${name} is a request option, not a parameter of this operation.`,
      hint: `Pass it in the last argument, after the parameters: { ${name} }.`,
    });
  }
  const refusals: [Record<string, unknown>, string][] = [
    [{ data: {} }, "data is a parameter of this operation, not a request option."],
    [{ assignmentId: "B" }, "assignmentId is an argument of this operation, not an option."],
    [{ ifmatch: "1" }, "--ifmatch is not an option of this operation."],
  ];
  for (const [options, message] of refusals) {
    await assert.rejects(svc.assignments.perform("A", { action: "a" }, options), {
      code: "INVALID_ARGS",
      message: `assignments.perform("A"): ${message}`,
    });
  }
});

Deno.test("an invalid signal is rejected before anything is sent", async () => {
  const svc = createClient({ baseUrl: "http://127.0.0.1:1", clientId: "id", clientSecret: "secret", noCache: true });
  const options: RequestOptions = {};
  for (const signal of [new AbortController(), true, null]) {
    await assert.rejects(svc.cases.get("C-1", Object.assign(options, { signal })), {
      code: "INVALID_ARGS",
      message: 'cases.get("C-1"): signal must be an AbortSignal.',
    });
  }
});

Deno.test("a value that is not JSON is rejected as an argument, not as a failure of the network", async () => {
  const caller = createCaller({ baseUrl: "http://127.0.0.1:1", clientId: "id", clientSecret: "secret", noCache: true });
  const circle: JsonObject = {};
  circle.self = circle;
  for (const content of [circle, { large: 1n }]) {
    const refusal = { code: "INVALID_ARGS", message: /^A value is not JSON: [^\n]+\.$/ };
    const create = { name: "cases.create", operation: cases.create };
    await assert.rejects(caller.call(create, { type: "T", data: content }), refusal);
    await assert.rejects(
      caller.call({ name: "data.get", operation: data.get }, { dataViewId: "D", params: content }),
      refusal,
    );
  }
});

class Wall {
  readonly area: number;
  readonly note?: string;
  readonly #secret = 1;

  constructor(area: number) {
    this.area = area;
  }

  get doubled(): number {
    return 2 * this.area * this.#secret;
  }
}

class Hidden {
  readonly #area = 1;

  get area(): number {
    return this.#area;
  }
}

Deno.test("a value that JSON would silently turn into null or {} is rejected by its path", () => {
  const circle: { of?: unknown } = {};
  circle.of = [circle];
  const refused: [data: unknown, said: string][] = [
    [{ Area: NaN }, "--data.Area is NaN"],
    [{ Walls: [{ "Floor area": -Infinity }] }, `--data.Walls[0]["Floor area"] is -Infinity`],
    [{ Due: new Date("2026-13-01") }, "--data.Due is an invalid date"],
    [{ Walls: new Map([[1, 2]]) }, "--data.Walls is of the class Map"],
    [{ Walls: new Set([1]) }, "--data.Walls is of the class Set"],
    [{ Why: Object.assign(new TypeError("no"), { code: 1 }) }, "--data.Why is of the class TypeError"],
    [{ Pattern: /x/ }, "--data.Pattern is of the class RegExp"],
    [{ Case: Promise.resolve(1) }, "--data.Case is of the class Promise"],
    [{ Wall: new Wall(NaN) }, "--data.Wall.area is NaN"],
    [{ Wall: new Hidden() }, "--data.Wall is of the class Hidden"],
    [new Map([["Area", 1]]), "--data is of the class Map"],
    [circle, "--data.of[0] is an object that holds it"],
  ];
  for (const [data, said] of refused) {
    assert.throws(() => encodeRequest(cases.create, { type: "T", data }), {
      code: "INVALID_ARGS",
      message: `A value is not JSON: ${said}.`,
    });
  }
  assert.throws(() => encodeRequest(cases.create, { type: "T", data: new Date(0) }), /--data must be a JSON object/);
  const params = { ID: "1", Year: NaN };
  assert.throws(() => encodeRequest(data.delete, { dataViewId: "D", params }), /--params\.Year is NaN/);
  assert.throws(() => encodeRequest(data.update, { dataViewId: "D", data: params }), /--data\.Year is NaN/);
});

Deno.test("JSON values are sent as they are, also instances of the caller's classes", () => {
  const shared = { a: 1 };
  const given = {
    Due: new Date(0),
    Wall: new Wall(1),
    Bare: Object.assign(Object.create(null), { a: null }),
    Boxed: Object(5),
    Left: undefined,
    Twice: [shared, shared, {}, []],
  };
  const { body } = encodeRequest(cases.create, { type: "T", data: given });
  const content = {
    Due: "1970-01-01T00:00:00.000Z",
    Wall: { area: 1 },
    Bare: { a: null },
    Boxed: 5,
    Twice: [{ a: 1 }, { a: 1 }, {}, []],
  };
  assert.equal(JSON.stringify(body), JSON.stringify({ caseTypeID: "T", content }));
  const whole = encodeRequest(cases.create, { type: "T", data: { a: 0, toJSON: () => ({ a: 1 }) } });
  assert.deepEqual(whole.body, { caseTypeID: "T", content: { a: 1 } });
});

Deno.test("the tag of a record is read by its scalar members", () => {
  const { tagPath } = encodeRequest(data.update, { dataViewId: "D", data: { ID: "1", Year: 2, Parts: [], Owner: {} } });
  assert.equal(tagPath, "/data_views/D?dataViewParameters=" + encodeURIComponent('{"ID":"1","Year":2}'));
});

Deno.test("an undefined member of a record is not sent, neither in a query nor in a body", () => {
  const { path } = encodeRequest(data.delete, { dataViewId: "D", params: { ID: "1", Year: undefined } });
  assert.equal(path, "/data/D?ID=1");
});

Deno.test("the key of a record to delete is sent as separate parameters, or as one JSON text if the profile says so", async () => {
  const values = { dataViewId: "D", params: { ID: "1 & 2", Year: 3 } };
  const json = encodeRequest(data.delete, values, () => ({ ...DEFAULT_STYLE, recordKeys: "json" }));
  assert.equal(json.path, "/data/D?dataViewParameters=" + encodeURIComponent('{"ID":"1 & 2","Year":3}'));
  assert.equal(encodeRequest(data.delete, values).path, "/data/D?ID=1%20%26%202&Year=3");
  await using service = await startService();
  const options = { baseUrl: service.url, ...await service.addClient("clerk@city"), noCache: true };
  for (const recordKeys of ["json", "separate"] as const) {
    const svc = createClient({ ...options, recordKeys });
    await svc.data.create("D_Inspectors", { data: { ID: "I-77", Name: "Grace" } });
    await svc.data.delete("D_Inspectors", { params: { ID: "I-77" } });
    const { data: rows } = await svc.data.query("D_Inspectors");
    assert.ok(!rows?.some(({ ID }) => ID === "I-77"), recordKeys);
  }
});

Deno.test("a given tag is sent as it is and nothing is read first", () => {
  const request = encodeRequest(assignments.perform, { assignmentId: "A", action: "a", ifMatch: '"T"' });
  assert.equal(request.ifMatch, '"T"');
  assert.equal(request.tagPath, undefined);
});
