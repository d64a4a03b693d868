/** Removes from time to time what has had its time. */
import { removeExpired } from "../attachments/files.ts";
import { removeExpiredAnswers } from "../http/once.ts";
import type { ByteStore } from "../store/bytes.ts";
import type { Store } from "../store/store.ts";

/** Milliseconds between two looks. */
const INTERVAL = 5 * 60 * 1000;

/** Sweeps at once and every few minutes, until it is disposed of: that waits for the sweep in hand. */
export function sweepRegularly(store: Store, bytes: ByteStore, log: (line: string) => void): AsyncDisposable {
  const logged = (what: string, work: Promise<void>) =>
    work.catch((error: unknown) => {
      log(`Expired ${what} were not removed: ${error instanceof Error ? error.stack : String(error)}`);
    });
  const sweep = async () => {
    const now = new Date();
    await logged("uploads", removeExpired(store, bytes, now));
    await logged("answers", removeExpiredAnswers(store, now));
  };
  let sweeping = sweep();
  const timer = setInterval(() => sweeping = sweeping.then(sweep), INTERVAL);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
