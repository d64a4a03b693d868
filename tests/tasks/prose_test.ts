import assert from "node:assert/strict";
import { findPhrases } from "../../tasks/prose.ts";

Deno.test("a banned phrase is found with its line and an alternative", () => {
  assert.deepEqual(findPhrases("// A plain line.\n// Goes on with the run.\n"), [
    { line: 2, phrase: "Goes on", instead: "continue, resume" },
  ]);
});

Deno.test("comments, names, messages and test titles are checked", () => {
  for (
    const text of [
      "/** What a step wishes. */",
      "const wayOn = 1;",
      "The file is no profile.",
      'Deno.test("what cannot be run", () => {',
      "Seconds; 30 without it.",
    ]
  ) assert.equal(findPhrases(text).length > 0, true, text);
});

Deno.test("plain sentences are not reported", () => {
  for (
    const text of [
      "There is no such file.",
      "The run is no longer open.",
      "if there is no token",
      'Deno.test("a run continues where it stopped", () => {',
      "A foreign key of the table.",
      "so many that they do not fit",
    ]
  ) assert.deepEqual(findPhrases(text), [], text);
});
