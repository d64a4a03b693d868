/** Waits for the end of the event loop's turn, in which requests and signals that have arrived are handed over. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
