/** Leases of calls that wait for another system. */
import assert from "node:assert/strict";
import { CallLease, deleteEndedLeases } from "../../../service/http/call_lease.ts";
import { ServiceClock } from "../../../service/store/service_clock.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { StoppedClock } from "./_stopped_clock.ts";

/** Replaces `setInterval`. Disposing of it restores the original. */
class StoppedTimer implements Disposable {
  /** The callback of the last timer. */
  callback: (() => void) | undefined;
  /** Interval of the last timer in milliseconds. */
  interval: number | undefined;
  readonly #original = globalThis.setInterval;

  constructor() {
    Object.assign(globalThis, {
      setInterval: (callback: () => void, interval: number) => {
        Object.assign(this, { callback, interval });
        return 0;
      },
    });
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, { setInterval: this.#original });
  }
}

Deno.test("a lease ends 15 seconds after its last renewal, and only its process renews it", async () => {
  using time = new StoppedClock();
  using timer = new StoppedTimer();
  const store = openSqliteStore(":memory:");
  const clock = await ServiceClock.open(store);
  const [own, other] = [0, 1].map(() => new CallLease({ caller: "ada", key: "k" }, clock));
  assert.ok(own && other);
  const isHeld = () => store.transact((tx) => other.isHeld(tx));
  const renew = async () => {
    await using _kept = own.keep(store);
    timer.callback?.();
  };
  assert.equal(await isHeld(), false);
  await store.transact((tx) => own.take(tx));
  time.time = 14_999;
  assert.equal(await isHeld(), true);
  time.time = 15_000;
  assert.equal(await isHeld(), false);
  await renew();
  assert.deepEqual([await isHeld(), timer.interval], [false, 5000]);

  await store.transact((tx) => own.take(tx));
  time.time = 20_000;
  await renew();
  time.time = 34_999;
  assert.equal(await isHeld(), true);
  time.time = 35_000;
  assert.equal(await isHeld(), false);

  await store.transact((tx) => other.take(tx));
  await renew();
  assert.deepEqual(await store.read((tx) => Promise.all([own.isOwn(tx), other.isOwn(tx)])), [false, true]);
  await deleteEndedLeases(store, clock.now().toISOString());
  assert.equal(await isHeld(), true);
  time.time = 60_000;
  await deleteEndedLeases(store, clock.now().toISOString());
  assert.equal(await store.read((tx) => other.isOwn(tx)), false);
  await store.close();
});
