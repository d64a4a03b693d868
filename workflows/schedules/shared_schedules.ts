/** Runs the schedules of a journal in PostgreSQL, together with other workers. */
import { SvcError } from "../../lib/errors.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Connection } from "../../utils/postgres/pool.ts";
import type { PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import { formatRunCommand, type JournalLocation } from "../runs/hints.ts";
import { resolveInputs } from "../runs/options.ts";
import { createNonce } from "../runs/prepare_run.ts";
import { groupInputs, recordCompletion, recordInputs, recordRun, type RunStatement } from "../workers/record_run.ts";
import { numberInputs } from "../workers/submit_run.ts";
import { CronCache } from "./cron.ts";
import { type LockedSchedule, PostgresScheduleStore, type ScheduleWork } from "./postgres_schedule_store.ts";
import { describeSkip, endRun, orderDueRuns, type ScheduledRun, type ScheduleRecord } from "./schedule.ts";

/** Milliseconds between two checks of a schedule with runs in progress. */
const CHECK_MILLISECONDS = 1000;

/** Milliseconds until this worker tries again to start a run. Workers on other machines may start it meanwhile. */
const RETRY_MILLISECONDS = 5000;

/** Milliseconds for which this worker tries to start a run. After that, the run has failed. */
const MAX_START_MILLISECONDS = 60_000;

/** A schedule after work on it, and what to log when it is committed. */
interface LoggedWork extends ScheduleWork {
  readonly lines: readonly string[];
}

/** A run that this worker could not start. Times are in milliseconds since 1970. */
interface FailedStart {
  readonly firstAt: number;
  readonly retryAt: number;
}

/**
 * Orders the runs of schedules when they are due, and records them for the workers of the journal. Each due time is committed
 * together with its run.
 */
export class SharedSchedules {
  readonly #store: PostgresScheduleStore;
  readonly #location: JournalLocation;
  readonly #log: Log;
  readonly #crons: CronCache;
  readonly #failedStarts = new Map<string, FailedStart>();

  /** `now` replaces the clock of the database. */
  constructor(journal: PostgresJournal, location: JournalLocation, log: Log, now?: () => number) {
    this.#store = new PostgresScheduleStore(journal, now);
    this.#location = location;
    this.#log = log;
    this.#crons = new CronCache(log);
  }

  /** Starts the runs that are due, and notes those that have ended. */
  async startDueRuns(): Promise<void> {
    for (;;) {
      const done = await this.#store.workOnNext((locked) => this.#work(locked));
      if (done === undefined) return;
      for (const line of done.lines) this.#log(`${done.schedule.name}: ${line}`);
    }
  }

  /** Makes a worker check a schedule at once, because one of its runs may have ended. */
  async requestCheck(name: string): Promise<void> {
    await this.#store.requestCheck(name);
  }

  async #work(locked: LockedSchedule): Promise<LoggedWork> {
    const { schedule: before, now } = locked;
    const times = await this.#crons.parse(before);
    const lines: string[] = [];
    let schedule = await this.#endRuns(locked, lines);
    schedule = orderDueRuns(schedule, times, now);
    const skipped = describeSkip(before, schedule);
    if (skipped !== undefined) lines.push(skipped);
    for (const run of schedule.runs) {
      if (run.isRecorded !== true) schedule = await this.#start({ ...locked, schedule }, run, lines);
    }
    const next = schedule.isPaused ? undefined : times.next(now);
    return { schedule, nextAt: schedule.runs.length > 0 ? now + CHECK_MILLISECONDS : next, lines };
  }

  /** Removes the runs that have ended or were deleted. */
  async #endRuns({ schedule, connection }: LockedSchedule, lines: string[]): Promise<ScheduleRecord> {
    const recorded = schedule.runs.filter(({ isRecorded }) => isRecorded);
    if (recorded.length === 0) return schedule;
    const states = await readStates(connection, recorded.map(({ id }) => id));
    let changed = schedule;
    for (const { id } of recorded) {
      const state = states.get(id);
      if (state === "open") continue;
      changed = endRun(changed, id);
      const show = formatRunCommand("show", { id, location: this.#location });
      const why = state === "failed" ? ` To see why, run: ${show}` : "";
      lines.push(`run ${id} ${describeEnd(state)}.${why}`);
    }
    return changed;
  }

  /** Records a run and its inputs. If that fails, e.g. because this machine has no such file, another worker may do it. */
  async #start(locked: LockedSchedule, { id, due }: ScheduledRun, lines: string[]): Promise<ScheduleRecord> {
    const { schedule, now, connection } = locked;
    const { firstAt = now, retryAt = 0 } = this.#failedStarts.get(id) ?? {};
    if (retryAt > now) return schedule;
    await connection.run("SAVEPOINT start");
    try {
      await recordScheduledRun(locked, id);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      await connection.run("ROLLBACK TO start");
      const lastError = { runId: id, message: error.message };
      if (now - firstAt >= MAX_START_MILLISECONDS) {
        this.#failedStarts.delete(id);
        lines.push(`run ${id} failed: ${error.message}`);
        return { ...endRun(schedule, id), lastError };
      }
      this.#forgetFailedStarts(now);
      if (firstAt === now) lines.push(`run ${id} cannot start on this machine yet: ${error.message}`);
      this.#failedStarts.set(id, { firstAt, retryAt: now + RETRY_MILLISECONDS });
      return { ...schedule, lastError };
    }
    this.#failedStarts.delete(id);
    lines.push(`started run ${id}, due ${new Date(due).toISOString()}.`);
    const runs = schedule.runs.map((run) => run.id === id ? { ...run, isRecorded: true } : run);
    const { lastError, ...rest } = schedule;
    return { ...rest, runs, ...(lastError?.runId !== id && { lastError }) };
  }

  /** Forgets starts that were not tried again in time, because another worker has started or removed the run. */
  #forgetFailedStarts(now: number): void {
    for (const [id, { retryAt }] of this.#failedStarts) {
      if (now - retryAt >= MAX_START_MILLISECONDS) this.#failedStarts.delete(id);
    }
  }
}

function describeEnd(state: string | undefined): string {
  if (state === undefined) return "was deleted";
  return state === "done" ? "succeeded" : state === "cancelled" ? "was cancelled" : state;
}

async function readStates(connection: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await connection.run("SELECT id, state FROM runs WHERE id = ANY($1::text[])", [ids]);
  return new Map(rows.map(({ id, state }) => [String(id), String(state)]));
}

/** Records a run with its inputs, unless it exists. */
async function recordScheduledRun({ schedule, script, now, connection }: LockedSchedule, id: string): Promise<void> {
  if ((await readStates(connection, [id])).has(id)) return;
  const run: RunStatement = async (sql, parameters) => (await connection.run(sql, parameters)).rows;
  const { workflow: name, digest, script: files } = script;
  const resolved = await resolveInputs(schedule.settings);
  const settings = { ...resolved, schedule: schedule.name, nonce: createNonce() };
  const { concurrency, rate } = settings;
  await recordRun(run, { id, name, digest, settings, startedAt: now, script: files, concurrency, rate });
  const inputs = numberInputs(settings);
  for await (const group of groupInputs(inputs)) await recordInputs(run, id, group);
  await recordCompletion(run, id);
}
