/** Removes from time to time what has had its time. */
import { removeExpired } from "./engine/files.ts";
import type { ByteStore } from "./store/bytes.ts";
import type { Store } from "./store/store.ts";

/** Milliseconds between two looks. */
const INTERVAL = 5 * 60 * 1000;

/** Sweeps at once and every few minutes, until it is disposed of: that waits for the sweep in hand. */
export function sweepRegularly(store: Store, bytes: ByteStore, log: (line: string) => void): AsyncDisposable {
  const sweep = () =>
    removeExpired(store, bytes, new Date()).catch((error: unknown) => {
      log(`Expired uploads were not removed: ${error instanceof Error ? error.stack : String(error)}`);
    });
  let sweeping = sweep();
  const timer = setInterval(() => sweeping = sweeping.then(sweep), INTERVAL);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
