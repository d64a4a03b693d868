import assert from "node:assert/strict";
import { splitWords } from "../../utils/text/split_words.ts";

Deno.test("a line is split at spaces outside of quotes", () => {
  const cases: [line: string, words: string[], last: string, isOpen: boolean][] = [
    ["", [], "", false],
    ["svc ", ["svc"], "", false],
    ["svc cases ge", ["svc", "cases"], "ge", false],
    ["svc get 'A B-1' --f", ["svc", "get", "A B-1"], "--f", false],
    [`svc get "A B`, ["svc", "get"], "A B", true],
    ["svc get A\\ B", ["svc", "get"], "A B", false],
    [`svc get 'it'\\''s' ''`, ["svc", "get", "it's"], "", false],
    [`svc get "" x`, ["svc", "get", ""], "x", false],
    ["svc get a\\", ["svc", "get"], "a\\", false],
  ];
  for (const [line, words, last, isOpen] of cases) assert.deepEqual(splitWords(line), { words, last, isOpen }, line);
});
