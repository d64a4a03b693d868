/** A case log: one row per event, the rows of a case together and in time order. */
import { parse } from "csv-parse/sync";

/** One event of a case. */
export interface LogEvent {
  /** What was done, e.g. `T02 Check confirmation of receipt`. */
  activity: string;
  /** Who did it. */
  resource: string;
  /** The group of who did it. */
  group: string;
  /** When, in ISO 8601 with an offset. */
  time: string;
}

/** One case with its events. */
export interface LogCase {
  /** Key, e.g. `case-10011`. */
  key: string;
  /** Attributes without their `case:` prefix; empty ones are left out. */
  attributes: Record<string, string>;
  /** In time order. */
  events: LogEvent[];
}

/** Reads a log from a CSV file, packed or not. */
export async function readLog(path: string): Promise<LogCase[]> {
  const file = await Deno.open(path);
  const bytes = path.endsWith(".gz") ? file.readable.pipeThrough(new DecompressionStream("gzip")) : file.readable;
  const rows: Record<string, string>[] = parse(await new Response(bytes).text(), { columns: true });
  const cases: LogCase[] = [];
  for (const row of rows) {
    const key = column(row, "case:concept:name");
    if (cases.at(-1)?.key !== key) cases.push({ key, attributes: attributesOf(row), events: [] });
    cases.at(-1)?.events.push({
      activity: column(row, "concept:name"),
      resource: column(row, "org:resource"),
      group: column(row, "org:group"),
      time: column(row, "time:timestamp"),
    });
  }
  return cases;
}

function attributesOf(row: Record<string, string>): Record<string, string> {
  const attributes = Object.entries(row)
    .filter(([name, value]) => name.startsWith("case:") && name !== "case:concept:name" && value !== "")
    .map(([name, value]) => [name.slice("case:".length), value]);
  return Object.fromEntries(attributes);
}

function column(row: Record<string, string>, name: string): string {
  const value = row[name];
  if (value === undefined) throw new Error(`The log has no column ${name}.`);
  return value;
}
