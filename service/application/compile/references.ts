/** What one part of a definition says of another by its ID. */
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import type { Path, Report } from "../findings.ts";

/** Parts that can be referred to. */
export interface Referable<T> {
  /** What one is called, e.g. `insight`. */
  readonly kind: string;
  /** Those that are written, by ID: one that is wrong is here alone. */
  readonly written: Readonly<Record<string, unknown>>;
  /** By ID. */
  readonly compiled: ReadonlyMap<string, T>;
}

/** Parts, from how they are written and what they have become. */
export function referable<T>(
  kind: string,
  written: Referable<T>["written"],
  compiled: ReadonlyMap<string, T>,
): Referable<T> {
  return { kind, written, compiled };
}

/** Says of a part that there is none of this name, and which one may be meant. */
export function missing(kind: string, name: string, known: Iterable<string>): string {
  return `there is no ${kind} '${name}'${suggestAlternatives(name, known)}`;
}

/** The part with an ID. Where none is written that is reported; where it is wrong, that has been reported already. */
export function refer<T>(
  id: string,
  { kind, written, compiled }: Referable<T>,
  at: Path,
  report: Report,
): T | undefined {
  const found = compiled.get(id);
  if (found === undefined && !Object.hasOwn(written, id)) {
    report(at, missing(kind, id, new Set([...Object.keys(written), ...compiled.keys()])));
  }
  return found;
}

/** The parts with some IDs. */
export function referAll<T>(ids: readonly string[], parts: Referable<T>, at: Path, report: Report): T[] {
  return ids.flatMap((id, index) => refer(id, parts, [...at, index], report) ?? []);
}
