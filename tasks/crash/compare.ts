/** Compares what inputs have left with what one left that nothing disturbed. */

/** What differs. */
export interface Difference {
  /** Effects that should be there and are not, or not often enough. */
  readonly lost: readonly string[];
  /** Effects that are there and should not be, or not so often. */
  readonly repeated: readonly string[];
  /** Whether the effects are those that should be there, but not in their order. */
  readonly isDisordered: boolean;
}

/** How effects differ from those that should be there. */
export function compare(expected: readonly string[], found: readonly string[]): Difference {
  const lost = without(expected, found);
  const repeated = without(found, expected);
  const isSame = lost.length === 0 && repeated.length === 0;
  return { lost, repeated, isDisordered: isSame && expected.some((effect, place) => effect !== found[place]) };
}

/** The elements of a list without those of another, each as often as it is there. */
function without(list: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return list.filter((element) => {
    const count = left.get(element) ?? 0;
    if (count > 0) left.set(element, count - 1);
    return count === 0;
  });
}
