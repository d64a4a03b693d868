/** Limits of a batch: the rate at which inputs start, and the failures after which none starts. */
import { SvcError } from "../../lib/errors.ts";
import { delay } from "../../utils/async/abort.ts";

/** Number of ended inputs from which a share of failures counts. */
const MIN_SAMPLE = 20;

/** Longest delay in milliseconds before `isOver` is checked again. */
const CHECK_MILLISECONDS = 100;

/** Yields items at a rate until `isOver` returns true. Items for which `counts` returns false are not delayed. */
export async function* limitRate<T>(
  items: AsyncIterable<T>,
  perSecond: number | undefined,
  isOver: () => boolean,
  counts: (item: T) => boolean | Promise<boolean>,
): AsyncGenerator<T> {
  if (perSecond === undefined) return yield* items;
  let next = performance.now();
  for await (const item of items) {
    if (!await counts(item)) {
      yield item;
      continue;
    }
    for (let wait = next - performance.now(); wait > 0 && !isOver(); wait = next - performance.now()) {
      await delay(Math.min(wait, CHECK_MILLISECONDS));
    }
    if (isOver()) continue;
    next = Math.max(next, performance.now() - 1000 / perSecond) + 1000 / perSecond;
    yield item;
  }
}

interface EndedCounts {
  /** Number of inputs that have ended or stopped. */
  readonly done: number;
  /** Number of these that have failed or stopped. */
  readonly failed: number;
}

/** Bounds of counts. While at least one count is below its bound, a limit of failures cannot be reached. */
export interface SafeCounts {
  /** Number of failed inputs. */
  readonly failed: number;
  /** Number of ended inputs. Undefined if only the failures have a bound. */
  readonly done?: number;
}

/** Returns counts below which a limit of failures cannot be reached, if some inputs have ended already. */
export function findSafeCounts(text: string, { done, failed }: EndedCounts): SafeCounts {
  if (!text.endsWith("%")) return { failed: Number(text) };
  const allowed = Math.floor(Number.parseFloat(text) * Math.max(done, MIN_SAMPLE) / 100);
  if (done < MIN_SAMPLE) return { failed: allowed + 1, done: MIN_SAMPLE };
  return { failed: Math.max(failed, allowed) + 1 };
}

/** Parses `<n>` or `<n>%` to a function that tells whether a batch has reached that limit of failures. */
export function parseMaxFailures(text: string): (progress: EndedCounts) => boolean {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const limit = Number(digits);
  const isValid = digits !== undefined && (percent ? limit <= 100 : Number.isInteger(limit) && limit > 0);
  if (!isValid) {
    throw new SvcError(
      "INVALID_ARGS",
      `The maximum number of failures must be an integer from 1 or a share from 0% to 100%, not ${
        JSON.stringify(text)
      }.`,
      { hint: "Use a number of inputs such as 10, or a share of the ended inputs such as 5%." },
    );
  }
  if (percent) return ({ done, failed }) => done >= MIN_SAMPLE && failed * 100 > limit * done;
  return ({ failed }) => failed >= limit;
}
