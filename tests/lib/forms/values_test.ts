/** Typed, stored and shown values, by the kind of their field. */
import assert from "node:assert/strict";
import type { FieldKind, JsonObject, JsonValue } from "../../../lib/forms/mod.ts";
import {
  formatFieldValue,
  isSameValue,
  listFiles,
  nameFile,
  parseInput,
  toFieldValue,
  toInputText,
  toKey,
  type ValueRules,
} from "../../../lib/forms/values.ts";
import { ExactNumber } from "../../../utils/exact_number.ts";

const TIME_ZONE = "Europe/Oslo";

const CHOICES = [{ key: 2, text: "Two", row: {} }, { key: "two", text: "Pair", row: {} }];

const LABELS = { true: "On", false: "Off" };

const INTEGER = "Enter a whole number.";
const NUMBER = "Enter a number, e.g. 12.50.";
const TIME = "Enter a time, e.g. 09:30.";

Deno.test("a typed text is read by the kind of its field", () => {
  const expected: readonly [rules: ValueRules, typed: string, value: string][] = [
    [{ kind: "text" }, " a ", '" a "'],
    [{ kind: "text" }, "", '""'],
    [{ kind: "lines" }, "a\n", '"a\\n"'],
    [{ kind: "richText" }, " a", '"<p> a</p>"'],
    [{ kind: "email" }, " a ", '"a"'],
    [{ kind: "text", maxLength: 2 }, "ab", '"ab"'],
    [{ kind: "text", maxLength: 1 }, "ab", "Enter at most 1 character."],
    [{ kind: "integer" }, " +007 ", "7"],
    [{ kind: "integer" }, "-0012", "-12"],
    [{ kind: "integer" }, "12345678901234567890", "12345678901234567890"],
    [{ kind: "integer" }, "1.0", INTEGER],
    [{ kind: "integer" }, "1a", INTEGER],
    [{ kind: "decimal" }, ".5", "0.5"],
    [{ kind: "decimal" }, "5.", "5"],
    [{ kind: "decimal" }, ".", NUMBER],
    [{ kind: "currency" }, "-1.123456789012345678", "-1.123456789012345678"],
    [{ kind: "percentage" }, "1e3", NUMBER],
    [{ kind: "boolean" }, " ", "false"],
    [{ kind: "boolean" }, "TRUE", "true"],
    [{ kind: "boolean" }, "1", "true"],
    [{ kind: "boolean" }, "No", "false"],
    [{ kind: "boolean" }, "0", "false"],
    [{ kind: "boolean" }, "on", "Enter yes or no."],
    [{ kind: "boolean", booleanLabels: LABELS }, "on", "true"],
    [{ kind: "boolean", booleanLabels: LABELS }, "OFF", "false"],
    [{ kind: "date" }, "2031-02-28", '"2031-02-28"'],
    [{ kind: "dateTime" }, "2031-01-31 09:30", '"2031-01-31T08:30:00.000Z"'],
    [{ kind: "time" }, "7:05", '"07:05:00"'],
    [{ kind: "time" }, "23:59:59", '"23:59:59"'],
    [{ kind: "time" }, "24:00", TIME],
    [{ kind: "time" }, "09:60", TIME],
    [{ kind: "phone" }, "0047 22-00.(00)/00", '"+4722000000"'],
    [{ kind: "phone" }, "22+00", "Enter a phone number, e.g. +4722000000."],
    [{ kind: "choice", choices: CHOICES }, "two", '"two"'],
    [{ kind: "choice", choices: CHOICES }, "TWO", "2"],
    [{ kind: "choice", choices: CHOICES }, "2", "2"],
    [{ kind: "choice", choices: CHOICES, keyKind: "integer" }, "3", "3"],
    [{ kind: "choice", choices: CHOICES, keyKind: "integer" }, "three", '"three"'],
    [{ kind: "choice" }, "3", '"3"'],
  ];
  for (const [rules, typed, value] of expected) {
    const parsed = parseInput(rules, typed, TIME_ZONE);
    assert.equal("value" in parsed ? JSON.stringify(parsed.value) : parsed.problem, value, `${rules.kind} ${typed}`);
  }
  assert.deepEqual([toKey("integer", "3"), toKey("integer", "x"), toKey(undefined, "3")], [3, "x", "3"]);
});

Deno.test("a JSON value becomes the value of its field", () => {
  const expected: readonly [kind: FieldKind, value: JsonValue, converted: JsonValue | undefined][] = [
    ["text", null, ""],
    ["boolean", null, false],
    ["boolean", true, true],
    ["boolean", 1, undefined],
    ["integer", 7, 7],
    ["integer", 7.5, undefined],
    ["decimal", 7.5, 7.5],
    ["decimal", true, undefined],
    ["choice", 7, 7],
    ["user", { ID: "x" }, undefined],
    ["text", 7, "7"],
    ["phone", 4722, "4722"],
    ["text", ["a"], undefined],
  ];
  for (const [kind, value, converted] of expected) {
    const parsed = toFieldValue({ kind }, value, TIME_ZONE);
    assert.deepEqual("value" in parsed ? parsed.value : undefined, converted, `${kind} ${JSON.stringify(value)}`);
  }
});

