import { formatCommandLine, SvcError, toSvcError } from "../../lib/errors.ts";
import { exists } from "../../utils/fs/exists.ts";
import { isPostgresLocation } from "../../utils/postgres/location.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { STDIN } from "../inputs/open_inputs.ts";
import type { Journal, RunRecord, RunSettings } from "../journal/journal.ts";
import { newRunId } from "../journal/run_id.ts";
import { openJournal } from "../journal/sqlite/sqlite_journal.ts";
import { describeService } from "../runs/describe_service.ts";
import { describeRun } from "../runs/describe_run.ts";
import { type JournalLocation, listJournalArguments, toRunCommand } from "../runs/hints.ts";
import { proveGrants } from "../runs/grant_proof.ts";
import { type RunsOptions, type StartRunOptions, toSettings } from "../runs/options.ts";
import { checkTakesPassword, defaultJournalPath, openShared } from "../runs/runs.ts";
import { openWorkflow } from "../scripts/open_workflow.ts";
import { type CronTimes, parseCron } from "./cron.ts";
import {
  MISSED_AFTER,
  type MissedPolicy,
  orderRun,
  type OverlapPolicy,
  type ScheduleRecord,
  SKIP_REASONS,
} from "./schedule.ts";
import { openScheduleStore } from "./sqlite_schedule_store.ts";
import type { PackedScript, ScheduleStore } from "./schedule_store.ts";
import { findLocalTimeZone } from "./time_zone.ts";

/** Number of due times that a description shows. */
const SHOWN_TIMES = 3;

/** Longest name: run IDs begin with it. */
const MAX_NAME = 40;

/** Options of `openSchedules`: the journal, how to reach the service, and the clock. */
export interface SchedulesOptions extends Omit<RunsOptions, "journal"> {
  /** Path of the journal file, or location in PostgreSQL. Default: `workflows.db` in the configuration directory. */
  readonly journal?: string;
  /** Returns the time in milliseconds since 1970. Default: the clock of this machine, or of the database server. */
  readonly now?: () => number;
}

/** Options of `Schedules.add`. */
export interface AddScheduleOptions
  extends Omit<StartRunOptions, "id" | "inputs" | "resumeLatest" | "once" | "schedule"> {
  /** Name of the schedule. */
  readonly name: string;
  /** Cron expression, e.g. `0 6 * * MON-FRI`. */
  readonly cron: string;
  /** IANA name of the time zone of the expression. Default: that of this machine. */
  readonly timeZone?: string;
  /** Policy for due times while a run has not ended. Default: `skip`. */
  readonly overlap?: OverlapPolicy;
  /** Policy for due times that no worker handled within a minute. Default: `skip`. */
  readonly missed?: MissedPolicy;
  /** True replaces a schedule of the same name. Its runs in progress continue. */
  readonly replace?: boolean;
}

/** A schedule as it is shown. Times are ISO 8601. */
export type ScheduleDescription = {
  /** Name. */
  readonly name: string;
  /** A paused schedule starts no runs. */
  readonly state: "active" | "paused";
  /** Cron expression. */
  readonly cron: string;
  /** Time zone of the expression. */
  readonly timeZone: string;
  /** The next due time; absent if it is paused. */
  readonly next?: string;
  /** The due times after that. */
  readonly later?: string[];
  /** Identifiers of the runs that are in progress or wait for a worker. */
  readonly ordered?: string[];
  /** Identifier of the run that starts after the one in progress. */
  readonly buffered?: string;
  /** Identifier of the latest run. */
  readonly lastRun?: string;
  /** State of the latest run. */
  readonly lastState?: string;
  /** The last due time for which no run was ordered. */
  readonly lastSkipped?: string;
  /** Why it was skipped. */
  readonly skippedBecause?: string;
  /** Why the last failed start of a run failed, or why no runs start. */
  readonly lastError?: string;
  /** Path of the script. */
  readonly script: string;
  /** Path of the inputs; absent if it has a single input. */
  readonly each?: string;
  /** Granted operations. */
  readonly grants: string[];
  /** Policy for due times while a run has not ended. */
  readonly overlap: OverlapPolicy;
  /** Policy for due times that no worker handled within a minute. */
  readonly missed: MissedPolicy;
};

