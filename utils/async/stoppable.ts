/** Returns the items with a function that ends them at once, even while the next one is awaited. */
export function stoppable<T>(items: AsyncIterable<T>): readonly [items: AsyncGenerator<T>, stop: () => void] {
  let isStopped = false;
  let wake = () => {};
  async function* untilStopped(): AsyncGenerator<T> {
    const source = items[Symbol.asyncIterator]();
    try {
      while (!isStopped) {
        const next = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
          wake = () => resolve(undefined);
          source.next().then(resolve, reject);
        });
        if (next === undefined || next.done) return;
        yield next.value;
      }
    } finally {
      source.return?.().catch(() => {}); // Not awaited: the source may wait for its next item.
    }
  }
  const stop = () => {
    isStopped = true;
    wake();
  };
  return [untilStopped(), stop];
}
