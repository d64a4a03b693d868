import { SvcError, toSvcError } from "../../lib/errors.ts";
import { delay } from "../../utils/async/abort.ts";
import { nextEvent } from "../../utils/async/next_event.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { Journal, RunSettings, RunState } from "../journal/journal.ts";
import { openJournal } from "../journal/sqlite/sqlite_journal.ts";
import { tryClaim } from "../runs/claim_run.ts";
import { describeService } from "../runs/describe_service.ts";
import { hasOwnGrants } from "../runs/grant_proof.ts";
import type { InputCounts, StartRunOptions } from "../runs/options.ts";
import type { Run } from "../runs/run.ts";
import { defaultJournalPath, Runs } from "../runs/runs.ts";
import { CronCache } from "./cron.ts";
import { describeSkip, endRun, orderDueRuns, type ScheduledRun, type ScheduleRecord } from "./schedule.ts";
import { type SchedulesOptions, toGranted } from "./schedules.ts";
import { openScheduleStore, type SqliteScheduleStore } from "./sqlite_schedule_store.ts";

/** Milliseconds between two checks for due times. */
const CHECK_MILLISECONDS = 1000;

/** Milliseconds after which an interrupted run is continued. */
const RETRY_MILLISECONDS = 60_000;

/** Options of `ScheduleWorker.run`. */
export interface WorkerOptions extends SchedulesOptions {
  /** Stops the worker: runs in progress are interrupted, and continue when a worker starts again. */
  readonly signal: AbortSignal;
  /** True ends the worker when no run is due or in progress. */
  readonly untilIdle?: boolean;
  /** Receives a line about each event. */
  readonly log: (line: string) => void;
}

/**
 * Runs the schedules of a journal file until the signal aborts. Waits while another process runs them. With `untilIdle`,
 * resolves to the identifiers of the runs that failed.
 */
export async function runSchedules(options: WorkerOptions): Promise<readonly string[]> {
  const { journal: path = defaultJournalPath(options.configDirectory), signal, untilIdle = false, log } = options;
  const { warn, now } = options;
  await using store = await openScheduleStore(path, { makeFolder: options.journal === undefined, warn, now });
  await using _claim = await claimWorker(store, options);
  if (signal.aborted) return [];
  await using worker = await ScheduleWorker.open(store, path, options);
  log(await worker.describeStart());
  for (;;) {
    const wasIdle = worker.isIdle; // A run that ends during the search may let another one start.
    await worker.startDueRuns();
    if (signal.aborted || (untilIdle && wasIdle && worker.isIdle)) return worker.failedRuns;
    await worker.nextEvent(untilIdle ? undefined : CHECK_MILLISECONDS);
  }
}

/** Claims the right to run the schedules. Resolves to undefined if the signal aborts first. */
async function claimWorker(
  store: SqliteScheduleStore,
  { signal, untilIdle, log }: WorkerOptions,
): Promise<AsyncDisposable | undefined> {
  let isWaiting = false;
  for (;;) {
    const claim = await tryClaim(() => store.claimWorker());
    if (claim !== undefined || signal.aborted) return claim;
    if (untilIdle) {
      throw new SvcError("INVALID_ARGS", "Another worker runs the schedules of this journal.", {
        hint: "It starts the due runs. To run them here, stop it first.",
      });
    }
    if (!isWaiting) log("Another worker runs the schedules of this journal. Waiting until it stops.");
    isWaiting = true;
    await delay(CHECK_MILLISECONDS, signal).catch(() => {}); // The loop ends.
  }
}

/** Starts the runs of schedules when they are due, and continues those that were interrupted. */
export class ScheduleWorker implements AsyncDisposable {
  readonly #store: SqliteScheduleStore;
  readonly #journal: Journal;
  readonly #options: WorkerOptions;
  /** Runs in progress, by identifier. */
  readonly #active = new Map<string, Promise<void>>();
  /** When to continue interrupted runs. */
  readonly #retries = new Map<string, number>();
  readonly #crons: CronCache;
  /** Identifiers of the runs that failed, if the worker ends when it is idle. */
  readonly failedRuns: string[] = [];
  /** Errors of the journal. They end the worker. */
  readonly #failures: unknown[] = [];

