/** Says what is wrong with what batches have left. */
import { compare } from "./compare.ts";
import type { EndedBatch, Left, Reference } from "./left.ts";
import { wrongTotals } from "./totals.ts";

/** What is wrong; nothing where all lists are empty. */
export interface Judgement {
  /** Effects that are missing. */
  readonly lost: readonly string[];
  /** Effects that are there more often than they should, or should not be there. */
  readonly repeated: readonly string[];
  /** Inputs whose effects are in another order. */
  readonly disordered: readonly string[];
  /** Lines that are not those of an undisturbed run. */
  readonly lines: readonly string[];
  /** Totals of the service that do not fit the number of inputs. */
  readonly totals: readonly string[];
  /** What batches that could not be finished failed with. */
  readonly failures: readonly string[];
}

/** Compares what was left with the reference. */
export function judge(reference: Reference, left: Left, ended: readonly EndedBatch[]): Judgement {
  const differences = [...left.effects].map(([key, found]) => ({ key, ...compare(reference.effects, found) }));
  const named = (kind: "lost" | "repeated") =>
    differences.flatMap(({ key, [kind]: effects }) => effects.map((effect) => `${key}: ${effect}`));
  return {
    lost: named("lost"),
    repeated: named("repeated"),
    disordered: differences.filter(({ isDisordered }) => isDisordered).map(({ key }) => key),
    lines: [...left.lines].flatMap(([key, line]) => line === reference.line ? [] : [`${key}: ${line}`]),
    totals: wrongTotals(reference.totals, left.totals, left.effects.size),
    failures: ended.flatMap(([, { failure }]) => failure ?? []),
  };
}

/** All that is wrong, one text each. */
export function faultsOf({ lost, repeated, disordered, lines, totals, failures }: Judgement): string[] {
  return [
    ...failures.map((failure) => `not finished: ${failure.trim()}`),
    ...lines.map((line) => `another line: ${line}`),
    ...totals.map((total) => `total of ${total}`),
    ...disordered.map((key) => `in another order: ${key}`),
    ...lost.map((effect) => `lost: ${effect}`),
    ...repeated.map((effect) => `repeated: ${effect}`),
  ];
}
