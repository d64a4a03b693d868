/** The log of failed requests. */
import assert from "node:assert/strict";
import { FailureLog } from "../../../service/http/failure_log.ts";
import { StoppedClock } from "./_stopped_clock.ts";

Deno.test("the log has the stack of a failure once, and a line for each further request that fails like it", () => {
  const log: string[] = [];
  const failures = new FailureLog((text) => void log.push(text));
  const fail = (message: string) => new TypeError(message);
  for (const id of ["R-1", "R-2", "R-3"]) failures.reportError(fail(`broken for ${id}`), id);
  assert.match(log[0] ?? "", /^Request R-1 failed: TypeError: broken for R-1\n +at fail /);
  assert.deepEqual(log.slice(1), [
    "Request R-2 failed in the same way as request R-1: broken for R-2",
    "Request R-3 failed in the same way as request R-1: broken for R-3",
  ]);
  failures.reportError(new TypeError("elsewhere"), "R-4");
  assert.match(log[3] ?? "", /^Request R-4 failed: TypeError: elsewhere\n/);
  const error = new TypeError("without a stack");
  delete error.stack;
  failures.reportError(error, "R-5");
  failures.reportError(error, "R-6");
  assert.equal(log[5], "Request R-6 failed in the same way as request R-5: without a stack");
});

Deno.test("a full disk is one line of the log, not a line for each refused change", () => {
  const log: string[] = [];
  const failures = new FailureLog((text) => void log.push(text));
  for (let n = 1; n <= 1000; n++) failures.reportCondition("The disk of the service is full.", `R-${n}`);
  failures.reportCondition("The service has too many open files.", "R-1001");
  assert.deepEqual(log, [
    "Requests are failing, the first one is R-1: The disk of the service is full.",
    "Requests are failing, the first one is R-1001: The service has too many open files.",
  ]);
});

Deno.test("a failure is logged again after a minute, and after a hundred others", () => {
  using clock = new StoppedClock();
  const log: string[] = [];
  const failures = new FailureLog((text) => void log.push(text));
  const report = (failure: string) => {
    const before = log.length;
    failures.reportCondition(failure, "R");
    return log.length > before;
  };
  clock.time = 100_000;
  assert.deepEqual([report("full"), report("full")], [true, false]);
  clock.time = 159_999;
  assert.equal(report("full"), false);
  clock.time = 160_000;
  assert.deepEqual([report("full"), report("full")], [true, false]);
  for (let n = 1; n < 100; n++) report(`other ${n}`);
  assert.equal(report("full"), false);
  report("other 100");
  assert.equal(report("full"), true);
});
