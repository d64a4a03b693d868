/** Work on many items. */

/** Does the work for each item, for at most so many of them at the same time. */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: atOnce }, async () => {
    for (const item of queue) await work(item); // All take from the same queue.
  });
  await Promise.all(workers);
}
