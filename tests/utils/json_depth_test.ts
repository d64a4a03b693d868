import assert from "node:assert/strict";
import fc from "fast-check";
import { countIndented, isNestedDeeper } from "../../utils/json_depth.ts";

/** Returns how deep objects and arrays are nested. */
function measure(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(measure));
}

const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "}", ",", "a", "\u2028"), maxLength: 5 });
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    text,
    fc.integer(),
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(text, tie("value"), { minKeys: 1, maxKeys: 3 }),
  ),
}));

Deno.test("the depth and the indented length of JSON are found in its text", () => {
  fc.assert(fc.property(value, fc.integer({ min: 0, max: 7 }), (value, levels) => {
    for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      assert.equal(isNestedDeeper(json + " ".repeat(10), levels), measure(value) > levels);
    }
    assert.equal(countIndented(JSON.stringify(value)), JSON.stringify(value, null, 2).length);
  }));
});

Deno.test("an unfinished string ends the search", () => {
  assert.equal(isNestedDeeper('[[["\\"' + "[".repeat(100), 4), false);
});
