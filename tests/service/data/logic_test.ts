/** The logic of filters: precedence, parentheses and error messages. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Logic, parseLogic } from "../../../service/data/logic.ts";
import { Invalid } from "../../../service/errors.ts";

function write(logic: Logic): string {
  if ("condition" in logic) return logic.condition;
  if ("not" in logic) return `NOT (${write(logic.not)})`;
  const [parts, word] = "and" in logic ? [logic.and, " AND "] : [logic.or, " OR "];
  return `(${parts.map(write).join(word)})`;
}

const logics = fc.letrec<{ logic: Logic }>((tie) => ({
  logic: fc.oneof(
    { maxDepth: 4 },
    fc.noBias(fc.nat(10_000)).map((n) => ({ condition: `F${n}` })), // No name comes up too often.
    tie("logic").map((not) => ({ not })),
    fc.array(tie("logic"), { minLength: 2, maxLength: 3 }).map((and) => ({ and })),
    fc.array(tie("logic"), { minLength: 2, maxLength: 3 }).map((or) => ({ or })),
  ),
})).logic;

Deno.test("a logic with all parentheses parses to its tree", () => {
  fc.assert(fc.property(logics, (logic) => assert.deepEqual(parseLogic(write(logic)), logic)));
});

Deno.test("AND binds before OR, in upper or lower case", () => {
  assert.deepEqual(parseLogic("F1 or F2 and not F3"), {
    or: [{ condition: "F1" }, { and: [{ condition: "F2" }, { not: { condition: "F3" } }] }],
  });
  assert.deepEqual(parseLogic("(F1 OR F2) AND F3"), {
    and: [{ or: [{ condition: "F1" }, { condition: "F2" }] }, { condition: "F3" }],
  });
});

Deno.test("a logic with the wrong syntax is refused with the place", () => {
  const cases: [string, RegExp][] = [
    ["", /a condition is missing before its end/],
    ["F1 AND", /a condition is missing before its end/],
    ["F1 F2", /AND or OR is missing before "F2"/],
    ["(F1", /"\)" is missing before its end/],
    ["F1)", /AND or OR is missing before "\)"/],
    ["AND F1", /a condition is missing before "AND"/],
    ["(".repeat(10_000) + "F1", /nested more than 50 levels deep/],
  ];
  for (const [text, reason] of cases) {
    assert.throws(
      () => parseLogic(text),
      (error) => error instanceof Invalid && reason.test(error.message),
    );
  }
});
