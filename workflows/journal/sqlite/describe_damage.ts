/** Names damaged records. */
import type { EventKind } from "../journal.ts";
import type { Row, TableName } from "./seal.ts";

/** Names of the records of each table. */
const RECORD_NAMES: Readonly<Record<Exclude<TableName, "events">, string>> = {
  runs: "the record of the run",
  inputs: "the record of the input",
  lengths: "the length of the history",
  waits: "the time until which the input waits",
  schedules: "the record of a schedule",
};

/** Names of events by kind. */
const EVENT_NAMES: Readonly<Record<string, string>> = {
  call: "the recorded call",
  sent: "the recorded idempotency key",
  answer: "the recorded response",
  refusal: "the recorded error",
  random: "a recorded random number",
  log: "a recorded line",
  left: "a recorded rewind",
  signal: "a recorded signal",
  downtime: "a recorded downtime",
  patched: "a recorded patch",
  continued: "the recorded start of the history",
  pruned: "the record of the deleted history",
} satisfies Record<EventKind, string>;

/** Describes a record that does not match its checksum. */
export function describeDamage(table: TableName, row: Row): string {
  const name = table === "events" ? EVENT_NAMES[String(row.kind)] ?? "an event" : RECORD_NAMES[table];
  return `${name} does not match its checksum`;
}
