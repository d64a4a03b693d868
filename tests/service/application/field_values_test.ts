/** Values of fields: the service accepts what the prompts of the command line accept. */
import assert from "node:assert/strict";
import { type FieldKind, parseInput } from "../../../lib/forms/mod.ts";
import type { Field } from "../../../service/application/model/application.ts";
import { checkFieldValue } from "../../../service/application/expressions/field_values.ts";

const VALUES: [kind: FieldKind, type: Field["type"], text: string, fits: boolean][] = [
  ["date", "Date", "2024-02-29", true],
  ["date", "Date", "2026-02-29", false],
  ["date", "Date", "20260101", false],
  ["dateTime", "DateTime", "2026-01-31T09:30:00Z", true],
  ["dateTime", "DateTime", "2026-01-31 09:30+0100", true],
  ["dateTime", "DateTime", "2026-02-30T10:00:00Z", false],
  ["dateTime", "DateTime", "2026-01-31T25:00:00Z", false],
  ["dateTime", "DateTime", "2026-01-31T09:30:00", true],
  ["dateTime", "DateTime", "2026-01-31 9", false],
  ["dateTime", "DateTime", "9999-12-31T23:30:00Z", true],
  ["dateTime", "DateTime", "9999-12-31T23:30:00-01:00", false],
  ["dateTime", "DateTime", "0000-01-01T00:30:00Z", true],
  ["dateTime", "DateTime", "0000-01-01T00:30:00+01:00", false],
  ["text", "Text", "\u{1f600}", true],
  ["text", "Text", "ab", false],
];

Deno.test("a number or date is read without the blanks around it, a text with them", () => {
  const pasted: [kind: FieldKind, typed: string, value: string | number][] = [
    ["integer", " 3 ", 3],
    ["decimal", "\t12.50", 12.5],
    ["date", "2026-01-31 ", "2026-01-31"],
    ["dateTime", " 2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"],
    ["text", " a ", " a "],
  ];
  for (const [kind, typed, value] of pasted) {
    assert.deepEqual(parseInput({ kind }, typed), { value });
  }
});

for (const [kind, type, text, fits] of VALUES) {
  Deno.test(`the prompt and the service ${fits ? "accept" : "refuse"} ${text} as a ${type}`, () => {
    const maxLength = kind === "text" ? 1 : undefined;
    const parsed = parseInput({ kind, maxLength }, text);
    const value = "value" in parsed ? parsed.value : text;
    const problem = checkFieldValue({ type, maxLength }, value);
    assert.deepEqual(["value" in parsed, problem === undefined], [fits, fits], problem);
  });
}
