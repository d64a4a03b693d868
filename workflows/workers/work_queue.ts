/** The runs, inputs and workers of a journal in PostgreSQL, as the processes that share them need them. */
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import type { SqlParameter, SqlRow } from "../../utils/postgres/sql_value.ts";
import type { RunRecord } from "../journal/journal.ts";
import { type ClaimedInput, toText } from "../journal/postgres/claimed_input.ts";
import { type PostgresJournal, toInputRecord } from "../journal/postgres/postgres_journal.ts";
import { LEASE_SECONDS, type WorkerState } from "../journal/postgres/session.ts";
import { toRun } from "../journal/rows.ts";
import { type InputResult, toInputResult } from "../runs/batch.ts";
import type { SafeCounts } from "../runs/rate.ts";
import { toRecordedError } from "../engine/history.ts";
import {
  type QueuedInput,
  recordCompletion,
  recordInputs,
  recordRun,
  type RunStatement,
  type SubmittedRecord,
} from "./record_run.ts";

/** Most inputs that start at once after a pause of a run with a rate, as the time in which they would have started. */
const BURST_MILLISECONDS = 250;

/** Number of ended inputs that are read at once. */
const PAGE = 200;

const HAS_FREE_INPUTS = `
  EXISTS (
    SELECT 1 FROM inputs WHERE inputs.run = runs.seq
      AND worker IS NULL AND until IS NULL AND outcome IS NULL AND inputs.state IN ('new', 'open')
  ) OR EXISTS (
    SELECT 1 FROM inputs WHERE inputs.run = runs.seq
      AND until <= extract(epoch FROM now()) * 1000 AND worker IS NULL AND outcome IS NULL
  )`;

const LIST_WORK = `
  SELECT id, name, digest, settings, state, "startedAt", "endedAt" FROM runs
  WHERE script IS NOT NULL AND state = 'open' AND NOT "hasReachedMaxFailures" AND (${HAS_FREE_INPUTS})
  ORDER BY priority DESC, seq LIMIT 100`;

/** Locks a run, so that its limits hold for all workers. The next statement sees what others took before. */
const LOCK_RUN = "SELECT seq FROM runs WHERE id = $1 FOR UPDATE";

/** Takes inputs: first those that this worker took without learning it, then those whose wait is over, then the others. */
const TAKE = `
  WITH run AS (
    SELECT *, extract(epoch FROM clock_timestamp()) * 1000 AS now FROM runs
    WHERE id = $1 AND state = 'open' AND NOT "hasReachedMaxFailures"
      AND ($5::integer IS NULL OR $5 > (
        SELECT count(*) FROM (
          (SELECT 1 FROM inputs WHERE inputs.run = runs.seq AND inputs.state = 'failed' LIMIT $5)
          UNION ALL
          (SELECT 1 FROM inputs WHERE inputs.run = runs.seq AND inputs.state = 'open' AND outcome IS NOT NULL LIMIT $5)
        )
      ) OR $6::integer > (
        SELECT count(*) FROM (
          SELECT 1 FROM inputs
          WHERE inputs.run = runs.seq AND (inputs.state IN ('done', 'failed') OR inputs.state = 'open' AND outcome IS NOT NULL)
          LIMIT $6
        )
      ))
  ), own AS (
    SELECT number FROM inputs, run WHERE inputs.run = run.seq AND worker = $2 AND number <> ALL($4::integer[])
  ), room AS (
    SELECT run.*, GREATEST(0, LEAST(
      $3::integer,
      run.concurrency + (SELECT count(*) FROM own) - (
        SELECT count(*) FROM inputs WHERE inputs.run = run.seq AND worker IS NOT NULL
      ),
      CASE
        WHEN rate IS NULL THEN NULL
        WHEN "nextStart" > now THEN 0
        ELSE floor((now - GREATEST("nextStart", now - ${BURST_MILLISECONDS})) * rate / 1000) + 1
      END
    ))::integer AS size FROM run
  ), picked AS (
    SELECT number FROM (
      (SELECT number FROM own)
      UNION ALL (
        SELECT number FROM inputs, room
        WHERE inputs.run = room.seq AND until <= room.now AND worker IS NULL AND outcome IS NULL
        ORDER BY until LIMIT $3
      )
      UNION ALL (
        SELECT number FROM inputs, room
        WHERE inputs.run = room.seq AND worker IS NULL AND until IS NULL AND outcome IS NULL
          AND inputs.state IN ('new', 'open')
        ORDER BY number LIMIT $3
      )
    ) AS candidates
    LIMIT (SELECT size FROM room)
  ), paced AS (
    UPDATE runs SET
      "nextStart" = GREATEST(runs."nextStart", now - ${BURST_MILLISECONDS}) + (SELECT count(*) FROM picked) * 1000 / room.rate
    FROM room WHERE runs.seq = room.seq AND room.rate IS NOT NULL AND EXISTS (SELECT 1 FROM picked)
  )
  UPDATE inputs SET worker = $2, fence = fence + 1, flush = 0
  FROM picked, room
  WHERE inputs.run = room.seq AND inputs.number = picked.number AND (inputs.worker IS NULL OR inputs.worker = $2)
  RETURNING inputs.*`;

