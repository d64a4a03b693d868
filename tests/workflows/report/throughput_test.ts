import assert from "node:assert/strict";
import fc from "fast-check";
import { MAX_SPANS, Throughput } from "../../../workflows/report/throughput.ts";

Deno.test("throughput keeps every count in a bounded number of spans", () => {
  fc.assert(fc.property(fc.array(fc.maxSafeNat()), (offsets) => {
    const throughput = new Throughput(1000);
    for (const offset of offsets) throughput.add(1000 + offset, "calls");
    assert(throughput.spans.length <= MAX_SPANS);
    assert.equal(throughput.spans.reduce((sum, { calls }) => sum + calls, 0), offsets.length);
    for (const offset of offsets) assert(throughput.spans[Math.floor(offset / throughput.width)]?.calls);
  }));
});
