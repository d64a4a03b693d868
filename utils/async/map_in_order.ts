/** Concurrent work with results in order, and bounded memory. */

/**
 * Works on items as they come, at most `concurrency` at a time, and gives the results in the order of the items. When
 * `lookahead` results wait for an earlier item, or those that wait are too much, no further item is begun.
 */
export async function* mapInOrder<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  concurrency: number,
  lookahead: number,
  isTooMuch: () => boolean = () => false,
): AsyncGenerator<R> {
  const source = items[Symbol.asyncIterator]();
  const begun: Promise<R>[] = [];
  let running = 0;
  let freed = Promise.withResolvers<void>();
  let exhausted = false;
  let coming: Promise<IteratorResult<T>> | undefined;
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
      freed = Promise.withResolvers();
      if (!exhausted && running < concurrency && begun.length < lookahead && !isTooMuch()) coming ??= source.next();
      const [first] = begun;
      if (coming !== undefined && await isSettled(coming)) {
        const next = await coming;
        coming = undefined;
        if (next.done) exhausted = true;
        else begin(next.value);
      } else if (first !== undefined && await isSettled(first)) yield await take(begun, first);
      else if (first === undefined && coming === undefined) return;
      // The next item may be long in coming: no result waits for it.
      else await Promise.race([first, coming, freed.promise].filter((one) => one !== undefined));
    }
  } finally {
    const ended = source.return?.();
    if (coming === undefined) await ended;
    else ended?.catch(() => {}); // It ends after the item that is awaited: nobody waits for it.
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
