/** The expressions that a client evaluates. */
import assert from "node:assert/strict";
import { isTrue, parseExpression } from "../../../lib/forms/expression.ts";
import { getAt } from "../../../lib/forms/path.ts";
import type { JsonObject } from "../../../lib/forms/mod.ts";

const CONTENT: JsonObject = {
  Kind: "Air",
  Name: 'Ada\'s "trip" to  Rio',
  Empty: "",
  Nothing: null,
  Count: 7,
  Zero: 0,
  Text: "4500",
  Cold: -3.5,
  Yes: true,
  No: false,
  YesText: "true",
  NoText: "false",
  Start: "2031-04-05",
  Home: { City: "Oslo", Zip: "0150" },
};

function evaluate(text: string): boolean | undefined {
  const expression = parseExpression(text);
  return expression && isTrue(expression((names) => getAt(CONTENT, names)));
}

/** Expressions by their result. */
const TRUE: readonly string[] = [
  ".Kind == 'Air'",
  '.Kind == "Air"',
  ".Kind != 'Sea'",
  ".Yes",
  ".Yes == true",
  ".No == false",
  ".YesText == true",
  ".NoText == false",
  ".Missing == false",
  ".Kind",
  "!.No",
  "! .Missing",
  "!(.Kind == 'Sea')",
  "!!.Yes",
  ".Kind=='Air'&&.Count==7",
  ".Kind == 'Air' && .Count > 6 && .Count < 8",
  ".Kind == 'Sea' || .Yes == true",
  ".Kind == 'Sea' && .No || .Yes",
  ".Yes || .No && .No",
  "(.Kind == 'Sea' || .Yes) && (.Count >= 7)",
  ".Kind == 'Air' AND .Yes",
  ".Kind == 'Sea' or .Yes",
  ".Kind == 'Air' and not (.No)",
  ".Count >= 7",
  ".Count <= 7.0",
  ".Text > 500",
  ".Text == 4500",
  ".Text == '4500.00'",
  ".Cold < -3",
  ".Cold == -3.5",
  ".Cold > -4",
  ".Start > '2030-12-31'",
  ".Start <= '2031-04-05'",
  ".Name CONTAINS 'trip'",
  ".Name contains '  Rio'",
  ".Name NOT_CONTAINS 'Oslo'",
  ".Name STARTS_WITH 'Ada'",
  ".Name NOT_STARTS_WITH 'Bob'",
  ".Name ENDS_WITH 'Rio'",
  ".Name NOT_ENDS_WITH 'Ada'",
  ".Name == 'Ada\\'s \"trip\" to  Rio'",
  ".Empty IS_NULL",
  ".Nothing IS_NULL",
  ".Missing is_null",
  ".Kind IS_NOT_NULL",
  ".Kind IS_IN_LIST 'Sea', 'Air'",
  ".Kind IS_IN_LIST ('Sea','Air')",
  ".Count IS_IN_LIST 1, 7",
  ".Kind IS_NOT_IN_LIST 'Sea','Rail'",
  ".Home.City == 'Oslo'",
  "'Air' == .Kind",
  ".Missing == ''",
  ".Count",
  "1",
  ".Kind == .Kind",
  ".Home.Zip == '0150'",
  "true",
];

const FALSE: readonly string[] = [
  ".Kind == 'air'",
  ".Kind == true",
  ".Kind == 'Air' && .No",
  ".Empty",
  ".Missing",
  ".No",
  ".NoText",
  "0",
  ".Zero",
  ".Missing > 5",
  ".Empty < 5",
  ".Count < 7",
  ".Name CONTAINS 'TRIP'",
  ".Kind IS_NULL",
  ".Missing IS_NOT_NULL",
  ".Kind IS_IN_LIST 'Sea'",
  ".Kind IS_NOT_IN_LIST 'Air'",
  "!.Yes",
  "!(.Kind == 'Air' || .No)",
  ".__proto__ IS_NOT_NULL",
  ".Kind.length",
  ".constructor",
  "false",
];

const UNPARSABLE: readonly string[] = [
  "",
  ".Kind === 'Air'",
  ".Kind == ",
  "== 'Air'",
  ".Kind 'Air'",
  "(.Yes",
  ".Yes)",
  ".Kind == 'Air",
  ".Yes && ",
  ".Kind ~ 'A'",
  ".Kind == Air",
  ".Kind IS_IN_LIST",
  ".Kind IS_IN_LIST ('Air'",
  ".Kind IS_IN_LIST 'Air')",
  "@E .Yes",
  ".Stops(1).City == 'Oslo'",
  "alert(1)",
  "(".repeat(100_000),
  "!".repeat(100_000) + ".Yes",
];

Deno.test("each operator of the grammar is evaluated", () => {
  for (const text of TRUE) assert.equal(evaluate(text), true, text);
  for (const text of FALSE) assert.equal(evaluate(text), false, text);
});

Deno.test("other text is not an expression, however long it is", () => {
  for (const text of UNPARSABLE) assert.equal(evaluate(text), undefined, text.slice(0, 50));
});
