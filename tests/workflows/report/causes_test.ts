import assert from "node:assert/strict";
import { maskIdentifiers } from "../../../workflows/report/causes.ts";

Deno.test("identifiers are masked in a cause, and positions in the script are not", () => {
  const cases: [message: string, cause: string][] = [
    ["The case CITY-PERMIT-WORK P-17 cannot be found.", "The case CITY-PERMIT-WORK … cannot be found."],
    ["Request 3f2b8c1e-0d4a-4e6f-9b1a-2c3d4e5f6071 failed: 12.5 > 7", "Request … failed: … > …"],
    ["ada@example.org is unknown to us", "… is unknown to us"],
    ["The script failed: no address (script.ts:12:5)", "The script failed: no address (script.ts:12:5)"],
    ['"Address" is required', '"Address" is required'],
  ];
  for (const [message, cause] of cases) assert.equal(maskIdentifiers(message), cause);
  assert.equal(maskIdentifiers("Ann O'Neil (b*) has no fee", ["Ann O'Neil (b*)", "has"]), "… … no fee");
  assert.equal(maskIdentifiers("Other is the cause", ["the", "her"]), "Other is … cause");
});
