/** Number of removed items after which their memory is freed. */
const FREED_AT_ONCE = 4096;

/** A queue: items are taken in the order in which they were added. */
export class Queue<T> {
  #items: T[] = [];
  #taken = 0;

  /** Number of items. */
  get length(): number {
    return this.#items.length - this.#taken;
  }

  /** First item. */
  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  /** Adds an item. */
  add(item: T): void {
    this.#items.push(item);
  }

  /** Removes the first item. */
  removeFirst(): void {
    if (this.length === 0) return;
    this.#taken++;
    if (this.#taken < FREED_AT_ONCE && this.length > 0) return;
    this.#items = this.#items.slice(this.#taken);
    this.#taken = 0;
  }
}
