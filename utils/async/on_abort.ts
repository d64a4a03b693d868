/** Calls a listener once when a signal aborts, or at once if it has. Disposing of the result removes the listener. */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}