Deno.test("values that mean the same are the same", () => {
  const same: readonly [kind: FieldKind, one: JsonValue | undefined, other: JsonValue | undefined][] = [
    ["boolean", undefined, false],
    ["boolean", null, "no"],
    ["boolean", "TRUE", true],
    ["text", undefined, ""],
    ["text", null, []],
    ["text", { a: 1 }, { a: 1 }],
    ["user", { userId: "ada", userName: "Ada" }, "ada"],
    ["dateTime", "2031-04-05T23:15:00Z", "2031-04-05T23:15:00.000Z"],
    ["time", "07:05", "07:05:00"],
    ["phone", "0047 22 00", "+472200"],
    ["integer", "007", 7],
    ["decimal", "2.50", 2.5],
    ["decimal", "+2.0", 2],
    ["currency", new ExactNumber("1.123456789012345678"), "1.1234567890123456780"],
  ];
  const different: typeof same = [
    ["boolean", true, undefined],
    ["boolean", "yes", true],
    ["text", "2.50", "2.5"],
    ["text", "a b", "ab"],
    ["text", "07:05", "07:05:00"],
    ["text", { a: 1 }, { a: 2 }],
    ["text", { userId: "ada" }, "ada"],
    ["user", { userId: "" }, ""],
    ["time", "07:05:30", "07:05"],
    ["dateTime", "soon", "later"],
    ["integer", 10, 1],
    ["decimal", "1,5", "1.5"],
    ["decimal", -2, 2],
    ["currency", new ExactNumber("1.123456789012345678"), "1.123456789012345679"],
  ];
  for (const [kind, one, other] of same) {
    assert.ok(isSameValue(kind, one, other) && isSameValue(kind, other, one), `${kind} ${one} ${other}`);
  }
  for (const [kind, one, other] of different) {
    assert.ok(!isSameValue(kind, one, other) && !isSameValue(kind, other, one), `${kind} ${one} ${other}`);
  }
});

Deno.test("values are shown to people by the kind of their field, and a prompt begins with what can be typed", () => {
  const expected: readonly [rules: ValueRules & { currency?: string }, JsonValue | undefined, string, input: string][] =
    [
      [{ kind: "boolean" }, undefined, "", ""],
      [{ kind: "boolean" }, null, "", ""],
      [{ kind: "boolean" }, "True", "Yes", "True"],
      [{ kind: "boolean", booleanLabels: LABELS }, true, "On", "true"],
      [{ kind: "boolean", booleanLabels: LABELS }, "", "Off", ""],
      [{ kind: "boolean", booleanLabels: { true: "", false: "" } }, false, "No", "false"],
      [{ kind: "integer" }, 0, "0", "0"],
      [{ kind: "text" }, [], "", ""],
      [{ kind: "text" }, ["a", { b: 1 }, 2], "a, 2", ""],
      [{ kind: "text" }, { pyLabel: "Plan" }, "Plan", ""],
      [{ kind: "text" }, { other: "Plan" }, "", ""],
      [{ kind: "choice", choices: CHOICES }, "2", "Two", "2"],
      [{ kind: "choice", choices: CHOICES }, "3", "3", "3"],
      [{ kind: "dateTime" }, "2031-01-31T08:30:00.000Z", "2031-01-31 09:30", "2031-01-31 09:30"],
      [{ kind: "time" }, "07:05:00", "07:05", "07:05"],
      [{ kind: "time" }, "07:05:30", "07:05:30", "07:05:30"],
      [{ kind: "percentage" }, 7.5, "7.5 %", "7.5"],
      [{ kind: "currency" }, 999, "999.00", "999"],
      [{ kind: "currency", currency: "NOK" }, "-1234567.5", "NOK -1,234,567.50", "-1234567.5"],
      [{ kind: "currency" }, "1000.125", "1,000.125", "1000.125"],
      [{ kind: "currency" }, "much", "much", "much"],
      [{ kind: "richText" }, "<p>a</p><p>b</p>", "a\nb", "a\nb"],
    ];
  for (const [rules, value, text, input] of expected) {
    const name = `${rules.kind} ${JSON.stringify(value)}`;
    assert.equal(formatFieldValue(rules, value, TIME_ZONE), text, name);
    assert.equal(toInputText(rules, value, TIME_ZONE), input, name);
  }
});

Deno.test("the files of a field are those with a name or an entry, in their places", () => {
  const file: JsonObject = { pyFileName: "a.pdf" };
  assert.deepEqual(listFiles(undefined), []);
  assert.deepEqual(listFiles(file), [{ file, position: 0 }]);
  assert.deepEqual(listFiles({ pxResults: [{}, file] }), [{ file, position: 1 }]);
  assert.deepEqual(listFiles([{ pxResults: [file, { ID: "b" }] }, {}, { pyCount: "1" }, { pyCount: "0" }]), [
    { file, position: 0 },
    { file: { pyCount: "1" }, position: 2 },
  ]);
  assert.deepEqual([file, { ID: "b", name: "B" }, { fileName: "", ID: "c" }, {}].map(nameFile), [
    ...["a.pdf", "B", "c", "File"],
  ]);
});
