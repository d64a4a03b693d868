/** How the views, fields and keys that a response declares are found. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../lib/forms/mod.ts";
import { type Classes, Resources } from "../../../lib/forms/resources.ts";

const TRIP = "ACME-Demo-Work-Trip";

Deno.test("the declaration of the nearest class is found", () => {
  const entries: JsonObject[] = [
    { classID: "ACME-Other", label: "other" },
    { classID: "Work-", label: "platform" },
    { classID: "@baseclass", label: "base" },
    { classID: "ACME-Demo-Work-Trip-Long-Far", label: "grandchild" },
    { classID: "ACME-Demo-Work-Trip-Long", label: "child" },
    { classID: "ACME-Demo", label: "grandparent" },
    { classID: "ACME-Demo-Work", label: "parent" },
    { classID: "Hint-A", config: { ruleClass: TRIP }, label: "rule" },
    { classID: "Hint-B", definedOnClassID: TRIP, label: "defined" },
    { classID: TRIP, label: "own" },
    { classID: "ACME-Demo-Work-Tr", label: "not related" },
  ];
  const found: string[] = [];
  const fields = [...entries];
  while (fields.length > 0) {
    const field = new Resources({ fields: { City: fields } }).findField("City", TRIP);
    found.push(String(field?.label));
    fields.splice(fields.findIndex(({ label }) => label === field?.label), 1);
  }
  assert.deepEqual(found, [
    ...["own", "rule", "defined", "parent", "grandparent", "child", "grandchild", "platform", "base"],
    ...["other", "not related"],
  ]);
});

Deno.test("the first class for which there is a declaration decides", () => {
  const resources = new Resources({ fields: { City: [{ classID: "B" }, { classID: "A" }, { classID: "A-Long" }] } });
  const find = (...classes: Classes) => resources.findField("City", ...classes)?.classID;
  assert.deepEqual([find("A", "B"), find(undefined, "", "A"), find("C", "A-Long-Far"), find()], [
    "A",
    "A",
    "A-Long",
    "B",
  ]);
  assert.equal(resources.findField("toString"), undefined);
  assert.deepEqual(new Resources({ fields: { City: { label: "One" } } }).findField("City"), { label: "One" });
});

Deno.test("a view that is being drawn is not found again", () => {
  const [outer, inner] = [{ classID: "A" }, { classID: "B" }];
  const resources = new Resources({ views: { Address: [outer, inner] } });
  assert.equal(resources.findView("Address", ["A"], new Set()), outer);
  assert.equal(resources.findView("Address", ["A"], new Set([outer])), inner);
  assert.deepEqual([resources.isEmpty, new Resources({ views: {} }).isEmpty], [false, true]);
});

Deno.test("a paragraph is found in each of its shapes", () => {
  const text = (paragraph: JsonObject) => new Resources({ paragraphs: { P: [paragraph] } }).findParagraph("P");
  assert.equal(text({ content: "<p>One</p>" }), "One");
  assert.equal(text({ content: { htmlContent: "Two" } }), "Two");
  assert.equal(text({ htmlContent: "Three" }), "Three");
  assert.equal(text({}), "");
});

Deno.test("keys of a record are its class keys, or the parameters of its lookup", () => {
  const findKeys = (type: JsonObject) => new Resources({ dataTypes: { Depot: type } }).findKeys("Depot");
  const parameters = { id: "@P .ID", zone: ".Region", other: 1 };
  const alternate = { parameters, isAlternateKeyStorage: true };
  assert.deepEqual(findKeys({ classKeys: [".pyID"], lookupDataPageInfo: { parameters } }), ["pyID"]);
  assert.deepEqual(findKeys({ classKeys: [{ name: "pyID" }], lookupDataPageInfo: alternate }), [
    "ID",
    "Region",
    "other",
  ]);
  assert.deepEqual(findKeys({ lookupDataPageInfo: { parameters } }), ["ID", "Region", "other"]);
  assert.deepEqual(findKeys({ classKeys: ["pyID"], lookupDataPageInfo: { isAlternateKeyStorage: true } }), ["pyID"]);
  assert.deepEqual(new Resources({}).findKeys(undefined), []);
});
