import assert from "node:assert/strict";
import fc from "fast-check";
import { findJsonSyntaxError } from "../../../cli/args/find_json_syntax_error.ts";

Deno.test("valid JSON has no syntax error", () => {
  fc.assert(fc.property(fc.json(), fc.constantFrom(undefined, 1, "\t"), (json, indent) => {
    assert.equal(findJsonSyntaxError(JSON.stringify(JSON.parse(json), null, indent)), undefined);
  }));
});

Deno.test("a syntax error is found exactly in invalid JSON, at the position that the engine reports, if it reports one", () => {
  const damaged = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([json, at, junk]) => {
    const position = at % (json.length + 1);
    return json.slice(0, position) + junk + json.slice(position + 1);
  });
  fc.assert(fc.property(damaged, (text) => {
    const fault = findJsonSyntaxError(text);
    try {
      JSON.parse(text);
    } catch (error) {
      assert.ok(fault);
      const place = /Expected .* \(line (\d+) column (\d+)\)$/.exec(String(error));
      if (place) assert.deepEqual([fault.line, fault.column], [Number(place[1]), Number(place[2])]);
      return;
    }
    assert.equal(fault, undefined);
  }));
});

Deno.test("deeply nested JSON can be scanned", () => {
  assert.equal(findJsonSyntaxError("[".repeat(100_000) + "]".repeat(100_000)), undefined);
  assert.deepEqual(findJsonSyntaxError("[".repeat(100_000)), { line: 1, column: 100_001, found: "the end" });
});