const SETTLE = `
  UPDATE runs SET
    state = CASE
      WHEN EXISTS (SELECT 1 FROM inputs WHERE inputs.run = runs.seq AND inputs.state = 'failed') THEN 'failed' ELSE 'done'
    END,
    "endedAt" = $2
  WHERE ($1::text IS NULL OR id = $1) AND script IS NOT NULL AND state = 'open' AND "isComplete"
    AND NOT EXISTS (SELECT 1 FROM inputs WHERE inputs.run = runs.seq AND inputs.state IN ('new', 'open'))
  RETURNING id, state`;

const PROGRESS = `
  SELECT runs.state, script IS NOT NULL AS "isOfWorkers", "isComplete", "hasReachedMaxFailures", runs."startedAt", runs."endedAt", runs.name,
    count(inputs.number) AS total,
    count(*) FILTER (WHERE inputs.state = 'done') AS succeeded,
    count(*) FILTER (WHERE inputs.state = 'failed') AS failed,
    count(*) FILTER (WHERE inputs.state = 'open' AND outcome IS NOT NULL) AS stopped,
    count(*) FILTER (WHERE inputs.state = 'open' AND until IS NOT NULL AND outcome IS NULL AND worker IS NULL) AS waiting,
    count(*) FILTER (WHERE worker IS NOT NULL) AS running,
    count(*) FILTER (WHERE inputs."endedAt" > $2) AS recent
  FROM runs LEFT JOIN inputs ON inputs.run = runs.seq WHERE id = $1 GROUP BY runs.seq`;

const BACKLOG = `
  SELECT count(*) FILTER (WHERE worker IS NOT NULL) AS running,
    count(*) FILTER (WHERE worker IS NULL AND until > clock.now) AS waiting,
    count(*) FILTER (WHERE worker IS NULL AND coalesce(until, 0) <= clock.now) AS due,
    max(clock.now - coalesce(until, runs."startedAt")) FILTER (WHERE worker IS NULL AND coalesce(until, 0) <= clock.now) AS age
  FROM (SELECT extract(epoch FROM now()) * 1000 AS now) AS clock, runs
  JOIN inputs ON inputs.run = runs.seq AND inputs.state IN ('new', 'open') AND outcome IS NULL
  WHERE script IS NOT NULL AND runs.state = 'open' AND NOT "hasReachedMaxFailures"`;

const CHANGE_RUN = `
  UPDATE runs SET settings = $2, concurrency = coalesce($3, concurrency), rate = $4, digest = coalesce($5, digest), script = coalesce($6, script),
    "hasReachedMaxFailures" = false
  WHERE id = $1`;

const RESUME_STOPPED = `
  UPDATE inputs SET outcome = NULL FROM runs
  WHERE runs.id = $1 AND inputs.run = runs.seq AND inputs.state = 'open' AND outcome IS NOT NULL AND worker IS NULL`;

/** Changes of a run for workers. */
export interface ChangedRun extends Pick<SubmittedRecord, "settings" | "rate"> {
  /** Number of inputs that all workers process at the same time. Default: unchanged. */
  readonly concurrency?: number | undefined;
  /** Digest and files of another script. Default: unchanged. */
  readonly digest?: string;
  readonly script?: string;
}

