/** How long to wait before another attempt, and the wait itself. */

/** The milliseconds that a `Retry-After` asks for: seconds or a date (RFC 9110); 0 where it says nothing. */
export function retryAfterMilliseconds(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = /[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
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
