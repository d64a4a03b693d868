/** The assignments that the robots of a queue work on, in a journal in PostgreSQL. */
import type { BatchInput } from "../inputs/batch_input.ts";
import type { RunRecord } from "../journal/journal.ts";
import { type ClaimedInput, toText } from "../journal/postgres/claimed_input.ts";
import type { PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import { toRun } from "../journal/rows.ts";

/**
 * Milliseconds for which an assignment that was completed or parked cannot be claimed again. Other robots use the inbox that
 * they have read for up to two seconds, and may still find the assignment in it.
 */
const KEPT_MILLISECONDS = 5000;

/** Milliseconds since 1970, by the clock of the database. */
const NOW = "(extract(epoch FROM now()) * 1000)::bigint";

/**
 * Claims assignments that no robot works on and whose delay after a failure is over, and records them as inputs of a run.
 * The row of an assignment decides: only one robot makes it active.
 */
const CLAIM = `
  WITH candidates AS (
    SELECT * FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS candidates (assignment, value, nth)
  ), free AS (
    SELECT candidates.* FROM candidates
      LEFT JOIN assignments AS other
        ON other.service = $2 AND other.queue = $3 AND other.assignment = candidates.assignment
    WHERE other.assignment IS NULL OR NOT other."isActive" AND other."retryAt" <= ${NOW}
  ), claimed AS (
    INSERT INTO assignments (service, queue, assignment, run, input)
    SELECT $2, $3, free.assignment, runs.seq, (last + nth)::integer
    FROM free, runs, LATERAL (SELECT coalesce(max(number), 0) AS last FROM inputs WHERE run = runs.seq) AS numbers
    WHERE runs.id = $1 AND runs.state = 'open'
    ORDER BY free.assignment
    ON CONFLICT (service, queue, assignment) DO UPDATE
      SET run = excluded.run, input = excluded.input, "isActive" = true, "isCounted" = false
      WHERE NOT assignments."isActive" AND assignments."retryAt" <= ${NOW}
    RETURNING assignment, run, input
  )
  INSERT INTO inputs (run, number, place, value, worker, fence)
  SELECT run, input, assignment, value, $6, 1 FROM claimed JOIN candidates USING (assignment)
  RETURNING *`;

/** Selects inputs of active assignments that this robot can continue: `$1` is its session, and `$2` its claims. */
const IS_FREE = `
  inputs.state IN ('new', 'open') AND outcome IS NULL
  AND (worker IS NULL OR worker = $1 AND NOT (runs.id || '.' || inputs.number) = ANY($2::text[]))`;

const ACTIVE = `
  assignments JOIN inputs ON inputs.run = assignments.run AND inputs.number = assignments.input
    JOIN runs ON runs.seq = assignments.run
  WHERE assignments.service = $3 AND assignments.queue = $4 AND "isActive" AND runs.state = 'open'`;

const LIST_RUNS_TO_CONTINUE = `
  SELECT id, name, digest, settings, state, "startedAt", "endedAt" FROM runs WHERE seq IN (
    SELECT assignments.run FROM ${ACTIVE} AND ${IS_FREE}
  )`;

/** Claims the inputs of a run whose robot is gone, as any process claims an input: with the next fence. */
const CONTINUE = `
  UPDATE inputs SET worker = $1, fence = fence + 1, flush = 0
  FROM (
    SELECT inputs.run, inputs.number FROM ${ACTIVE} AND ${IS_FREE} AND runs.id = $5
    ORDER BY inputs.number LIMIT $6 FOR UPDATE OF inputs SKIP LOCKED
  ) AS picked
  WHERE inputs.run = picked.run AND inputs.number = picked.number
  RETURNING inputs.*`;

/** Lets the stopped inputs of a run continue. */
const CONTINUE_STOPPED = `
  UPDATE inputs SET outcome = NULL FROM runs
  WHERE runs.id = $1 AND inputs.run = runs.seq AND inputs.state = 'open' AND outcome IS NOT NULL AND worker IS NULL`;

/** Counts a failure of an input, at most once. */
const COUNT_FAILURE = `
  UPDATE assignments SET "isCounted" = true,
    failures = CASE WHEN $6::boolean THEN greatest(failures, $7::integer) ELSE failures END +
      CASE WHEN "isCounted" OR $6 THEN 0 ELSE 1 END
  WHERE service = $1 AND queue = $2 AND assignment = $3
    AND run = (SELECT seq FROM runs WHERE id = $4) AND input = $5
  RETURNING failures`;

/**
 * Releases the assignments whose inputs have ended, and deletes rows without failures after a while. The input is compared,
 * because another robot may have claimed the assignment again.
 */
const RELEASE_ENDED = `
  WITH forgotten AS (
    DELETE FROM assignments
    WHERE service = $1 AND queue = $2 AND NOT "isActive" AND failures = 0 AND "retryAt" <= ${NOW}
  ), ended AS (
    SELECT assignments.assignment, assignments.run, assignments.input,
      CASE WHEN inputs.state = 'failed' THEN failures + CASE WHEN "isCounted" THEN 0 ELSE 1 END ELSE 0 END AS failures
    FROM assignments
      LEFT JOIN inputs ON inputs.run = assignments.run AND inputs.number = assignments.input
      LEFT JOIN runs ON runs.seq = assignments.run
    WHERE service = $1 AND queue = $2 AND "isActive"
      AND (inputs.state IS NULL OR inputs.state IN ('done', 'failed') OR runs.state = 'cancelled' AND worker IS NULL)
  ), counted AS (
    SELECT assignment, run, input, CASE WHEN failures < $3 THEN failures ELSE 0 END AS failures FROM ended
  )
  UPDATE assignments SET "isActive" = false, "isCounted" = true, failures = counted.failures,
    "retryAt" = ${NOW} + CASE WHEN counted.failures = 0 THEN ${KEPT_MILLISECONDS} ELSE counted.failures * $4::bigint END
  FROM counted
  WHERE service = $1 AND queue = $2 AND assignments.assignment = counted.assignment
    AND assignments.run = counted.run AND assignments.input = counted.input`;

/** Ends a run without open inputs. */
const END_RUN = `
  UPDATE runs SET
    state = CASE
      WHEN EXISTS (SELECT 1 FROM inputs WHERE inputs.run = runs.seq AND inputs.state = 'failed') THEN 'failed' ELSE 'done'
    END,
    "endedAt" = ${NOW}
  WHERE id = $1 AND state = 'open'
    AND NOT EXISTS (SELECT 1 FROM inputs WHERE inputs.run = runs.seq AND inputs.state IN ('new', 'open'))`;

/** Identifies the robots that share assignments. */
export interface SharedQueue {
  /** Address of the service. */
  readonly service: string;
  /** Name of the queue. */
  readonly queue: string;
  /** Failures of an assignment after which it is parked. */
  readonly maxAttempts: number;
  /** Milliseconds for which a failed assignment is left in the queue, times the number of its failures. */
  readonly retryMilliseconds: number;
}

/** Claims the assignments that the robots of a queue share, and counts their failures. */
export class AssignmentClaims {
  readonly #journal: PostgresJournal;
  readonly #shared: SharedQueue;

  /** Uses the database of a journal. */
  constructor(journal: PostgresJournal, shared: SharedQueue) {
    this.#journal = journal;
    this.#shared = shared;
  }

  /**
   * Claims those of the assignments that no robot works on, and records them as inputs of a run. Only one robot may add
   * inputs to the run.
   */
  async claim(runId: string, assignments: readonly BatchInput[]): Promise<readonly ClaimedInput[]> {
    const { service, queue } = this.#shared;
    const { id } = await this.#journal.openSession();
    const places = assignments.map(({ place }) => toText(place));
    const values = assignments.map(({ value }) => JSON.stringify(value));
    const rows = await this.#journal.database.query(CLAIM, [runId, service, queue, places, values, id]);
    return this.#journal.addClaims(runId, rows);
  }

  /** Lists the runs with assignments whose robot is gone. */
  async listRunsToContinue(): Promise<readonly RunRecord[]> {
    return (await this.#journal.database.query(LIST_RUNS_TO_CONTINUE, await this.#ownParameters())).map(toRun);
  }

  /** Claims assignments of a run whose robot is gone. */
  async continue(runId: string, limit: number): Promise<readonly ClaimedInput[]> {
    const rows = await this.#journal.database.query(CONTINUE, [...await this.#ownParameters(), runId, limit]);
    return this.#journal.addClaims(runId, rows);
  }

  /** Lets the stopped inputs of a run continue. */
  async continueStopped(runId: string): Promise<void> {
    await this.#journal.database.query(CONTINUE_STOPPED, [runId]);
  }

  /** Counts the failure of an input, and returns the number of failures of its assignment. */
  async countFailure(runId: string, input: number, assignment: string, isBusiness: boolean): Promise<number> {
    const { service, queue, maxAttempts } = this.#shared;
    const place = toText(assignment);
    const [row] = await this.#journal.database.query(
      COUNT_FAILURE,
      [service, queue, place, runId, input, isBusiness, maxAttempts],
    );
    return Number(row?.failures ?? 1);
  }

  /** Releases the assignments whose inputs have ended, also those of robots that were killed before they did so. */
  async releaseEnded(): Promise<void> {
    const { service, queue, maxAttempts, retryMilliseconds } = this.#shared;
    await this.#journal.database.query(RELEASE_ENDED, [service, queue, maxAttempts, retryMilliseconds]);
  }

  /** Ends a run if all its inputs have ended. The caller must have claimed the run. */
  async endRun(runId: string): Promise<void> {
    await this.#journal.database.query(END_RUN, [runId]);
  }

  async #ownParameters(): Promise<[number, string[], string, string]> {
    const { service, queue } = this.#shared;
    const { id } = await this.#journal.openSession();
    return [id, this.#journal.listClaimKeys(), service, queue];
  }
}
