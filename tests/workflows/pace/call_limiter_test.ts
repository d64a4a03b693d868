/** Limits of calls per second: order, cancellation, several limits at once, and requests in blocks. */
import assert from "node:assert/strict";
import { CallLimiter, CallPacer, createLocalLimiter, type GrantSlots } from "../../../workflows/pace/call_limiter.ts";
import { SlotSequence } from "../../../workflows/pace/slots.ts";

const { signal } = new AbortController();

/** Starts calls at once, and returns when each may start, in milliseconds since the first. */
async function startAll(pacers: readonly CallPacer[], count: number): Promise<number[]> {
  const times: number[] = [];
  const calls = pacers.flatMap((pacer) =>
    Array.from({ length: count }, async () => {
      await pacer.start(1, signal);
      times.push(performance.now());
    })
  );
  await Promise.all(calls);
  return times.map((time) => time - (times[0] ?? 0));
}

/** Limits of workers that share a sequence of slots, and the number of their requests. */
function shareSequence(workers: number, perSecond: number) {
  const sequence = new SlotSequence();
  const shared = { requests: 0, limiters: new Array<CallLimiter>() };
  const grant: GrantSlots = (count, perSecond) => {
    shared.requests++;
    return Promise.resolve(sequence.grant(count, perSecond, performance.now()));
  };
  for (let worker = 0; worker < workers; worker++) shared.limiters.push(new CallLimiter(() => perSecond, grant));
  return shared;
}

/**
 * Runs work on a simulated clock. When the work waits only for timers, the clock jumps to the next one. On the real
 * clock, slots would expire if the process paused.
 */
async function withSimulatedClock<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Map<unknown, { readonly at: number; readonly act: () => void }>();
  let [now, last, isDone] = [0, 0, false];
  performance.now = () => now;
  globalThis.setTimeout = Object.assign((act: () => void, milliseconds = 0) => {
    timers.set(++last, { at: now + milliseconds, act });
    return last;
  }, setTimeout);
  globalThis.clearTimeout = (id) => void timers.delete(id);
  try {
    const result = work().finally(() => isDone = true);
    result.catch(() => {}); // Awaited below.
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve)); // All that can happen without a timer happens now.
      if (isDone) break;
      const [next] = [...timers].toSorted(([, one], [, other]) => one.at - other.at);
      if (next === undefined) assert.fail("The work waits for something other than a timer.");
      const [id, { at, act }] = next;
      timers.delete(id);
      now = at;
      act();
    }
    return await result;
  } finally {
    Reflect.deleteProperty(performance, "now");
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
}

Deno.test("calls start in order, at the intervals of the limit", async () => {
  const pacer = new CallPacer([createLocalLimiter(100)]);
  const order: number[] = [];
  const start = performance.now();
  await Promise.all([1, 2, 3, 4, 5, 6].map(async (call) => {
    await pacer.start(1, signal);
    order.push(call);
  }));
  assert.deepEqual(order, [1, 2, 3, 4, 5, 6]);
  assert.ok(performance.now() - start >= 49, "five intervals of 10 ms");
});

Deno.test("a call that sends two requests uses two slots", async () => {
  const pacer = new CallPacer([createLocalLimiter(50)]);
  const start = performance.now();
  for (let call = 0; call < 3; call++) await pacer.start(2, signal);
  assert.ok(performance.now() - start >= 99);
});

Deno.test("several workers keep to one limit together, and request slots in blocks", async () => {
  const [workers, perSecond, each] = [4, 200, 50];
  const shared = shareSequence(workers, perSecond);
  const pacers = shared.limiters.map((limiter) => new CallPacer([limiter]));
  const times = await withSimulatedClock(() => startAll(pacers, each));
  const calls = workers * each;
  const last = times.at(-1) ?? 0;
  assert.ok(calls <= (last + 100) * perSecond / 1000 + 1, `${calls} calls in ${last} ms`);
  assert.ok(shared.requests < calls / 4, `${shared.requests} requests for ${calls} calls`);
});

Deno.test("the calls of two runs keep to the limit of each run, and to that of their service", async () => {
  const service = createLocalLimiter(100);
  const limited = new CallPacer([createLocalLimiter(20), service]);
  const [slow, fast] = await Promise.all([startAll([limited], 8), startAll([new CallPacer([service])], 50)]);
  assert.ok((slow.at(-1) ?? 0) >= 7 * 50 - 100 - 1, `8 calls in ${slow.at(-1)} ms`);
  const last = Math.max(slow.at(-1) ?? 0, fast.at(-1) ?? 0);
  assert.ok(58 <= (last + 100) / 10 + 2, `58 calls in ${last} ms`);
});

Deno.test("a call that is cancelled while it waits leaves its turn to the next one", async () => {
  const pacer = new CallPacer([createLocalLimiter(5)]);
  await pacer.start(1, signal);
  const cancel = new AbortController();
  const cancelled = [pacer.start(1, cancel.signal), pacer.start(1, cancel.signal)];
  const next = pacer.start(1, signal);
  cancel.abort(new Error("Cancelled."));
  for (const call of cancelled) await assert.rejects(call, { message: "Cancelled." });
  await next;
});

Deno.test("a limit that begins and ends applies to the next call", async () => {
  let rate: number | undefined;
  const sequence = new SlotSequence();
  const limiter = new CallLimiter(
    () => rate,
    (count, perSecond) => Promise.resolve(sequence.grant(count, perSecond, performance.now())),
  );
  const pacer = new CallPacer([limiter]);
  await startAll([pacer], 100);
  rate = 20;
  const start = performance.now();
  await startAll([pacer], 3);
  assert.ok(performance.now() - start >= 99);
  rate = undefined;
  await startAll([pacer], 100);
});

Deno.test("a failed request for slots fails the call that needs them, and not the next one", async () => {
  let isFailing = true;
  const limiter = new CallLimiter(() => 10, (count) => {
    if (isFailing) return Promise.reject(new Error("No connection."));
    return Promise.resolve({ count, delay: 0, interval: 100 });
  });
  const pacer = new CallPacer([limiter]);
  await assert.rejects(pacer.start(1, signal), { message: "No connection." });
  isFailing = false;
  await pacer.start(1, signal);
});
