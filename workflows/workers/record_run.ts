/** Records runs for workers and their inputs, also as a part of a larger transaction. */
import type { SqlParameter, SqlRow } from "../../utils/postgres/sql_value.ts";
import type { BatchInput } from "../inputs/batch_input.ts";
import type { RunRecord } from "../journal/journal.ts";
import { toText } from "../journal/postgres/claimed_input.ts";

const RECORD_RUN = `
  INSERT INTO runs (id, name, digest, settings, state, "startedAt", script, concurrency, rate, priority)
  VALUES ($1, $2, $3, $4, 'open', $5, $6, $7, $8, $9)`;

const RECORD_INPUTS = `
  INSERT INTO inputs (run, number, place, value, state, outcome, "startedAt", "endedAt")
  SELECT runs.seq, added.number, added.place, added.value,
    CASE WHEN added.error IS NULL THEN 'new' ELSE 'failed' END, added.error,
    CASE WHEN added.error IS NULL THEN 0 ELSE $6::bigint END, CASE WHEN added.error IS NULL THEN NULL ELSE $6::bigint END
  FROM runs, unnest($2::integer[], $3::text[], $4::text[], $5::text[]) AS added (number, place, value, error)
  WHERE runs.id = $1
  ON CONFLICT (run, number) DO NOTHING`;

/** Number of inputs that are recorded at once. */
const GROUP_SIZE = 500;

/** Runs a statement, and returns its rows. */
export type RunStatement = (sql: string, parameters: readonly SqlParameter[]) => Promise<readonly SqlRow[]>;

/** A new run for workers. */
export interface SubmittedRecord extends Omit<RunRecord, "state"> {
  /** The script and its imports, as `packScript` has packed them. */
  readonly script: string;
  /** Number of inputs that all workers process at the same time. Default: no limit. */
  readonly concurrency?: number;
  /** Number of inputs that all workers start per second. Default: no limit. */
  readonly rate?: number;
  /** Runs with a higher priority come first. Default: 0. */
  readonly priority?: number;
}

/** An input of a run for workers. */
export interface QueuedInput extends BatchInput {
  /** Number in the run, from 1. */
  readonly number: number;
}

/** Records a run for workers. */
export async function recordRun(run: RunStatement, record: SubmittedRecord): Promise<void> {
  const { id, name, digest, settings, startedAt, script, concurrency = null, rate = null, priority = 0 } = record;
  const fields = [id, toText(name), digest, JSON.stringify(settings), startedAt, script];
  await run(RECORD_RUN, [...fields, concurrency, rate, priority]);
}

/** Records inputs. Those that are recorded already stay as they are. An invalid line is recorded as failed. */
export async function recordInputs(run: RunStatement, runId: string, inputs: readonly QueuedInput[]): Promise<void> {
  await run(RECORD_INPUTS, [
    runId,
    inputs.map(({ number }) => number),
    inputs.map(({ place }) => toText(place)),
    inputs.map(({ value }) => value === undefined ? null : JSON.stringify(value)),
    inputs.map(({ error }) => error === undefined ? null : JSON.stringify(error.toJSON())),
    Date.now(),
  ]);
}

/** Groups inputs that are recorded together. */
export async function* groupInputs(inputs: AsyncIterable<QueuedInput>): AsyncGenerator<readonly QueuedInput[]> {
  let group: QueuedInput[] = [];
  for await (const input of inputs) {
    group.push(input);
    if (group.length < GROUP_SIZE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Records that a run has all its inputs. */
export async function recordCompletion(run: RunStatement, runId: string): Promise<void> {
  await run(`UPDATE runs SET "isComplete" = true WHERE id = $1`, [runId]);
}