  private constructor(store: SqliteScheduleStore, journal: Journal, options: WorkerOptions) {
    this.#store = store;
    this.#journal = journal;
    this.#options = options;
    this.#crons = new CronCache(options.log);
  }

  /** Opens a worker for the schedules of a store. `path` is that of its journal. */
  static async open(store: SqliteScheduleStore, path: string, options: WorkerOptions): Promise<ScheduleWorker> {
    return new ScheduleWorker(store, await openJournal(path), options);
  }

  /** True if no run is in progress. */
  get isIdle(): boolean {
    return this.#active.size === 0;
  }

  /** Describes the schedules and the next due time. */
  async describeStart(): Promise<string> {
    const now = await this.#store.now();
    const schedules = await this.#store.list();
    const due = await Promise.all(
      schedules.filter(({ isPaused }) => !isPaused).map(async (schedule) => ({
        name: schedule.name,
        at: (await this.#crons.parse(schedule)).next(Math.max(schedule.checkedUntil, now)) ?? Infinity,
      })),
    );
    const [next] = due.toSorted((one, other) => one.at - other.at);
    const count = `Running ${pluralize(schedules.length, "schedule")}.`;
    return next === undefined ? count : `${count} Next: ${next.name} at ${new Date(next.at).toISOString()}.`;
  }

  /** Orders the runs that are due, and starts the ordered ones. */
  async startDueRuns(): Promise<void> {
    const now = await this.#store.now();
    for (const schedule of await this.#store.list()) {
      const { name, runs } = await this.#orderDue(schedule);
      for (const run of runs) {
        const isDelayed = (this.#retries.get(run.id) ?? 0) > now;
        if (this.#active.has(run.id) || isDelayed || this.#options.signal.aborted) continue;
        this.#active.set(run.id, this.#work(name, run).catch((error) => void this.#failures.push(error)));
      }
    }
  }

  /** Resolves when a run in progress has ended, the signal aborts, or after some milliseconds. Default: 0 if idle, else a minute. */
  async nextEvent(milliseconds: number = this.isIdle ? 0 : RETRY_MILLISECONDS): Promise<void> {
    await nextEvent(this.#active.values(), this.#options.signal, milliseconds);
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** Waits for the runs in progress, which the signal has interrupted or which have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#active.values());
    await this.#journal[Symbol.asyncDispose]();
  }

  async #orderDue(schedule: ScheduleRecord): Promise<ScheduleRecord> {
    const times = await this.#crons.parse(schedule);
    const now = await this.#store.now();
    const isDue = ({ checkedUntil, isPaused }: ScheduleRecord) =>
      !isPaused && (times.next(checkedUntil) ?? Infinity) <= now;
    if (!isDue(schedule)) return schedule;
    // It may have been replaced in between: then it is checked again.
    const isSame = ({ cron, timeZone }: ScheduleRecord) => cron === schedule.cron && timeZone === schedule.timeZone;
    const changed = await this.#store.change(
      schedule.name,
      (current) => isSame(current) ? orderDueRuns(current, times, now) : current,
    );
    const skipped = changed && describeSkip(schedule, changed);
    if (skipped !== undefined) this.#log(`${schedule.name}: ${skipped}`);
    return changed ?? { ...schedule, runs: [] };
  }

  /** Runs a script until its run has ended or was interrupted. */
  async #work(name: string, run: ScheduledRun): Promise<void> {
    const { id } = run;
    try {
      await this.#startOrResume(name, run);
    } catch (thrown) {
      await this.#handleFailure(name, id, toSvcError(thrown));
    } finally {
      this.#active.delete(id);
    }
  }

  async #startOrResume(name: string, { id, due }: ScheduledRun): Promise<void> {
    const schedule = await this.#store.find(name);
    if (schedule === undefined) return;
    const state = await this.#journal.readState(id);
    if (state === undefined || state === "open") {
      const verb = state === undefined ? "starting" : "resuming";
      this.#log(`${name}: ${verb} run ${id}, due ${new Date(due).toISOString()}.`);
      await this.#runScript(schedule, id, state);
    }
    await this.#store.change(name, (current) => endRun(current, id));
    this.#retries.delete(id);
  }

