/** When the calls of a run were made and answered, from rows that leave out what the calls carried. */
import type { CallTiming } from "./journal.ts";
import type { Row } from "./sqlite/rows.ts";

/** Selects what the timings of a run are made of; an answer's content stays on the disk. */
export const TIMED_EVENTS: string = `
  SELECT input, kind, position, at,
    CASE kind WHEN 'call' THEN json_extract(content, '$.operation') WHEN 'refusal' THEN content END AS content
  FROM events
  WHERE run = ? AND kind IN ('call', 'answer', 'refusal')
  ORDER BY input, seq`;

/** The calls of rows that come input by input: the answered ones first, of each input. */
export function* pairTimings(rows: Iterable<Row>): Generator<CallTiming> {
  const open = new Map<number, CallTiming>();
  let current = 0;
  for (const row of rows) {
    const input = Number(row.input);
    if (input !== current) {
      yield* open.values();
      open.clear();
      current = input;
    }
    const position = Number(row.position);
    const at = Number(row.at);
    const call = open.get(position);
    if (row.kind === "call") open.set(position, { input, operation: String(row.content), askedAt: at });
    else if (call !== undefined) {
      open.delete(position);
      yield { ...call, givenAt: at, ...(row.kind === "refusal" && { refusal: String(row.content) }) };
    }
  }
  yield* open.values();
}
