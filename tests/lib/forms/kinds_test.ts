/** How the declaration of a property and its component decide about a field. */
import assert from "node:assert/strict";
import { type FieldKind, type FormField, type JsonObject, type JsonValue, readForm } from "../../../lib/forms/mod.ts";
import { body, declare, field, view } from "./_body.ts";

/** Draws one field, with its declaration if there is one. */
function draw(type: string, config: JsonObject, declared?: JsonObject, more: JsonObject = {}): FormField {
  const form = readForm(body({
    views: [view("EditTrip", [field(type, ".A", config)])],
    fields: { ...(declared && { A: declared }), B: declare("Text", "B", { datasource: { records: [{ key: "b" }] } }) },
    content: { A: "", ...more },
  }));
  const question = form.find("A");
  assert.ok(question?.type === "field", type);
  return question;
}

Deno.test("the declared type decides about the kind, and the component about kinds of texts and decimal numbers", () => {
  const expected: readonly [component: string, type: string | undefined, displayAs: string, kind: FieldKind][] = [
    ["TextInput", undefined, "", "text"],
    ["Currency", undefined, "", "currency"],
    ["Mystery", undefined, "", "text"],
    ["Mystery", "Text", "pxTextArea", "lines"],
    ["Mystery", "Decimal", "pxCurrency", "currency"],
    ["TextInput", "Text", "pxTextArea", "text"],
    ["Phone", "Text", "", "phone"],
    ["Phone", "Identifier", "", "phone"],
    ["Currency", "Text", "", "text"],
    ["Date", "Text", "", "text"],
    ["Phone", "Integer", "", "integer"],
    ["Percentage", "Decimal", "", "percentage"],
    ["Integer", "Decimal", "", "decimal"],
    ["TextInput", "Decimal", "", "decimal"],
    ["TextInput", "True-False", "", "boolean"],
    ["TextInput", "Date Time", "", "dateTime"],
    ["TextInput", "TimeOfDay", "", "time"],
    ["Dropdown", "Text", "", "choice"],
    ["Dropdown", "Integer", "", "choice"],
    ["RadioButtons", "True-False", "", "boolean"],
    ["UserReference", "Text", "", "user"],
  ];
  for (const [component, type, displayAs, kind] of expected) {
    const declared = type === undefined ? undefined : declare(type, "A", { displayAs });
    assert.equal(draw(component, {}, declared).kind, kind, `${component} ${type} ${displayAs}`);
  }
  const datasource = [{ key: "true", value: "Ja" }];
  assert.equal(draw("RadioButtons", { datasource }, declare("True-False", "A")).kind, "choice");
  assert.equal(draw("Dropdown", { datasource }, declare("Integer", "A")).keyKind, "integer");
  assert.equal(draw("Integer", {}, declare("Integer", "A")).keyKind, undefined);
});

Deno.test("only texts have a maximum length, and only amounts a currency", () => {
  const declared = { maxLength: 5 };
  assert.equal(draw("TextInput", {}, declare("Text", "A", declared)).maxLength, 5);
  assert.equal(draw("TextInput", {}, declare("Text", "A", { maxLength: "5" })).maxLength, undefined);
  assert.equal(draw("Integer", {}, declare("Integer", "A", declared)).maxLength, undefined);
  const config = { currencyISOCode: "NOK", trueLabel: "Ja", falseText: "Nei" };
  assert.equal(draw("Currency", config, declare("Decimal", "A")).currency, "NOK");
  assert.equal("currency" in draw("Decimal", config, declare("Decimal", "A")), false);
  assert.deepEqual(draw("Checkbox", config).booleanLabels, { true: "Ja", false: "Nei" });
  assert.equal("booleanLabels" in draw("TextInput", config), false);
});

