/** A while in which nothing is done. */
import { onAbort } from "./on_abort.ts";

/** Waits; rejects with the signal's reason when it aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  using _listening = signal && onAbort(signal, () => reject(signal.reason));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}
