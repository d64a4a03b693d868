/** Work that can wait until the process has nothing better to do. */

/**
 * Calls back when what this turn of the event loop sends is on its way: the runtime takes that up at the end of the next
 * turn, and sends nothing while something else is computed or waits for the disk.
 */
export function whenSent(callback: () => void): void {
  setImmediate(() => setImmediate(callback));
}
