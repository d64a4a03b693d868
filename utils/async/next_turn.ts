/** Waits for the end of the event loop's turn, so that requests and signals that have arrived are delivered first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
