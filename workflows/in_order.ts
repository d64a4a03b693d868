/** Concurrent work with results in order, and bounded memory. */

/**
 * Works on items as they come, at most `concurrency` at a time, and gives the results in the order of the items. When
 * `lookahead` results wait for an earlier item, no further item is begun.
 */
export async function* mapInOrder<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  concurrency: number,
  lookahead: number,
): AsyncGenerator<R> {
  const source = items[Symbol.asyncIterator]();
  const begun: Promise<R>[] = [];
  let running = 0;
  let freed = Promise.withResolvers<void>();
  let exhausted = false;
  const begin = (item: T) => {
    running++;
    const result = work(item).finally(() => {
      running--;
      freed.resolve();
    });
    result.catch(() => {}); // Thrown where it is its turn.
    begun.push(result);
  };
  try {
    for (;;) {
      while (!exhausted && running < concurrency && begun.length < lookahead) {
        const next = await source.next();
        if (next.done) exhausted = true;
        else begin(next.value);
      }
      const [first] = begun;
      if (first === undefined) return;
      freed = Promise.withResolvers();
      const canBegin = !exhausted && begun.length < lookahead;
      if (canBegin && !(await isSettled(first))) await Promise.race([first.then(() => {}), freed.promise]);
      else yield await take(begun, first);
    }
  } finally {
    await source.return?.();
  }
}

async function take<R>(begun: Promise<R>[], first: Promise<R>): Promise<R> {
  const result = await first;
  begun.shift();
  return result;
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}