/** The progress of a run for workers. */
export interface QueueProgress {
  /** Name of the workflow. */
  readonly name: string;
  /** State of the run. */
  readonly state: string;
  /** True if workers process the run, and not the process that started it. */
  readonly isOfWorkers: boolean;
  /** True if all inputs are recorded. */
  readonly isComplete: boolean;
  /** True if no further input starts because of its failures. */
  readonly hasReachedMaxFailures: boolean;
  /** Start and end in milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Number of recorded inputs. */
  readonly total: number;
  /** Number of inputs that succeeded. */
  readonly succeeded: number;
  /** Number of inputs that failed. */
  readonly failed: number;
  /** Number of inputs that stopped until the user decides. */
  readonly stopped: number;
  /** Number of inputs that wait without a process. */
  readonly waiting: number;
  /** Number of inputs that workers process. */
  readonly running: number;
  /** Inputs that have ended per second, in the last ten seconds or since the start. */
  readonly perSecond: number;
}

/** The inputs of all open runs. */
export interface Backlog {
  /** Number of inputs that a worker can take now. */
  readonly due: number;
  /** Number of inputs that wait for a time or a signal. */
  readonly waiting: number;
  /** Number of inputs that workers process. */
  readonly running: number;
  /** Seconds since the wait of the oldest due input ended or its run started. 0 if none is due. */
  readonly oldestDueSeconds: number;
}

/** A worker as others see it. */
export type WorkerDescription = {
  /** Number. */
  readonly id: number;
  /** Process ID and address of the machine. */
  readonly name: string;
  /** `active`, `paused` or `draining`. */
  readonly state: string;
  /** Number of inputs that it processes. */
  readonly running: number;
  /** Number of inputs that it can process at the same time. */
  readonly concurrency: number;
  /** Its limit of calls per second for all workers of its service. */
  readonly callRate?: number;
  /** Address and client of its service. */
  readonly service?: string;
  /** Start, ISO 8601. */
  readonly startedAt: string;
  /** Last heartbeat, ISO 8601. */
  readonly seenAt: string;
  /** Why it does not take inputs. */
  readonly note?: string;
};

/** An ended or stopped input, with its number. */
export interface EndedInput {
  /** Number in the run. */
  readonly number: number;
  /** Its result, as a run on one machine prints it. */
  readonly result: InputResult;
  /** True if the input waits for a decision. */
  readonly isStopped: boolean;
}

/** Milliseconds over which the rate is measured. */
const RATE_MILLISECONDS = 10_000;

/** The queue of a journal. */
export class WorkQueue {
  readonly #journal: PostgresJournal;

  /** Uses the database of a journal. */
  constructor(journal: PostgresJournal) {
    this.#journal = journal;
  }

  /** Records a run for workers. */
  async submit(record: SubmittedRecord): Promise<void> {
    await recordRun(this.#run, record);
  }

  /** Records inputs. Those that are recorded already stay as they are. An invalid line is recorded as failed. */
  async addInputs(runId: string, inputs: readonly QueuedInput[]): Promise<void> {
    await recordInputs(this.#run, runId, inputs);
  }

  /** Records that a run has all its inputs. */
  async completeInputs(runId: string): Promise<void> {
    await recordCompletion(this.#run, runId);
    await this.settle(runId);
  }

  /** Returns the number of the last recorded input. */
  async findLastInput(runId: string): Promise<number> {
    const [row] = await this.#query(
      "SELECT max(number) AS number FROM inputs JOIN runs ON runs.seq = inputs.run WHERE id = $1",
      [runId],
    );
    return Number(row?.number ?? 0);
  }

  /** Lists the runs that have inputs to take, in the order of their priorities. */
  async listWork(): Promise<readonly RunRecord[]> {
    return (await this.#query(LIST_WORK)).map(toRun);
  }

  /** Reads the script of a run for workers and its imports, as `packScript` has packed them. */
  async readScript(runId: string): Promise<string> {
    const [row] = await this.#query("SELECT script FROM runs WHERE id = $1", [runId]);
    if (row === undefined) throw new SvcError("INVALID_ARGS", `Run ${runId} was deleted.`);
    return String(row.script);
  }

  /** Prepares a run for a change of its inputs: it is open and does not end until its inputs are complete again. */
  async beginChange(runId: string): Promise<void> {
    await this.#query(
      `UPDATE runs SET state = 'open', "endedAt" = NULL, "isComplete" = false WHERE id = $1 AND state <> 'cancelled'`,
      [runId],
    );
  }

  /** Changes the settings of a run and optionally its script, and lets its stopped inputs and further ones start. */
  async change(
    runId: string,
    { settings, concurrency, rate, digest, script }: ChangedRun,
  ): Promise<void> {
    await this.#journal.database.transact([
      [CHANGE_RUN, [
        runId,
        JSON.stringify(settings),
        concurrency ?? null,
        rate ?? null,
        digest ?? null,
        script ?? null,
      ]],
      [RESUME_STOPPED, [runId]],
    ]);
  }

