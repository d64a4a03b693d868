/**
 * Calls back when everything that this turn of the event loop sends is on its way. The runtime starts to send at the end
 * of the next turn, and sends nothing while something else is computed or waits for the disk.
 */
export function whenSent(callback: () => void): void {
  setImmediate(() => setImmediate(callback));
}
