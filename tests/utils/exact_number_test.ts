/** Numbers of JSON: none is altered, and all that a `number` represents are one. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ExactNumber } from "../../utils/exact_number.ts";
import { cloneJson, parseJson } from "../../utils/json.ts";

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength });
const number = fc.tuple(
  fc.constantFrom("", "-"),
  fc.oneof(fc.constant("0"), fc.tuple(fc.constantFrom(..."123456789"), digits(22)).map((parts) => parts.join(""))),
  fc.oneof(
    fc.constant(""),
    fc.tuple(digits(22), fc.constantFrom(..."0123456789")).map((parts) => "." + parts.join("")),
  ),
  fc.oneof(fc.constant(""), fc.tuple(fc.constantFrom("e", "E+", "e-"), fc.integer({ min: 0, max: 420 })).map(String)),
).map(([sign, whole, fraction, exponent]) => sign + whole + fraction + exponent.replace(",", ""));

/** Reports whether two numbers have the same value, computed with integers. */
function isSameValue(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => {
    const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
    const [whole = "", fraction = ""] = mantissa.split(".");
    return {
      integer: BigInt(whole.replace("-", "") + fraction),
      isNegative: whole.startsWith("-"),
      scale: Number(exponent) - fraction.length,
    };
  });
  assert.ok(a !== undefined && b !== undefined);
  if (a.integer === 0n || b.integer === 0n) return a.integer === b.integer;
  const least = Math.min(a.scale, b.scale);
  const [x, y] = [a, b].map(({ integer, scale }) => integer * 10n ** BigInt(scale - least));
  return a.isNegative === b.isNegative && x === y;
}

Deno.test("a parsed number is a number exactly if that has the same value", () => {
  fc.assert(
    fc.property(number, (text) => {
      const value = parseJson(text);
      const nearest = Number(text);
      const isRepresented = Number.isFinite(nearest) && isSameValue(String(nearest), text);
      assert.deepEqual(value, isRepresented ? nearest : new ExactNumber(text));
      assert.ok(isSameValue(JSON.stringify(value), text), JSON.stringify(value));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("with keepText, JSON is written as it was read", () => {
  const scalar = fc.oneof(
    number,
    number.map((text) => `"${text} \\" ${text}"`),
    fc.constantFrom("true", "null", '"1e5"'),
  );
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie("value"), { maxLength: 4 }).map((elements) => `[${elements}]`),
      fc.array(tie("value"), { maxLength: 4 }).map((members) =>
        `{${members.map((member, i) => `"${i}.10":${member}`)}}`
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (text) => {
      const parsed = parseJson(text, { keepText: true });
      assert.equal(JSON.stringify(parsed), text);
      assert.equal(JSON.stringify(cloneJson(parsed)), text);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("an exact number is a number in arithmetic and its digits in text", () => {
  const fee = new ExactNumber("12345678901234567890.5");
  assert.equal(`${fee}`, "12345678901234567890.5");
  assert.equal(Number(fee) + 1, 12345678901234567000 + 1);
  assert.throws(() => new ExactNumber("0x10"), { name: "TypeError", message: '"0x10" is not a JSON number.' });
});
