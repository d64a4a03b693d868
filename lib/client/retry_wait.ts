/** How long to wait before another attempt, and the wait itself. */
import { readRetryAfter } from "../errors.ts";

/** The milliseconds that a `Retry-After` asks for; 0 where it says nothing. */
export function retryAfterMilliseconds(retryAfter: string | undefined, now: number): number {
  const { seconds = 0, date = now } = readRetryAfter(retryAfter);
  return Math.max(seconds * 1000, date - now);
}

/** Waits; rejects with the signal's reason when it aborts. */
export async function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
