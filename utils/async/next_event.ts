import { onAbort } from "./abort.ts";

/** Resolves when one of the events has happened, the signal aborts, or after some milliseconds. Rejects as an event does. */
export async function nextEvent(
  events: Iterable<Promise<unknown>>,
  signal: AbortSignal,
  milliseconds: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  using _listening = onAbort(signal, resolve);
  try {
    await Promise.race([promise, ...events]);
  } finally {
    clearTimeout(timer);
  }
}