Deno.test("texts around a field come from its component, and then from the declaration", () => {
  const declared = declare("Text", "Declared", { additionalInformation: "More" });
  const { label, help } = draw("TextInput", { label: "@L ", helperText: "" }, declared);
  assert.deepEqual([label, help], ["Declared", "More"]);
  assert.equal(draw("TextInput", { helperText: "Own" }, declared).help, "Own");
  assert.equal(draw("TextInput", { label: "", caption: "Caption" }).label, "Caption");
  assert.equal(draw("TextInput", { label: "" }).label, "A");
  const message = (config: JsonObject) => draw("TextInput", config).errors;
  assert.deepEqual(message({ validatemessage: "Own", messageConfig: { content: "Other" } }), ["Own"]);
  assert.deepEqual(message({ messageConfig: { content: "Shown" } }), ["Shown"]);
  assert.deepEqual(message({ messageConfig: { content: "Hidden", visibility: false } }), []);
  assert.deepEqual(message({ messageConfig: { content: "Hidden" }, showFieldMessage: "false" }), []);
});

Deno.test("a field is required or read-only by each of the members that can say so", () => {
  const isRequired = (config: JsonObject) => draw("TextInput", config).isRequired;
  assert.deepEqual([{}, { required: true }, { requiredCondition: "@E .A == ''" }].map(isRequired), [false, true, true]);
  const isReadOnly = (config: JsonObject, declared: JsonObject = {}) => {
    return draw("TextInput", config, declare("Text", "A", declared)).isReadOnly;
  };
  const readOnly = [{}, { readOnly: true }, { disabled: "true" }, { displayMode: "LABELS_LEFT" }, { displayMode: "X" }];
  assert.deepEqual(readOnly.map((config) => isReadOnly(config)), [false, true, true, true, false]);
  assert.equal(isReadOnly({}, { isDeclarativeTarget: true }), true);
});

Deno.test("choices are read from each kind of source", () => {
  const choices = (datasource: JsonValue, declared?: JsonObject, type = "Dropdown") =>
    draw(type, { datasource }, declared).choices?.map(({ key, text }) => [key, text]);
  const records = [{ key: 1, value: "One" }, { key: 2, value: "Two", text: "2nd" }, { value: "Three" }, {
    text: "None",
  }];
  const expected = [[1, "One"], [2, "2nd"], ["Three", "Three"]];
  assert.deepEqual(choices(records), expected);
  assert.deepEqual(choices({ records }), expected);
  const declared = declare("Text", "A", { datasource: { records } });
  assert.deepEqual(choices("@ASSOCIATED .A", declared), expected);
  assert.deepEqual(choices("", declared), expected);
  assert.deepEqual(choices("@ASSOCIATED .B", declared), [["b", "b"]]);
  assert.deepEqual(choices({ source: "@ASSOCIATED .A" }, declared), expected);
  assert.deepEqual(choices("@ASSOCIATED .A", declared, "Mystery"), expected);
  assert.equal(choices("", declared, "Mystery"), undefined);
  assert.equal(choices(records, undefined, "TextInput"), undefined);
  const query = (source: JsonObject, config: JsonObject = {}) => {
    const found = draw("Dropdown", config, declare("Text", "A", { datasource: { name: "D_List", ...source } })).query;
    return [found?.key, found?.text, found?.parameters, found?.columns.map(({ path }) => path).join()];
  };
  assert.deepEqual(query({ propertyForValue: "@P .Code" }), ["Code", "Code", {}, ""]);
  assert.deepEqual(query({ propertyForDisplayText: ".Name" }), ["Name", "Name", {}, ""]);
  assert.deepEqual(
    query({ propertyForValue: ".Code", propertyForDisplayText: ".Name", parameters: { a: "1" } }, {
      parameters: { b: "2" },
    }),
    ["Code", "Name", { a: "1" }, "Name"],
  );
  assert.deepEqual(query({ propertyForValue: ".Code" }, { parameters: { b: "2", c: null, d: "@P .Missing" } }), [
    "Code",
    "Code",
    {
      b: "2",
      c: "",
      d: "",
    },
    "",
  ]);
});
