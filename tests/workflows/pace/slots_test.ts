/** Slots for calls: processes that share a sequence keep to its limit together. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { GRACE_MILLISECONDS, SlotSequence, UnusedSlots } from "../../../workflows/pace/slots.ts";

const WORKERS = 4;
const MAX_LATENCY = 50;

/** Attempts of workers to make calls. `after` is the time since the previous attempt. A worker without slots requests some. */
const attempts = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 150 }),
    worker: fc.nat(WORKERS - 1),
    calls: fc.integer({ min: 1, max: 8 }),
    requested: fc.integer({ min: 1, max: 10 }),
    latency: fc.integer({ min: 0, max: MAX_LATENCY }),
  }),
  { minLength: 1, maxLength: 200 },
);

Deno.test("workers that share a sequence of slots never make more calls than its rate permits, in any period", () => {
  fc.assert(
    fc.property(fc.double({ min: 0.5, max: 2000, noNaN: true }), attempts, (perSecond, attempts) => {
      const sequence = new SlotSequence();
      const workers = Array.from({ length: WORKERS }, () => ({ unused: new UnusedSlots(), freeAt: 0 }));
      const calls: number[] = [];
      let now = 0;
      for (const { after, worker, calls: wanted, requested, latency } of attempts) {
        now += after;
        const one = workers[worker];
        if (one === undefined || one.freeAt > now) continue;
        for (let call = 0; call < wanted; call++) {
          if ((one.unused.findNext(now) ?? Infinity) > now) break;
          one.unused.useNext();
          calls.push(now);
        }
        if (one.unused.length > 0) continue;
        one.unused.add(sequence.grant(requested, perSecond, now), now + latency);
        one.freeAt = now + latency;
      }
      const interval = 1000 / perSecond;
      const slack = Math.max(GRACE_MILLISECONDS, interval) + MAX_LATENCY;
      for (const [first, start] of calls.entries()) {
        for (const [index, end] of calls.entries()) {
          if (index < first) continue;
          const allowed = (end - start + slack) / interval + 1;
          assert.ok(index - first + 1 <= allowed + 1e-6, `${index - first + 1} calls in ${end - start} ms`);
        }
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("a slot can be used from its time until it expires", () => {
  const unused = new UnusedSlots();
  unused.add({ count: 3, delay: 10, interval: 20 }, 1000);
  assert.deepEqual([unused.findNext(1000), unused.last, unused.length], [1010, 1050, 3]);
  unused.useNext();
  assert.equal(unused.findNext(1030 + GRACE_MILLISECONDS), 1030);
  assert.equal(unused.findNext(1031 + GRACE_MILLISECONDS), 1050);
  assert.equal(unused.expired, 1);
});
