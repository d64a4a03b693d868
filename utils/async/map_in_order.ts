import { isSettled } from "./is_settled.ts";

/**
 * Maps items concurrently and yields the results in the order of the items. No further item starts while `concurrency`
 * items are in progress, `lookahead` results wait for an earlier one, or `isTooMuch` returns true.
 */
export async function* mapInOrder<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  concurrency: number,
  lookahead: number,
  isTooMuch: () => boolean = () => false,
): AsyncGenerator<R> {
  const source = items[Symbol.asyncIterator]();
  const started: Promise<R>[] = [];
  let running = 0;
  let freed = Promise.withResolvers<void>();
  let exhausted = false;
  let pending: Promise<IteratorResult<T>> | undefined;
  const start = (item: T) => {
    running++;
    const result = work(item).finally(() => {
      running--;
      freed.resolve();
    });
    result.catch(() => {}); // Thrown when it is its turn.
    started.push(result);
  };
  try {
    for (;;) {
      freed = Promise.withResolvers();
      if (!exhausted && running < concurrency && started.length < lookahead && !isTooMuch()) pending ??= source.next();
      const [first] = started;
      if (pending !== undefined && await isSettled(pending)) {
        const next = await pending;
        pending = undefined;
        if (next.done) exhausted = true;
        else start(next.value);
      } else if (first !== undefined && await isSettled(first)) yield await take(started, first);
      else if (first === undefined && pending === undefined) return;
      // Results do not wait for the next item.
      else await Promise.race([first, pending, freed.promise].filter((one) => one !== undefined));
    }
  } finally {
    const ended = source.return?.();
    if (pending === undefined) await ended;
    else ended?.catch(() => {}); // Not awaited: it settles after the pending item.
  }
}

async function take<R>(started: Promise<R>[], first: Promise<R>): Promise<R> {
  const result = await first;
  started.shift();
  return result;
}

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
