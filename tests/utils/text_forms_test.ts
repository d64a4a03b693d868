import assert from "node:assert/strict";
import { listTextForms } from "../../utils/text/text_forms.ts";

Deno.test("a text has the same forms, in whichever form it is written", () => {
  const forms: [composed: string, others: string[]][] = [
    ["plain", []],
    ["\u00e9", ["e\u0301"]],
    ["\u01d6", ["u\u0308\u0304", "\u00fc\u0304"]],
    // Circumflex or breve with a tone: both marks can be the one that is composed.
    ["Vi\u1ec7t", ["Vie\u0323\u0302t", "Vi\u1eb9\u0302t", "Vi\u00ea\u0323t"]],
    // A horn, a circumflex and a single tone, as a Vietnamese keyboard and code page 1258 write them.
    ["\u1ee3 \u1ebf \u00e1", ["\u01a1\u0323 \u00ea\u0301 a\u0301", "\u01a1\u0323 \u00ea\u0301 \u00e1"]],
    ["\u1fa7", ["\u03c9\u0314\u0342\u0345", "\u1f61\u0342\u0345", "\u1f67\u0345"]],
  ];
  for (const [composed, others] of forms) {
    for (const text of [composed, ...others]) {
      const found = listTextForms(text);
      for (const form of [composed, ...others]) assert.ok(found.includes(form), `${escape(form)} of ${escape(text)}`);
      for (const form of found) assert.equal(form.normalize("NFC"), composed);
      assert.equal(found[0], composed, "records are stored in the first form");
    }
  }
});

Deno.test("the order of marks that touch each other is kept", () => {
  const text = "e\u0301\u0302"; // An acute accent below a circumflex is another letter than \u1ebf.
  assert.deepEqual(listTextForms(text), ["\u00e9\u0302", text]);
});
