import { onAbort } from "./on_abort.ts";

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