  /** Lists the failed inputs of a run by number. An invalid line has no value that a worker could take. */
  async listFailed(runId: string): Promise<Map<number, { readonly isInvalid: boolean }>> {
    const rows = await this.#query(
      `SELECT number, fence = 0 AS "isInvalid" FROM inputs JOIN runs ON runs.seq = inputs.run
       WHERE runs.id = $1 AND inputs.state = 'failed'`,
      [runId],
    );
    return new Map(rows.map(({ number, isInvalid }) => [Number(number), { isInvalid: isInvalid === true }]));
  }

  /** Replaces the values of failed inputs. */
  async replaceValues(runId: string, inputs: readonly QueuedInput[]): Promise<void> {
    await this.#query(
      `UPDATE inputs SET value = changed.value, place = changed.place
       FROM runs, unnest($2::integer[], $3::text[], $4::text[]) AS changed (number, place, value)
       WHERE runs.id = $1 AND inputs.run = runs.seq AND inputs.number = changed.number AND inputs.state = 'failed'`,
      [
        runId,
        inputs.map(({ number }) => number),
        inputs.map(({ place }) => toText(place)),
        inputs.map(({ value }) => value === undefined ? null : JSON.stringify(value)),
      ],
    );
  }

  /** Takes inputs of a run, within the limits of the run. Takes none if all counts in `safe` have reached their bounds. */
  async take(runId: string, limit: number, safe?: SafeCounts): Promise<readonly ClaimedInput[]> {
    const { id } = await this.#journal.openSession();
    const [, taken] = await this.#journal.database.transact([
      [LOCK_RUN, [runId]],
      [TAKE, [runId, id, limit, this.#journal.listClaims(runId), safe?.failed ?? null, safe?.done ?? null]],
    ]);
    return this.#journal.addClaims(runId, taken?.rows ?? []);
  }

  /** Ends a run, or each run, if all its inputs have ended. Returns the identifiers of those that failed. */
  async settle(runId?: string): Promise<string[]> {
    const ended = await this.#query(SETTLE, [runId ?? null, Date.now()]);
    return ended.filter(({ state }) => state === "failed").map(({ id }) => String(id));
  }

  /**
   * Records that no further input of a run starts because of its failures, unless the run has been continued since its
   * settings were read.
   */
  async stopAtMaxFailures({ id, settings }: RunRecord): Promise<void> {
    await this.#query(
      `UPDATE runs SET "hasReachedMaxFailures" = true
       WHERE id = $1 AND coalesce(settings::json ->> 'earlier', '') = $2`,
      [id, settings.earlier === undefined ? "" : JSON.stringify(settings.earlier)],
    );
  }

  /** Reads the progress of a run. Returns undefined if there is no such run. */
  async readProgress(runId: string): Promise<QueueProgress | undefined> {
    const now = Date.now();
    const [row] = await this.#query(PROGRESS, [runId, now - RATE_MILLISECONDS]);
    if (row === undefined) return undefined;
    const startedAt = Number(row.startedAt);
    const endedAt = row.endedAt === null ? undefined : Number(row.endedAt);
    const [succeeded, failed] = [Number(row.succeeded), Number(row.failed)];
    const seconds = ((endedAt ?? now) - startedAt) / 1000;
    const recentSeconds = Math.min(RATE_MILLISECONDS / 1000, Math.max(seconds, 0.001));
    return {
      name: String(row.name),
      state: String(row.state),
      isOfWorkers: row.isOfWorkers === true,
      isComplete: row.isComplete === true,
      hasReachedMaxFailures: row.hasReachedMaxFailures === true,
      startedAt,
      endedAt,
      total: Number(row.total),
      succeeded,
      failed,
      stopped: Number(row.stopped),
      waiting: Number(row.waiting),
      running: Number(row.running),
      perSecond: endedAt === undefined
        ? Number(row.recent) / recentSeconds
        : (succeeded + failed) / Math.max(seconds, 0.001),
    };
  }

  /** Counts the inputs of all open runs. */
  async readBacklog(): Promise<Backlog> {
    const [row] = await this.#query(BACKLOG);
    return {
      due: Number(row?.due),
      waiting: Number(row?.waiting),
      running: Number(row?.running),
      oldestDueSeconds: Math.max(0, Number(row?.age ?? 0)) / 1000,
    };
  }

  /** Counts the failed and stopped inputs of a run by the codes of their errors, the most frequent first. */
  async countCauses(runId: string): Promise<{ readonly code: string; readonly inputs: number }[]> {
    const rows = await this.#query(
      `SELECT inputs.outcome::json ->> 'code' AS code, count(*) AS inputs FROM inputs JOIN runs ON runs.seq = inputs.run
       WHERE runs.id = $1 AND inputs.state IN ('failed', 'open') AND outcome IS NOT NULL
       GROUP BY 1 ORDER BY 2 DESC, 1`,
      [runId],
    );
    return rows.map(({ code, inputs }) => ({ code: String(code), inputs: Number(inputs) }));
  }

  /** Lists the numbers of the inputs that succeeded. */
  async listSucceeded(runId: string): Promise<number[]> {
    const rows = await this.#query(
      `SELECT number FROM inputs JOIN runs ON runs.seq = inputs.run WHERE runs.id = $1 AND inputs.state = 'done'`,
      [runId],
    );
    return rows.map(({ number }) => Number(number));
  }

  /** Reads the ended and stopped inputs after a number, up to the first that has neither ended nor stopped. */
  async readEnded(runId: string, after: number): Promise<readonly EndedInput[]> {
    const rows = await this.#query(
      `SELECT inputs.* FROM inputs JOIN runs ON runs.seq = inputs.run
       WHERE runs.id = $1 AND number > $2 ORDER BY number LIMIT ${PAGE}`,
      [runId, after],
    );
    const ended: EndedInput[] = [];
    for (const row of rows) {
      const result = toResult(row);
      if (result === undefined || Number(row.number) !== after + ended.length + 1) break;
      ended.push({ number: Number(row.number), result, isStopped: row.state === "open" });
    }
    return ended;
  }

  /** Lists the workers. */
  async listWorkers(): Promise<WorkerDescription[]> {
    const rows = await this.#query(
      `SELECT workers.*, (SELECT count(*) FROM inputs WHERE worker = workers.id) AS running,
         extract(epoch FROM "startedAt") * 1000 AS started, extract(epoch FROM "seenAt") * 1000 AS seen
       FROM workers WHERE state <> 'ended' AND kind = 'worker' ORDER BY id`,
    );
    return rows.map((row) => ({
      id: Number(row.id),
      name: String(row.name),
      state: String(row.state),
      running: Number(row.running),
      concurrency: Number(row.concurrency),
      ...(row.callRate !== null && { callRate: Number(row.callRate) }),
      ...(row.service !== null && { service: String(row.service) }),
      startedAt: toTime(row.started),
      seenAt: toTime(row.seen),
      ...(row.note !== null && { note: String(row.note) }),
    }));
  }

  /** Reports whether a worker is running. */
  async hasWorkers(): Promise<boolean> {
    const rows = await this.#query(
      `SELECT FROM workers
       WHERE state <> 'ended' AND kind = 'worker' AND "seenAt" > now() - interval '${LEASE_SECONDS} seconds' LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** Sends a request to the worker with an identifier, or to all. Returns the identifiers of the workers. */
  async askWorkers(state: WorkerState, id?: number): Promise<number[]> {
    const rows = await this.#query(
      `UPDATE workers SET state = $1 WHERE state <> 'ended' AND kind = 'worker' AND ($2::bigint IS NULL OR id = $2)
       RETURNING id`,
      [state, id ?? null],
    );
    return rows.map((row) => Number(row.id)).toSorted((one, other) => one - other);
  }

  readonly #run: RunStatement = (sql, parameters) => this.#query(sql, parameters);

  async #query(sql: string, parameters: readonly SqlParameter[] = []): Promise<readonly SqlRow[]> {
    return await this.#journal.database.query(sql, parameters);
  }
}

/** Returns the result of an input that has ended or stopped. */
function toResult(row: SqlRow): InputResult | undefined {
  if (row.state === "new") return undefined;
  const { place, end, stopped } = toInputRecord(row);
  if (end?.state === "done") return toInputResult(place, { result: end.result });
  const error: ErrorRecord | undefined = end?.error ?? stopped;
  return error && toInputResult(place, { failure: toRecordedError(error) });
}

function toTime(milliseconds: unknown): string {
  return new Date(Number(milliseconds)).toISOString();
}
