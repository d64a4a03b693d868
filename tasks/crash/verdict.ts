import type { FinishedBatch, Outcome, Reference } from "./outcome.ts";

/** Everything that is wrong with an outcome. All lists are empty if nothing is. */
export interface Verdict {
  /** Missing effects. */
  readonly lost: readonly string[];
  /** Additional effects. */
  readonly repeated: readonly string[];
  /** Keys of inputs whose effects have another order. */
  readonly disordered: readonly string[];
  /** Printed lines that differ from the reference. */
  readonly lines: readonly string[];
  /** Totals of the service that do not fit the number of inputs. */
  readonly totals: readonly string[];
  /** Errors of batches that could not be finished. */
  readonly failures: readonly string[];
}

/** Compares an outcome with the reference. */
export function judge(reference: Reference, outcome: Outcome, finished: readonly FinishedBatch[]): Verdict {
  const differences = [...outcome.effects].map(([key, found]) => ({
    key,
    ...compareEffects(reference.effects, found),
  }));
  const list = (kind: "lost" | "repeated") =>
    differences.flatMap(({ key, [kind]: effects }) => effects.map((effect) => `${key}: ${effect}`));
  return {
    lost: list("lost"),
    repeated: list("repeated"),
    disordered: differences.filter(({ isDisordered }) => isDisordered).map(({ key }) => key),
    lines: [...outcome.lines].flatMap(([key, line]) => line === reference.line ? [] : [`${key}: ${line}`]),
    totals: findWrongTotals(reference, outcome.totals, outcome.effects.size),
    failures: finished.flatMap(([, { failure }]) => failure ?? []),
  };
}

/** Lists everything that is wrong, one text each. */
export function listFaults({ lost, repeated, disordered, lines, totals, failures }: Verdict): string[] {
  return [
    ...failures.map((failure) => `not finished: ${failure.trim()}`),
    ...lines.map((line) => `different line: ${line}`),
    ...totals.map((total) => `total of ${total}`),
    ...disordered.map((key) => `different order: ${key}`),
    ...lost.map((effect) => `lost: ${effect}`),
    ...repeated.map((effect) => `repeated: ${effect}`),
  ];
}

/** The differences between two lists of effects. */
export interface EffectDifference {
  /** Expected effects that are missing, each as often as it is missing. */
  readonly lost: readonly string[];
  /** Effects that were not expected, each as often as it is additional. */
  readonly repeated: readonly string[];
  /** True if the effects are the expected ones in another order. */
  readonly isDisordered: boolean;
}

/** Compares the effects of an input with the expected ones. */
export function compareEffects(expected: readonly string[], found: readonly string[]): EffectDifference {
  const lost = subtract(expected, found);
  const repeated = subtract(found, expected);
  const isSame = lost.length === 0 && repeated.length === 0;
  return { lost, repeated, isDisordered: isSame && expected.some((effect, place) => effect !== found[place]) };
}

/** Removes the elements of another list from a list, each as often as it occurs there. */
function subtract(list: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return list.filter((element) => {
    const count = left.get(element) ?? 0;
    if (count > 0) left.set(element, count - 1);
    return count === 0;
  });
}

function findWrongTotals(
  { totals: perInput, initialTotals }: Reference,
  found: ReadonlyMap<string, number>,
  inputs: number,
): string[] {
  return [...new Set([...perInput.keys(), ...found.keys()])].flatMap((kind) => {
    const expected = (initialTotals.get(kind) ?? 0) + (perInput.get(kind) ?? 0) * inputs;
    const count = found.get(kind) ?? 0;
    return count === expected ? [] : [`${kind}: ${count} instead of ${expected}`];
  });
}
