import assert from "node:assert/strict";
import { matchTexts } from "../../../cli/prompts/match_choices.ts";

Deno.test("typed text matches choices in whatever form their accents are stored", () => {
  const choices = ["Zo\u00eb", "Zoe\u0308 B", "Bo"];
  for (const typed of ["ZO\u00cb", "zoe\u0308"]) {
    assert.deepEqual(matchTexts(typed, choices, (text) => text), choices.slice(0, 2));
  }
});
