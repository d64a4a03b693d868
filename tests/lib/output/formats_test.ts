import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import { ExactNumber } from "../../../utils/exact_number.ts";
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
  const hidden = [..."pay"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
  assert.equal(escapeControlCharacters(`a${hidden}`), "a\\udb40\\udc70\\udb40\\udc61\\udb40\\udc79");
  assert.equal(JSON.parse(`"${escapeControlCharacters(hidden)}"`), hidden);
  for (
    const safe of [
      "\t",
      "\n",
      "\r",
      " ",
      "é",
      "\u00a0",
      "\u200d",
      "漢",
      "\u{1f468}\u200d\u{1f469}",
      "葛\u{e0100}",
      "שלום",
    ]
  ) {
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

// Texts of numbers, dates, words and syntax that only some version of YAML reads as text.
const AMBIGUOUS = [
  ..."y n yes No ON off true null ~ = << ? - | > ! & * % @ ` # : , [ { \" '".split(" "),
  ..."1_000 1:20 190:20:30.15 017 0o17 0x1F 0b11 1e3 1.e+3 .5 +1 -2E+05 .nan -.INF 2026-01-31 2026-01-31T08:00:00Z"
    .split(" "),
  ..."a:b;a: b;a #b;- a;--- a;...;a,b;[a];12 Main Street; a;a ;\ta;a\tb;a\n;\na;a\n\n;a\n\nb;a\n b; a\nb;a \nb;a\n\tb"
    .split(
      ";",
    ),
  ..."a\u00a0;\u0085;\u2028;\ufeff;\ufffe;a\r\nb;a\rb;é;\u{1f600}".split(";"),
  "",
  "x".repeat(1200),
];
const ambiguous = fc.oneof(
  fc.constantFrom(...AMBIGUOUS),
  fc.tuple(fc.constantFrom(...AMBIGUOUS), fc.constantFrom("", " ", "\n", ":", "-"), fc.constantFrom(...AMBIGUOUS))
    .map((parts) => parts.join("")),
);
const numeric = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number === 0 ? 0 : number),
  fc.constantFrom("1e400", "1E-7", "1.10", "12345678901234567890", "-0.12345678901234567890123").map((text) => {
    return new ExactNumber(text);
  }),
);

Deno.test("readers of YAML 1.1 and 1.2 read the same texts, names and numbers", async () => {
  const value = fc.oneof(
    ambiguous,
    numeric,
    fc.array(fc.oneof(ambiguous, numeric)),
    fc.dictionary(ambiguous, ambiguous),
  );
  await fc.assert(
    fc.asyncProperty(value, async (value: JsonValue) => {
      const { text } = await render(value, { format: "yaml" }, PIPE);
      const expected = JSON.parse(JSON.stringify(value));
      for (const version of ["1.1", "1.2"] as const) assert.deepEqual(parse(text, { version }), expected, text);
    }),
    { numRuns: 300 },
  );
});

Deno.test("only a text that could be read otherwise is quoted in yaml", async () => {
  const value = {
    a: "12 Main St",
    b: "C-1",
    y: ["x y", "ä", "a:b"],
    q: ["=", "a\tb", "1e3", "1:20", "<<"],
    n: [1e21, 1e-7],
    t: "one\n\ntwo",
  };
  const { text } = await render(value, { format: "yaml" }, PIPE);
  const [plain, quoted] = ["  - x y\n  - ä\n  - a:b\n", '  - "="\n  - "a\\tb"\n  - "1e3"\n  - "1:20"\n  - "<<"\n'];
  assert.equal(
    text,
    `a: 12 Main St\nb: C-1\n"y":\n${plain}q:\n${quoted}"n":\n  - 1.0e+21\n  - 1.0e-7\nt: |-\n  one\n\n  two\n`,
  );
});
