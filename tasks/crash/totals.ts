/** What a service keeps, counted where the API does not show it: an upload that nobody uses, a number that was skipped. */
import { DatabaseSync } from "node:sqlite";

const COUNTS = `
  SELECT 'cases' AS what, count(*) AS count FROM cases
  UNION ALL SELECT 'assignments', count(*) FROM assignments
  UNION ALL SELECT 'history', count(*) FROM events
  UNION ALL SELECT 'records', count(*) FROM records
  UNION ALL SELECT 'items: ' || kind, count(*) FROM items GROUP BY kind
  UNION ALL SELECT 'numbers: ' || name, value FROM sequences`;

/** Counts by what is counted, of a service that does not run. */
export function totalsOf(data: string): Map<string, number> {
  const db = new DatabaseSync(`${data}/service.db`);
  try {
    return new Map(db.prepare(COUNTS).all().map(({ what, count }) => [String(what), Number(count)]));
  } finally {
    db.close();
  }
}

/** The totals that are not so many times those of one input, one text each. */
export function wrongTotals(
  perInput: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number>,
  inputs: number,
): string[] {
  return [...new Set([...perInput.keys(), ...found.keys()])].flatMap((what) => {
    const expected = (perInput.get(what) ?? 0) * inputs;
    const count = found.get(what) ?? 0;
    return count === expected ? [] : [`${what}: ${count} instead of ${expected}`];
  });
}
