/** Converts rows of the journal's tables to records. Run IDs are checked, because they become parts of file names. */
import { findReviver } from "../../utils/json.ts";
import { decompressText } from "../../utils/sqlite/compress_text.ts";
import { isRunId } from "./run_id.ts";
import {
  type CallTiming,
  EVENT_KINDS,
  type InputEnd,
  type InputRecord,
  RUN_STATES,
  type RunRecord,
  type RunState,
  type StoredEvent,
} from "./journal.ts";

/** A row of a table. Both databases have the same names of columns. */
export type Row = Readonly<Record<string, unknown>>;

/** Parses JSON that the journal has stored. Numbers keep their digits. */
function parseContent(content: unknown): ReturnType<typeof JSON.parse> {
  const text = String(content);
  return JSON.parse(text, findReviver(text));
}

/** Converts a row of `runs`. */
export function toRun(row: Row): RunRecord {
  return {
    id: toRunId(row),
    name: String(row.name),
    digest: String(row.digest),
    settings: parseContent(row.settings),
    state: toState(row),
    startedAt: Number(row.startedAt),
    ...(row.endedAt !== null && { endedAt: Number(row.endedAt) }),
    ...(row.isForWorkers === true && { isForWorkers: true }),
  };
}

function toRunId(row: Row): string {
  const id = String(row.id);
  if (isRunId(id)) return id;
  throw new TypeError(`it has the invalid run ID ${JSON.stringify(id)}`);
}

/** Reads the state of a run from its row. */
export function toState({ state }: Row): RunState {
  return oneOf(RUN_STATES, state);
}

/** Converts a row of `inputs`, and the one of `waits` if the input waits. */
export function toInput(row: Row, wait?: Row): InputRecord {
  const end = toEnd(row);
  return {
    number: Number(row.number),
    place: String(row.place),
    ...(row.value !== null && { value: parseContent(row.value) }),
    startedAt: Number(row.startedAt),
    generation: Number(row.generation),
    ...(end && { end }),
    ...(row.state === "open" && row.outcome !== null && { stopped: parseContent(row.outcome) }),
    ...(row.endedAt !== null && { endedAt: Number(row.endedAt) }),
    ...(wait !== undefined && { waitsUntil: Number(wait.until) }),
  };
}

/** Converts a row of `events`. */
export function toEvent(row: Row): StoredEvent {
  return {
    seq: Number(row.seq),
    kind: oneOf(EVENT_KINDS, row.kind),
    position: Number(row.position),
    at: Number(row.at),
    content: row.content instanceof Uint8Array ? decompressText(row.content) : String(row.content),
  };
}

/** Converts rows of events, ordered by input, to the calls of each input. Calls that have ended come first. */
export function* toTimings(rows: Iterable<Row>): Generator<CallTiming> {
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
    if (row.kind === "call") open.set(position, { input, operation: parseOperation(row), calledAt: at });
    else if (call !== undefined) {
      open.delete(position);
      yield { ...call, endedAt: at, ...(row.kind === "refusal" && { refusal: String(row.content) }) };
    }
  }
  yield* open.values();
}

function parseOperation({ content }: Row): string {
  return String(JSON.parse(String(content)).operation);
}

function toEnd({ state, outcome }: Row): InputEnd | undefined {
  if (state === "failed") return { state, error: parseContent(outcome) };
  if (state !== "done") return undefined;
  return outcome === null ? { state } : { state, result: parseContent(outcome) };
}

function oneOf<T extends string>(known: readonly T[], found: unknown): T {
  const one = known.find((name) => name === found);
  if (one === undefined) {
    throw new TypeError(`it has ${JSON.stringify(String(found))} instead of one of ${known.join(", ")}`);
  }
  return one;
}
