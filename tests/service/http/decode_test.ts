/** Decoding: what the client encodes, the service reads as the same values, for every operation. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeRequest } from "../../../lib/client/request/encode.ts";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { listParams, type Operation, type Param, sendsForm } from "../../../lib/operation/operation.ts";
import attachments from "../../../lib/resources/attachments.ts";
import cases from "../../../lib/resources/cases.ts";
import data from "../../../lib/resources/data.ts";
import { loadResources } from "../../../lib/resources/mod.ts";
import { Invalid } from "../../../service/errors.ts";
import { parseJsonBody } from "../../../service/http/receive.ts";
import { createDecoder, type RequestParts } from "../../../service/http/decode.ts";
import { createSegmentReader, parseQuery } from "../../../service/http/receive.ts";

const SERVED = { variant: "hosted", platformVersion: 25 };
const resources = await loadResources();

const text = fc.oneof(
  fc.constantFrom(
    "ACME-WORK C-1",
    "A W C-1!P",
    "a/b",
    "100%",
    "%2F",
    "%25",
    "a?b#c",
    "ä😀",
    "@baseclass!X",
    "a b+c",
    "...",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
).filter((value) => value !== "." && value !== ".." && value.isWellFormed());
const json: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
const object: fc.Arbitrary<JsonObject> = fc.dictionary(fc.string({ maxLength: 5 }), json, {
  maxKeys: 4,
  noNullPrototype: true,
})
  .map((value) => JSON.parse(JSON.stringify(value)));

function valueOf(param: Param): fc.Arbitrary<unknown> {
  if (param.choices !== undefined) return fc.constantFrom(...param.choices);
  switch (param.type) {
    case "string":
      return text;
    case "integer":
      return fc.nat();
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(json, { maxLength: 3 });
    case "list":
      return fc.array(text, { minLength: 1, maxLength: 3 });
    case "calculation":
      return fc.constant({ calculations: { fields: [{ name: ".Fee", context: "content" }] } });
    default:
      return param.to === "query:*"
        ? fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
        : object;
  }
}

/** Values for an operation, without flags that exclude one another. */
function valuesOf(operation: Operation): fc.Arbitrary<JsonObject> {
  const params = listParams(operation).filter(([, param]) =>
    param.rejected === undefined && param.excludes === undefined
  );
  const required = params.filter(([, param]) => param.required).map(([name]) => name).concat(
    operation.atLeastOne ?? [],
  );
  const model = Object.fromEntries(params.map(([name, param]) => [name, valueOf(param)]));
  return fc.record(model, { requiredKeys: required, noNullPrototype: true }).map((values) =>
    JSON.parse(JSON.stringify(values))
  );
}

function partsOf(operation: Operation, path: string, body: JsonObject | undefined): RequestParts {
  const target = "/dx-api/v2" + path;
  const segment = createSegmentReader("/dx-api/v2" + operation.path);
  return { segment: (name) => segment(target, name), query: parseQuery(target), body, ifMatch: undefined };
}

function decode(operation: Operation, values: JsonObject): Record<string, unknown> {
  const { path, body } = encodeRequest(operation, values);
  return createDecoder(operation, SERVED)(partsOf(operation, path, body && JSON.parse(JSON.stringify(body))));
}

for (const [group, operations] of Object.entries(resources)) {
  for (const [name, operation] of Object.entries(operations)) {
    if (listParams(operation).some(([, param]) => param.to.startsWith("pick:"))) continue;
    if (sendsForm(operation)) continue; // Its parts are a stream: tests/service/attachments/attachments_test.ts sends some.
    // An absent body and an empty one are the same to the service.
    const whole = listParams(operation).some(([, param]) => param.to === "body:*" && !param.required);
    Deno.test(`${group}.${name}: the service decodes what the client encodes`, () => {
      fc.assert(
        fc.property(valuesOf(operation), (values) => {
          const decoded = decode(operation, values);
          const { path, body } = encodeRequest(operation, values);
          if (!whole) assert.deepEqual(withDefaults(operation, decoded), withDefaults(operation, values));
          const again = encodeRequest(operation, decoded);
          assert.deepEqual([again.path, again.body ?? {}], [path, body ?? {}]);
        }),
        { numRuns: 40 },
      );
    });
  }
}

function withDefaults(operation: Operation, values: object): object {
  const defaults = listParams(operation).map(([name, param]) => [name, param.default]);
  return { ...Object.fromEntries(defaults.filter(([, value]) => value !== undefined)), ...values };
}