/** Opens the schedules of a journal. */
export function openSchedules(options: SchedulesOptions = {}): Schedules {
  return new Schedules(options);
}

/** The schedules of a journal. All methods throw `SvcError`. */
export class Schedules implements AsyncDisposable {
  readonly #options: SchedulesOptions;
  #store?: Promise<ScheduleStore>;
  #journal?: Promise<Journal>;

  /** Use `openSchedules`. */
  constructor(options: SchedulesOptions) {
    if (options.journalPassword !== undefined) checkTakesPassword(options.journal);
    this.#options = options;
  }

  /** Adds a schedule. Checks the script, and records the grants that its runs get. */
  async add(options: AddScheduleOptions): Promise<ScheduleDescription> {
    const { name, cron, timeZone = await findLocalTimeZone(), overlap = "skip", missed = "skip", replace = false } =
      options;
    checkName(name);
    const times = await parseCron(cron, timeZone);
    if (times.next((this.#options.now ?? Date.now)()) === undefined) {
      throw new SvcError("INVALID_ARGS", `${JSON.stringify(cron)} is never due.`, {
        hint: "Check the day and the month.",
      });
    }
    const { settings, proof, script } = await this.#grant(name, options);
    const store = await this.#openStore();
    const now = await store.now();
    const schedule = { name, cron, timeZone, overlap, missed, settings, proof, isPaused: false, checkedUntil: now };
    const hasAdded = await store.add({ ...schedule, runs: [] }, script);
    if (!hasAdded && !replace) throw alreadyExists(name);
    const added = hasAdded
      ? await store.find(name)
      : await store.change(name, ({ runs, buffered }) => ({ ...schedule, runs, buffered }), script);
    return await this.#describe(added ?? { ...schedule, runs: [] });
  }

  /** Lists the schedules, by name. */
  async list(): Promise<ScheduleDescription[]> {
    const store = await this.#existingStore();
    const runs = await (await this.#openJournal()).listRuns(() => {});
    const schedules = await store.list();
    return await Promise.all(schedules.map((schedule) => this.#describe(schedule, runs)));
  }

  /** Describes a schedule. */
  async show(name: string): Promise<ScheduleDescription> {
    return await this.#describe(await this.#find(name));
  }

  /** Pauses a schedule: no further runs start. Runs in progress continue. */
  async pause(name: string): Promise<ScheduleDescription> {
    return await this.#change(name, (schedule) => ({ ...schedule, isPaused: true }));
  }

  /** Resumes a paused schedule. Times in between do not count as missed. */
  async resume(name: string): Promise<ScheduleDescription> {
    const now = await (await this.#existingStore()).now();
    return await this.#change(
      name,
      (schedule) => schedule.isPaused ? { ...schedule, isPaused: false, checkedUntil: now } : schedule,
    );
  }

  /** Requests a run now, and returns its identifier. A worker starts it. */
  async runNow(name: string): Promise<string> {
    const id = `${name}-${newRunId()}`;
    const isOrdered = ({ runs, buffered }: ScheduleRecord) => [...runs, buffered].some((run) => run?.id === id);
    const store = await this.#existingStore();
    const due = await store.now();
    const changed = await store.change(name, (schedule) => {
      const ordered = orderRun(schedule, { id, due });
      return isOrdered(ordered) ? ordered : schedule;
    });
    if (changed === undefined) throw await this.#notFound(name);
    if (isOrdered(changed)) return id;
    const [run] = changed.runs;
    throw new SvcError("CONFLICT", `The schedule ${name} starts no run, because run ${run?.id} has not ended.`, {
      hint: {
        text: "Wait until it ends.",
        commands: run &&
          [toRunCommand("show", { id: run.id, location: this.#location }, "to see its progress")],
      },
    });
  }

  /** Removes a schedule. Its runs remain, and those in progress continue. */
  async remove(name: string): Promise<void> {
    const store = await this.#existingStore();
    if (!await store.remove(name)) throw await this.#notFound(name);
  }

  /** Reports whether a worker runs the schedules. */
  async hasWorker(): Promise<boolean> {
    return await (await this.#existingStore()).hasWorker();
  }

  /** True if the journal is in PostgreSQL. */
  get isShared(): boolean {
    return isPostgresLocation(this.#path);
  }

  /** The command line that starts a worker. */
  get startCommand(): string {
    const option = this.isShared ? "--store" : "--journal";
    return formatCommandLine(["worker", "start", ...listJournalArguments(this.#location, option)]);
  }

  /** Closes the journal. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#store?.catch(() => undefined))?.[Symbol.asyncDispose]();
    await (await this.#journal?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  /**
   * Checks the script and its inputs. Returns the settings of the runs with the grants, and for a shared journal the script.
   * In a file, the grants need a proof. Workers of a shared journal have their own grants.
   */
  async #grant(
    name: string,
    options: AddScheduleOptions,
  ): Promise<Pick<ScheduleRecord, "settings" | "proof"> & { readonly script?: PackedScript }> {
    const { profile, configDirectory } = this.#options;
    if (options.each === STDIN) {
      throw new SvcError("INVALID_ARGS", "A schedule cannot read its inputs from standard input.", {
        hint: { text: "Write them to a file.", options: [{ name: "each", purpose: "to name it" }] },
      });
    }
    const settings: RunSettings = toSettings(options, profile); // Each run follows links.
    const { script, root, limits } = settings;
    await using workflow = await openWorkflow({ ...options, script, root, limits });
    const service = describeService({ ...this.#options, profile });
    const granted = { ...settings, grants: [...workflow.grants], service };
    if (this.isShared) {
      const { packScript } = await import("../workers/pack_script.ts");
      const { name: workflowName, digest } = workflow;
      return { settings: granted, script: { workflow: workflowName, digest, script: await packScript(workflow) } };
    }
    const proof = await proveGrants(toGranted(name, granted), configDirectory);
    if (proof !== undefined || granted.grants.length === 0) return { settings: granted, proof };
    throw new SvcError("INVALID_CONFIG", `The grants of the schedule ${name} cannot be stored.`, {
      hint: "Check that only you can write the configuration directory, or set SVC_CONFIG_DIR to one of your own.",
    });
  }

  async #change(
    name: string,
    change: (schedule: ScheduleRecord) => ScheduleRecord,
  ): Promise<ScheduleDescription> {
    const changed = await (await this.#existingStore()).change(name, change);
    if (changed === undefined) throw await this.#notFound(name);
    return await this.#describe(changed);
  }

  async #find(name: string): Promise<ScheduleRecord> {
    const schedule = await (await this.#existingStore()).find(name);
    if (schedule === undefined) throw await this.#notFound(name);
    return schedule;
  }

  async #notFound(name: string): Promise<SvcError> {
    const names = (await (await this.#existingStore()).list()).map((schedule) => schedule.name);
    return new SvcError("INVALID_ARGS", `There is no schedule ${JSON.stringify(name)}.`, {
      hint: {
        text: didYouMean(name, names, (one) => one).trimEnd(),
        commands: [{
          args: ["workflow", "schedule", "list", ...listJournalArguments(this.#location)],
          purpose: "to list the schedules",
        }],
      },
    });
  }

  async #describe(schedule: ScheduleRecord, runs?: readonly RunRecord[]): Promise<ScheduleDescription> {
    const { name, cron, timeZone, isPaused, settings, buffered, lastSkipped, lastError, overlap, missed } = schedule;
    const journal = await this.#openJournal();
    const last = (runs ?? await journal.listRuns(() => {})).find((run) => run.settings.schedule === name);
    const times = await parseCron(cron, timeZone).catch(toSvcError);
    const isInvalid = times instanceof SvcError;
    const [next, ...later] = isPaused || isInvalid ? [] : await this.#listDueTimes(schedule, times);
    const failure = isInvalid ? times.message : lastError && `${lastError.runId}: ${lastError.message}`;
    return {
      name,
      state: isPaused ? "paused" : "active",
      ...(next !== undefined && { next }),
      cron,
      timeZone,
      ...(last && { lastState: (await describeRun(journal, last)).state, lastRun: last.id }),
      ...(schedule.runs.length > 0 && { ordered: schedule.runs.map(({ id }) => id) }),
      ...(buffered && { buffered: buffered.id }),
      ...(lastSkipped && {
        lastSkipped: toIso(lastSkipped.due),
        skippedBecause: SKIP_REASONS[lastSkipped.policy],
      }),
      ...(failure !== undefined && { lastError: failure }),
      script: settings.script,
      ...(settings.each !== undefined && { each: settings.each }),
      overlap,
      missed,
      ...(next !== undefined && { later }),
      grants: [...settings.grants],
    };
  }

  async #listDueTimes({ checkedUntil }: ScheduleRecord, times: CronTimes): Promise<string[]> {
    const listed: string[] = [];
    const now = await (await this.#openStore()).now();
    let due = times.next(Math.max(checkedUntil, now - MISSED_AFTER));
    for (; due !== undefined && listed.length < SHOWN_TIMES; due = times.next(due)) listed.push(toIso(due));
    return listed;
  }

  get #path(): string {
    return this.#options.journal ?? defaultJournalPath(this.#options.configDirectory);
  }

  get #location(): JournalLocation | undefined {
    const { journal: path, journalPassword: password } = this.#options;
    return path === undefined ? undefined : { path, password };
  }

  async #openStore(): Promise<ScheduleStore> {
    return await (this.#store ??= this.#createStore());
  }

  async #createStore(): Promise<ScheduleStore> {
    const { journal: path, journalPassword, warn, now } = this.#options;
    if (!this.isShared) {
      return await openScheduleStore(this.#path, { makeFolder: path === undefined, warn, now });
    }
    const { PostgresScheduleStore } = await import("./postgres_schedule_store.ts");
    const journal = openShared(this.#path, journalPassword);
    this.#journal = journal;
    return new PostgresScheduleStore(await journal, now);
  }

  async #openJournal(): Promise<Journal> {
    if (this.isShared) await this.#openStore();
    return await (this.#journal ??= openJournal(this.#path, { makeFolder: this.#options.journal === undefined }));
  }

  /** Opens the store. Throws if there is no file at the path of the options. */
  async #existingStore(): Promise<ScheduleStore> {
    const { journal } = this.#options;
    if (journal === undefined || this.#store !== undefined || isPostgresLocation(journal) || await exists(journal)) {
      return await this.#openStore();
    }
    throw new SvcError("INVALID_ARGS", `There is no journal ${journal}.`, {
      hint: "Use the path that the schedule was added with.",
    });
  }
}

/** Returns the part of a schedule that the proof of its grants covers. The script may be edited. */
export function toGranted(name: string, settings: RunSettings) {
  return { id: `schedule ${name}`, digest: "", settings };
}

function checkName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && name.length <= MAX_NAME) return;
  throw new SvcError("INVALID_ARGS", `${JSON.stringify(name)} is not a valid schedule name.`, {
    hint: `Use up to ${MAX_NAME} letters, digits, '-' and '_', starting with a letter or a digit.`,
  });
}

function alreadyExists(name: string): SvcError {
  return new SvcError("INVALID_ARGS", `There is already a schedule ${name}.`, {
    hint: { text: "Use another name.", options: [{ name: "replace", purpose: "to replace it" }] },
  });
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
