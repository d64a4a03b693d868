/** Checksums of records. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { computeChecksum } from "../../../utils/sqlite/checksum.ts";

const text = fc.string({ unit: "grapheme", maxLength: 40 });
const bytes = fc.uint8Array({ maxLength: 40 });
const record = fc.array(
  fc.oneof(fc.constant(null), fc.maxSafeInteger(), fc.double({ noNaN: true }), text, bytes),
  { maxLength: 6 },
);

Deno.test("equal records have equal checksums, which SQLite stores exactly", () => {
  fc.assert(fc.property(record, (values) => {
    const sum = computeChecksum(values);
    assert.equal(computeChecksum(structuredClone(values)), sum);
    assert.ok(Number.isSafeInteger(sum) && sum >= 0);
  }));
});

Deno.test("each flipped bit of bytes changes the checksum", () => {
  fc.assert(fc.property(fc.uint8Array({ minLength: 1, maxLength: 30 }), text, (before, after) => {
    const sum = computeChecksum([before, after]);
    for (let bit = 0; bit < before.length * 8; bit++) {
      const flipped = before.with(bit >> 3, before[bit >> 3]! ^ (1 << (bit & 7)));
      assert.notEqual(computeChecksum([flipped, after]), sum);
    }
  }));
});

Deno.test("each flipped bit of a stored text changes the checksum", () => {
  fc.assert(fc.property(fc.string({ minLength: 1, maxLength: 6, unit: "binary" }), (text) => {
    const stored = new TextEncoder().encode(text);
    const decoder = new TextDecoder();
    const sum = computeChecksum([text]);
    for (let bit = 0; bit < stored.length * 8; bit++) {
      const flipped = decoder.decode(stored.with(bit >> 3, stored[bit >> 3]! ^ (1 << (bit & 7))));
      if (flipped !== text) assert.notEqual(computeChecksum([flipped]), sum);
    }
  }));
});

Deno.test("a value that moves to another place, or changes its type, changes the checksum", () => {
  const different = [
    ["ab", ""],
    ["a", "b"],
    ["", "ab"],
    ["ab"],
    [new Uint8Array([97, 98])],
    [1],
    ["1"],
    [1.5],
    [
      2 ** 32 + 1,
    ],
    [null],
    [],
    [0],
    [-1],
  ];
  const sums = new Set(different.map((values) => computeChecksum(values)));
  assert.equal(sums.size, different.length);
});