function refusal(operation: Operation, parts: Partial<RequestParts>, served = SERVED): JsonObject[] {
  const segment = (name: string) => ({ caseID: "W C-1", actionID: "Edit", data_view_ID: "D", attachmentID: "A" })[name];
  try {
    createDecoder(operation, served)({
      segment,
      query: new URLSearchParams(),
      body: undefined,
      ifMatch: undefined,
      ...parts,
    });
  } catch (error) {
    assert.ok(error instanceof Invalid);
    return [...error.details];
  }
  throw new TypeError("It was not refused.");
}

Deno.test("each invalid value is a separate issue", () => {
  const found = refusal(cases.performAction, { body: { content: [], pageInstructions: {}, attachments: "x" } });
  assert.deepEqual(found.map(({ message, erroneousInputOutputIdentifier: name }) => [name, message]), [
    ["content", "content: must be a JSON object."],
    ["pageInstructions", "pageInstructions: must be a JSON array."],
    ["attachments", "attachments: must be a JSON array."],
  ]);
});

Deno.test("the error names a missing value, and a body that has no place for it", () => {
  assert.equal(refusal(cases.bulkActions, {})[0]?.message, "cases[].ID: is required.");
  assert.equal(
    refusal(cases.bulkActions, { body: { cases: "C-1" } })[0]?.message,
    "cases[].ID: cases must be an array.",
  );
  assert.equal(
    refusal(cases.bulkActions, { body: { cases: [{}] } })[0]?.message,
    "cases[].ID: must be a list of non-empty strings.",
  );
  assert.equal(refusal(cases.create, { body: [1] })[0]?.message, "The body must be a JSON object.");
  assert.deepEqual(refusal(attachments.patch, { body: { name: null } }).map(({ message }) => message), [
    "At least one of name, category is required.",
  ]);
  const query = new URLSearchParams({ dataViewParameters: "{oops" });
  for (const operation of [data.get, data.delete]) {
    const [{ message, erroneousInputOutputIdentifier: name } = {}] = refusal(operation, { query });
    assert.deepEqual([message, name], ["dataViewParameters: must be JSON.", "dataViewParameters"]);
  }
  assert.equal("erroneousInputOutputIdentifier" in (refusal(cases.recalculate, {})[0] ?? {}), false);
});

Deno.test("a parameter of another variant or version is refused with a reference to it", () => {
  const query = new URLSearchParams({ actionID: "Edit", runningMode: "async" });
  const bulk = { query, body: { cases: [{ ID: "W C-1" }] } };
  const onPremises = { variant: "on-premises", platformVersion: 24 };
  assert.equal(
    refusal(cases.bulkPerform, bulk, onPremises)[0]?.message,
    "runningMode: exists on the hosted variant only.",
  );
  const refresh = { body: { interestPage: ".Items(1)", attachments: [] } };
  assert.deepEqual(refusal(cases.refreshAction, refresh, onPremises).map(({ message }) => message), [
    "interestPage: exists from platform version 25 on; this is version 24.",
    "attachments: Attachments are accepted only by the perform and save commands.",
  ]);
});

Deno.test("operations with an entity tag receive it", () => {
  const parts = partsOf(cases.performAction, "/cases/W%20C-1/actions/Edit", {});
  assert.equal(createDecoder(cases.performAction, SERVED)({ ...parts, ifMatch: "t" }).ifMatch, "t");
  assert.equal("ifMatch" in createDecoder(cases.getAction, SERVED)({ ...parts, ifMatch: "t" }), false);
});

Deno.test("a record to delete is named by query parameters or by JSON text", () => {
  const remove = (query: string) =>
    createDecoder(data.delete, SERVED)({
      ...partsOf(data.delete, "/data/D", undefined),
      query: new URLSearchParams(query),
    });
  assert.deepEqual(remove("ID=I-1&Year=2026").params, { ID: "I-1", Year: "2026" });
  assert.deepEqual(remove("dataViewParameters=" + encodeURIComponent('{"ID":"I-1","Year":2026}')).params, {
    ID: "I-1",
    Year: 2026,
  });
  assert.equal("params" in remove(""), false);
});

Deno.test("a body with a lone surrogate in a name or a value is refused, and a complete pair is accepted", () => {
  for (const text of [String.raw`{"a":["\ud800"]}`, String.raw`{"\udc00":1}`, String.raw`["x\\\ud800"]`]) {
    assert.throws(() => parseJsonBody(text), { kind: "Invalid", message: /contains a lone surrogate/ });
  }
  assert.deepEqual(parseJsonBody(String.raw`["\ud83d\ude00","\\ud800"]`), ["😀", "\\ud800"]);
});
