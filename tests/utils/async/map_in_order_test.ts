import assert from "node:assert/strict";
import fc from "fast-check";
import { mapInOrder } from "../../../utils/async/map_in_order.ts";

Deno.test("mapInOrder keeps the limits of concurrency and lookahead, and the order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(3), { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 8 }),
      async (waits, concurrency, lookahead) => {
        let running = 0;
        let started = 0;
        let given = 0;
        async function* items() {
          for (const [i, turns] of waits.entries()) yield { i, turns };
        }
        const work = async ({ i, turns }: { i: number; turns: number }) => {
          started++;
          assert(++running <= concurrency);
          assert(started - given <= lookahead);
          for (let turn = 0; turn < turns; turn++) await new Promise((go) => setTimeout(go));
          running--;
          return i;
        };
        const order: number[] = [];
        for await (const i of mapInOrder(items(), work, concurrency, lookahead)) {
          given++;
          order.push(i);
        }
        assert.deepEqual(order, waits.map((_, i) => i));
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("a result does not wait for later items, and the iteration can end early", async () => {
  let asked = Promise.withResolvers<void>();
  async function* items() {
    for (let i = 1; i < 5; i++) {
      yield i;
      await asked.promise;
      asked = Promise.withResolvers();
    }
  }
  const order: number[] = [];
  for await (const i of mapInOrder(items(), (item) => Promise.resolve(item), 2, 64)) {
    order.push(i);
    if (i === 3) break;
    asked.resolve();
  }
  assert.deepEqual(order, [1, 2, 3]);
});

Deno.test("no item is started while too many results wait, and the order is kept", async () => {
  async function* items() {
    for (let i = 0; i < 20; i++) yield i;
  }
  const first = Promise.withResolvers<void>();
  const started: number[] = [];
  let waiting = 0;
  const work = async (item: number) => {
    started.push(item);
    if (item === 0) await first.promise;
    else if (++waiting === 5) setTimeout(first.resolve);
    return item;
  };
  const order: number[] = [];
  for await (const item of mapInOrder(items(), work, 2, 64, () => waiting >= 5)) {
    if (item === 0) assert.deepEqual(started, [0, 1, 2, 3, 4, 5]);
    waiting--;
    order.push(item);
  }
  assert.deepEqual(order, Array.from({ length: 20 }, (_, i) => i));
});
