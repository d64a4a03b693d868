/** Limits of a batch: how fast inputs are begun, and after how many failures no more are. */
import { SvcError } from "../../lib/errors.ts";
import { delay } from "../../utils/async/delay.ts";

/** Inputs that must have ended before a share of them says anything. */
const SAMPLE = 20;

/** Milliseconds after which it is looked again whether anybody still wants the next item. */
const LOOK = 100;

/** The items, of those that count at most so many per second, until it is said that no more are wanted. */
export async function* atRate<T>(
  items: AsyncIterable<T>,
  perSecond: number | undefined,
  isOver: () => boolean,
  counts: (item: T) => boolean | Promise<boolean> = () => true,
): AsyncGenerator<T> {
  if (perSecond === undefined) return yield* items;
  let next = performance.now();
  for await (const item of items) {
    if (!await counts(item)) {
      yield item;
      continue;
    }
    for (let wait = next - performance.now(); wait > 0 && !isOver(); wait = next - performance.now()) {
      await delay(Math.min(wait, LOOK));
    }
    if (isOver()) continue;
    next = Math.max(next, performance.now() - 1000 / perSecond) + 1000 / perSecond;
    yield item;
  }
}

/** Reads `<n>/s`, or a number alone. */
export function readRate(text: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text) ?? [];
  const rate = Number(digits);
  if (rate > 0) return rate;
  throw new SvcError("INVALID_ARGS", `--rate ${text} is no rate.`, { hint: "Write inputs per second, e.g. 5/s." });
}

/** Reads `<n>` or `<n>%`: tells whether so many inputs have failed that no further one shall be begun. */
export function readMaxFailures(text: string): (progress: { done: number; failed: number }) => boolean {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const limit = Number(digits);
  const isValid = digits !== undefined && (percent ? limit <= 100 : Number.isInteger(limit) && limit > 0);
  if (!isValid) {
    throw new SvcError("INVALID_ARGS", "--max-failures must be a whole number from 1, or a share from 0% to 100%.", {
      hint: "Write a number of inputs such as 10, or a share of those that have ended such as 5%.",
    });
  }
  if (percent) return ({ done, failed }) => done >= SAMPLE && failed * 100 > limit * done;
  return ({ failed }) => failed >= limit;
}
