/**
 * The rows of a journal's tables as records. What this program has written itself is not checked again, but for what
 * becomes a file's name: the journal may be somebody else's.
 */
import type { SQLOutputValue } from "node:sqlite";
import { decompressText } from "../../../utils/sqlite/compress_text.ts";
import { isRunId } from "../run_id.ts";
import {
  EVENT_KINDS,
  type InputEnd,
  type InputRecord,
  RUN_STATES,
  type RunRecord,
  type RunState,
  type StoredEvent,
} from "../journal.ts";

/** A row as SQLite gives it. */
export type Row = Record<string, SQLOutputValue>;

/** A row of `runs`. */
export function runOf(row: Row): RunRecord {
  return {
    id: idIn(row),
    name: String(row.name),
    digest: String(row.digest),
    settings: JSON.parse(String(row.settings)),
    state: stateIn(row),
    startedAt: Number(row.startedAt),
    ...(row.endedAt !== null && { endedAt: Number(row.endedAt) }),
  };
}

function idIn(row: Row): string {
  const id = String(row.id);
  if (isRunId(id)) return id;
  throw new TypeError(`it has a run ${JSON.stringify(id)}, which is no identifier`);
}

/** How far the run of a row is. */
export function stateIn({ state }: Row): RunState {
  return oneOf(RUN_STATES, state);
}

/** A row of `inputs`. */
export function inputOf(row: Row): InputRecord {
  const end = endOf(row);
  return {
    number: Number(row.number),
    place: String(row.place),
    ...(row.value !== null && { value: JSON.parse(String(row.value)) }),
    startedAt: Number(row.startedAt),
    generation: Number(row.generation),
    ...(end && { end }),
    ...(row.state === "open" && row.outcome !== null && { stopped: JSON.parse(String(row.outcome)) }),
    ...(row.endedAt !== null && { endedAt: Number(row.endedAt) }),
  };
}

/** A row of `events`. */
export function eventOf(row: Row): StoredEvent {
  return {
    seq: Number(row.seq),
    kind: oneOf(EVENT_KINDS, row.kind),
    position: Number(row.position),
    at: Number(row.at),
    content: row.content instanceof Uint8Array ? decompressText(row.content) : String(row.content),
  };
}

function endOf({ state, outcome }: Row): InputEnd | undefined {
  if (state === "failed") return { state, error: JSON.parse(String(outcome)) };
  if (state !== "done") return undefined;
  return outcome === null ? { state } : { state, result: JSON.parse(String(outcome)) };
}

function oneOf<T extends string>(known: readonly T[], found: SQLOutputValue | undefined): T {
  const one = known.find((name) => name === found);
  if (one === undefined) throw new TypeError(`it has ${JSON.stringify(String(found))} for one of ${known.join(", ")}`);
  return one;
}
