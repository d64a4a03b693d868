/** Abort signals: listening to them, and waiting until they abort. */

/** Longest delay of a timer, in milliseconds. The runtime treats a longer delay as 0. */
export const MAX_TIMER = 2 ** 31 - 1;

/** Calls a listener once when a signal aborts, or at once if it has. Disposing of the result removes the listener. */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}

/** Waits for a promise. Rejects with the signal's reason if that aborts first. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  using _listening = onAbort(signal, () => aborted.reject(signal.reason));
  return await Promise.race([aborted.promise, promise]);
}

/** Resolves after some milliseconds. Rejects with the signal's reason when that aborts. */
export async function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  using _listening = signal && onAbort(signal, () => reject(signal.reason));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}