  /** A run that was interrupted continues later. One that could not start has failed, and one that was cancelled has ended. */
  async #handleFailure(name: string, id: string, error: SvcError): Promise<void> {
    const { message, hint } = error;
    if (this.#options.signal.aborted) {
      return this.#log(`${name}: run ${id} was interrupted. It continues when a worker starts again.`);
    }
    const state = await this.#journal.readState(id);
    if (state === "open") {
      this.#log(`${name}: run ${id} was interrupted. It resumes in a minute. ${message}`);
      this.#retries.set(id, await this.#store.now() + RETRY_MILLISECONDS);
      return;
    }
    if (state !== "cancelled") this.#noteFailure(id);
    const text = state === "cancelled" ? `run ${id} was cancelled.` : `run ${id} failed: ${message}`;
    this.#log([`${name}: ${text}`, ...(hint === undefined || state === "cancelled" ? [] : [hint])].join(" "));
    const lastError = state === undefined ? { runId: id, message } : undefined;
    await this.#store.change(name, (current) => ({ ...endRun(current, id), ...(lastError && { lastError }) }));
  }

  async #runScript({ name, settings, proof }: ScheduleRecord, id: string, state: RunState | undefined): Promise<void> {
    const { configDirectory } = this.#options;
    const granted = toGranted(name, { ...settings, proof });
    if (settings.grants.length > 0 && !await hasOwnGrants(granted, configDirectory)) throw createGrantsError(name);
    const { signal: _signal, untilIdle: _untilIdle, log: _log, now: _now, ...options } = this.#options;
    const caller = { ...options, profile: settings.profile ?? options.profile };
    const service = describeService(caller);
    if (service !== settings.service) throw otherService(name, settings.service, service);
    await using runs = new Runs(caller);
    const work = this.#createWork(id);
    await using run = state === undefined
      ? await runs.start({ ...toStartOptions(settings), ...work, id, schedule: name })
      : await runs.resume(id, work);
    await this.#finish(name, run);
  }

  async #finish(name: string, run: Run): Promise<void> {
    const { inputs, failed, stopped, succeeded, error } = await run.finish();
    const counts = run.isBatch ? ` ${describeCounts({ inputs, failed, stopped, succeeded })}` : "";
    if (error === undefined) return this.#log(`${name}: run ${run.id} succeeded.${counts}`);
    this.#noteFailure(run.id);
    const { code, message, hint = "" } = error;
    this.#log(`${name}: run ${run.id} failed.${counts} ${code} ${message} ${hint}`.trimEnd());
  }

  #noteFailure(id: string): void {
    if (this.#options.untilIdle) this.failedRuns.push(id);
  }

  #createWork(id: string): Pick<StartRunOptions, "signal" | "onLog" | "onOutage"> {
    return {
      signal: this.#options.signal,
      onLog: (text, input) => {
        for (const line of text.split("\n")) {
          this.#log(input === "input" ? `${id}: ${line}` : `${id}: ${input}: ${line}`);
        }
      },
      onOutage: ({ baseUrl, isOver, error }) =>
        this.#log(
          isOver
            ? `${id}: the service at ${baseUrl} is available again.`
            : `${id}: the service at ${baseUrl} is unavailable. ${error.message}`,
        ),
    };
  }

  #log(line: string): void {
    this.#options.log(line);
  }
}

/** Converts the settings of a schedule to the options of a new run. */
function toStartOptions({ grants, profile: _profile, ...settings }: RunSettings): StartRunOptions {
  return { ...settings, allow: grants };
}

function describeCounts({ inputs, succeeded, failed, stopped }: InputCounts): string {
  const stops = stopped === 0 ? "" : `, ${stopped} stopped`;
  return `${pluralize(inputs, "input")}: ${succeeded} succeeded, ${failed} failed${stops}.`;
}

function createGrantsError(name: string): SvcError {
  return new SvcError(
    "PERMISSION_DENIED",
    `The grants of the schedule ${name} were not given by this user on this machine.`,
    {
      hint: "Add the schedule again with --replace.",
    },
  );
}

function otherService(name: string, added = "no service", current = "no service"): SvcError {
  return new SvcError("INVALID_CONFIG", `The schedule ${name} was added for ${added}, not for ${current}.`, {
    hint:
      "Start the worker with the profile or the environment that the schedule was added with, or add it again with " +
      "--replace.",
  });
}
