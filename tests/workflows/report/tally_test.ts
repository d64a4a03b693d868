import assert from "node:assert/strict";
import fc from "fast-check";
import { Durations } from "../../../workflows/report/tally.ts";

Deno.test("quantiles are exact below 128 milliseconds and off by less than 1 % above", () => {
  fc.assert(fc.property(
    fc.array(fc.oneof(fc.nat(300), fc.nat(10_000_000)), { minLength: 1 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (values, share) => {
      const durations = new Durations();
      values.forEach((value) => durations.add(value));
      const sorted = values.toSorted((one, other) => one - other);
      const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
      const found = durations.quantile(share);
      assert(Math.abs(found - exact) <= (exact < 128 ? 0 : exact / 100), `${found} for ${exact}`);
      assert.deepEqual([durations.count, durations.longest], [values.length, sorted.at(-1)]);
    },
  ));
});
