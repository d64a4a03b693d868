/** Texts that PostgreSQL refuses can be stored. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { escapeJson, escapeText, unescapeJson, unescapeText } from "../../../../service/store/postgres/escape_text.ts";

const units = fc.oneof(
  fc.constantFrom("\0", "\u0001", "\u0002", "\u0003", "\ud83d", "\ude00", "\\", "u0000", "u0001", '"', "d83d"),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);
const texts = fc.array(units, { maxLength: 8 }).map((parts) => parts.join(""));

Deno.test("every text can be stored, and is read as it was", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const escaped = escapeText(text);
      assert.ok(escaped.isWellFormed() && !escaped.includes("\0"));
      assert.equal(unescapeText(escaped), text);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("the texts in JSON are converted like other texts", () => {
  fc.assert(
    fc.property(texts, texts, (name, text) => {
      const json = JSON.stringify({ [name]: [text] });
      const escaped = escapeJson(json);
      assert.deepEqual(Object.entries(JSON.parse(escaped)), [[escapeText(name), [escapeText(text)]]]);
      assert.equal(unescapeJson(escaped), json);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("stored texts keep their order by bytes", () => {
  const plain = texts.map((text) => text.toWellFormed());
  const encode = (text: string) => new TextDecoder("latin1").decode(new TextEncoder().encode(text));
  const compare = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;
  fc.assert(
    fc.property(plain, plain, (a, b) => {
      assert.equal(compare(encode(escapeText(a)), encode(escapeText(b))), compare(encode(a), encode(b)));
    }),
    { numRuns: 2000 },
  );
});
