import { parse } from "csv-parse/sync";

/** An event of a case. */
export interface LogEvent {
  /** Activity, e.g. `T02 Check confirmation of receipt`. */
  activity: string;
  /** Person who performed it. */
  resource: string;
  /** Group of this person. */
  group: string;
  /** Time in ISO 8601 with an offset. */
  time: string;
}

/** A case with its events. */
export interface LogCase {
  /** Key, e.g. `case-10011`. */
  key: string;
  /** Attributes without their `case:` prefix; without empty ones. */
  attributes: Record<string, string>;
  /** Events in time order. */
  events: LogEvent[];
}

/** Reads a log from a CSV file, which may be compressed: one row per event, grouped by case and ordered by time. */
export async function readLog(path: string): Promise<LogCase[]> {
  const file = await Deno.open(path);
  const bytes = path.endsWith(".gz") ? file.readable.pipeThrough(new DecompressionStream("gzip")) : file.readable;
  const rows: Record<string, string>[] = parse(await new Response(bytes).text(), { columns: true });
  const cases: LogCase[] = [];
  for (const row of rows) {
    const key = readColumn(row, "case:concept:name");
    if (cases.at(-1)?.key !== key) cases.push({ key, attributes: readAttributes(row), events: [] });
    cases.at(-1)?.events.push({
      activity: readColumn(row, "concept:name"),
      resource: readColumn(row, "org:resource"),
      group: readColumn(row, "org:group"),
      time: readColumn(row, "time:timestamp"),
    });
  }
  return cases;
}

function readAttributes(row: Record<string, string>): Record<string, string> {
  const attributes = Object.entries(row)
    .filter(([name, value]) => name.startsWith("case:") && name !== "case:concept:name" && value !== "")
    .map(([name, value]) => [name.slice("case:".length), value]);
  return Object.fromEntries(attributes);
}

function readColumn(row: Record<string, string>, name: string): string {
  const value = row[name];
  if (value === undefined) throw new Error(`The log has no column ${name}.`);
  return value;
}
