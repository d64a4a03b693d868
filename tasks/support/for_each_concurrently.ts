/** Runs work for each item, for at most `concurrency` items at a time. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: concurrency }, async () => {
    for (const item of queue) await work(item); // All workers share the queue.
  });
  await Promise.all(workers);
}
