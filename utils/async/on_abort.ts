/** Listening to a signal, which may have aborted before anybody listens. */

/** Calls back when the signal aborts, at once where it has already, unless that is disposed of before. */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}
