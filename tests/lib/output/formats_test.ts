import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import type { JsonValue } from "../../../utils/json.ts";
import {
  escapeControlCharacters,
  escapeLines,
  escapeToOneLine,
  hasControlCharacters,
} from "../../../utils/text/control_characters.ts";
import { render } from "../../../lib/output/render.ts";
import { renderLong } from "../../../lib/output/render_long.ts";

const PIPE = { color: false, columns: undefined };

// Half of the characters are special: controls, marks that reverse text, and YAML syntax.
const character = fc.oneof(
  fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code)),
  fc.constantFrom(
    "\u061c",
    "\u200e",
    "\u2028",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\ud800",
    "é",
    "漢",
    "\u{1f600}",
    ": ",
    " #",
    "- ",
  ),
);
const text = fc.array(character, { maxLength: 8 }).map((characters) => characters.join(""));
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number === 0 ? 0 : number),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

for (const format of ["json", "compact", "yaml"] as const) {
  Deno.test(`${format} preserves the value and contains no raw control character`, async () => {
    await fc.assert(fc.asyncProperty(anyValue, async (value) => {
      const { text, notes } = await render(value, { format }, PIPE);
      assert.equal(hasControlCharacters(text), false);
      assert.ok(text.endsWith("\n"));
      if (format === "compact") assert.equal(text.indexOf("\n"), text.length - 1);
      assert.deepEqual(notes, []);
      const read = format === "yaml" ? parse(text) : JSON.parse(text);
      // YAML cannot represent a lone surrogate.
      if (format !== "yaml" || JSON.stringify(value).search(/\\ud[89a-f]/) < 0) assert.deepEqual(read, value);
    }));
  });
}

Deno.test("exactly the characters that can drive a terminal are escaped", () => {
  for (
    const unsafe of [
      "\x00",
      "\x07",
      "\x08",
      "\x0b",
      "\x1b",
      "\x7f",
      "\x85",
      "\x9b",
      "\u061c",
      "\u200f",
      "\u202a",
      "\u202e",
      "\u2066",
      "\u2069",
    ]
  ) {
    assert.equal(escapeControlCharacters(`a${unsafe}b`), `a\\u${unsafe.charCodeAt(0).toString(16).padStart(4, "0")}b`);
  }
  for (const safe of ["\t", "\n", "\r", " ", "é", "\u00a0", "\u200d", "漢", "\u{1f468}\u200d\u{1f469}", "שלום"]) {
    assert.equal(escapeControlCharacters(safe), safe);
  }
  assert.equal(escapeLines("a\tb\r\nc\rd\r\r\n\x1b"), "a\tb\nc\\rd\\r\n\\u001b");
  assert.equal(escapeToOneLine("a\tb\nc\r\x1b"), "a\\tb\\nc\\r\\u001b");
});

Deno.test("renderLong yields the text of render in pieces", async () => {
  const one = fc.record({ list: fc.array(anyValue, { maxLength: 3 }), id: text });
  await fc.assert(fc.asyncProperty(one, async ({ list, id }) => {
    for (const format of ["json", "compact", "yaml"] as const) {
      const whole = await render({ id, list }, { format }, PIPE);
      const pieces = await Array.fromAsync(renderLong(format, { id }, "list", list));
      assert.equal(pieces.join(""), whole.text);
    }
  }));
});

Deno.test("json is indented, compact is one line, and yaml is quoted or folded only if necessary", async () => {
  const value = { id: "C-1", list: [1, { a: null }], empty: {}, note: "one two ".repeat(20).trim(), lines: "a\nb\n" };
  assert.equal((await render(value, { format: "json" }, PIPE)).text, JSON.stringify(value, null, 2) + "\n");
  assert.equal((await render(value, { format: "compact" }, PIPE)).text, JSON.stringify(value) + "\n");
  assert.equal(
    (await render(value, { format: "yaml" }, PIPE)).text,
    `id: C-1\nlist:\n  - 1\n  - a: null\nempty: {}\nnote: ${value.note}\nlines: |\n  a\n  b\n`,
  );
});

Deno.test("strings that YAML 1.1 would read as other types are quoted", async () => {
  const texts = ["yes", "on", "1_000", "2026-01-31", "2026-01-31T08:00:00Z", "0o7"];
  const { text } = await render(texts, { format: "yaml" }, PIPE);
  assert.deepEqual(parse(text, { version: "1.1" }), texts);
});
