/** Limits of failures: the counts below which they cannot be reached. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { findSafeCounts, parseMaxFailures } from "../../../workflows/runs/rate.ts";

const limits = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map(String),
  fc.double({ min: 0, max: 100, noNaN: true }).map((percent) => `${percent.toFixed(1)}%`),
);

const outcomes = fc.array(fc.boolean(), { maxLength: 60 });

function count(failed: readonly boolean[]) {
  return { done: failed.length, failed: failed.filter(Boolean).length };
}

Deno.test("a limit of failures is not reached while a count is below its safe bound, however many inputs end later", () => {
  fc.assert(fc.property(limits, outcomes, outcomes, (limit, earlier, later) => {
    const safe = findSafeCounts(limit, count(earlier));
    const now = count([...earlier, ...later]);
    const mayBeReached = now.failed >= safe.failed && now.done >= (safe.done ?? 0);
    if (parseMaxFailures(limit)(now)) assert.ok(mayBeReached);
  }));
});

Deno.test("the bounds let further inputs start unless the limit is reached", () => {
  fc.assert(fc.property(limits, outcomes, (limit, outcomes) => {
    const now = count(outcomes);
    const safe = findSafeCounts(limit, now);
    const mayBeReached = now.failed >= safe.failed && now.done >= (safe.done ?? 0);
    if (!parseMaxFailures(limit)(now)) assert.ok(!mayBeReached);
  }));
});
