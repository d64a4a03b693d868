/** Items of which there can be enough while the next one is awaited: a pipe may never say its next word. */

/** The items, and what ends them. */
export function endable<T>(items: AsyncIterable<T>): readonly [items: AsyncGenerator<T>, end: () => void] {
  let isOver = false;
  let wake = () => {};
  async function* untilEnd(): AsyncGenerator<T> {
    const source = items[Symbol.asyncIterator]();
    try {
      while (!isOver) {
        const next = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
          wake = () => resolve(undefined);
          source.next().then(resolve, reject);
        });
        if (next === undefined || next.done) return;
        yield next.value;
      }
    } finally {
      source.return?.().catch(() => {}); // It may wait for that word: nobody waits for it.
    }
  }
  const end = () => {
    isOver = true;
    wake();
  };
  return [untilEnd(), end];
}
