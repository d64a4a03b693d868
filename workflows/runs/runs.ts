import { getConfigDirectory } from "../../lib/auth/profiles.ts";
import { SvcError } from "../../lib/errors.ts";
import { invokeCallback } from "../../lib/client/callback.ts";
import { findUntrusted } from "../../utils/fs/trusted_path.ts";
import { exists } from "../../utils/fs/exists.ts";
import { isSameFile } from "../../utils/fs/same_file.ts";
import { isPostgresLocation } from "../../utils/postgres/location.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { PasswordSource } from "../../utils/postgres/password.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { sha256Text } from "../../utils/text/sha256.ts";
import type { Cassette } from "../cassette/cassette.ts";
import { isPruned, selectPrinted } from "../engine/history.ts";
import { listAwaitedSignals, toSignalEvent } from "../engine/signals.ts";
import { isSignalName, MAX_SIGNAL_NAME } from "../sandbox/protocol/signal_name.ts";
import type { JsonValue } from "../../utils/json.ts";
import type { Fingerprint } from "../inputs/fingerprint.ts";
import { checkRunId, newRunId } from "../journal/run_id.ts";
import type { JournalCheck } from "../journal/damage.ts";
import type { InputRecord, Journal, RunRecord, RunSettings, ShownState } from "../journal/journal.ts";
import type { PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import { openJournal } from "../journal/sqlite/sqlite_journal.ts";
import type { PlanOptions, PlanResult } from "../plan/make_plan.ts";
import type { CheckOptions, InputCheck } from "../check/check_script.ts";
import { tryClaimRun } from "./claim_run.ts";
import { hasOwnGrants } from "./grant_proof.ts";
import { describeInput, describeRun, type InputDescription, type RunDescription } from "./describe_run.ts";
import { type ContinueCommand, formatRunCommand, type JournalLocation, toListCommand, toRunCommand } from "./hints.ts";
import {
  changeSettings,
  DEFAULT_CONCURRENCY,
  resolveInputs,
  type ResumeRunOptions,
  type RunsOptions,
  type StartRunOptions,
  toSettings,
} from "./options.ts";
import type { PrunedRun, PruneOptions } from "./prune.ts";
import type { ProcessedFile } from "./processed_file.ts";
import type { Run } from "./run.ts";
import type { RunStatus } from "../workers/read_status.ts";

/** Largest edit distance of a suggested run: most identifiers of one day are similar. */
const MAX_EDITS = 2;

/** Options of `Runs.list`. */
export interface ListOptions {
  /** Selects the runs in a state. Default: all. */
  readonly state?: ShownState;
  /** Selects the runs that a schedule has ordered. Default: all. */
  readonly schedule?: string;
  /** Called for each run whose record is damaged. Default: `list` throws. */
  readonly onDamage?: (error: SvcError) => void;
}

/** A line that a script printed. */
export interface LogLine {
  /** Place of the input, e.g. `cases.ndjson:17`. */
  readonly input: string;
  /** Printed text, which may have several lines. */
  readonly text: string;
}

/** The runs of a journal. All methods throw `SvcError`. */
export class Runs implements AsyncDisposable {
  readonly #options: RunsOptions;
  #journal?: Promise<Journal>;

  /** Programs use `openRuns`. */
  constructor(options: RunsOptions) {
    const { journal, journalPassword } = options;
    if (journalPassword !== undefined) checkTakesPassword(journal);
    this.#options = options;
  }

  /**
   * Starts a run of a script, or resumes the run that `id`, `resumeLatest` or `once` finds. Checks the script and its
   * grants, and records the run; its inputs are processed while the results are read.
   */
  async start(options: StartRunOptions): Promise<Run> {
    const { id, resumeLatest = false, once = false } = options;
    const { concurrency = DEFAULT_CONCURRENCY } = options;
    const absolute = toSettings({ ...options, concurrency }, this.#options.profile);
    const settings = await resolveInputs(absolute, options.each);
    const criteria = [id !== undefined, resumeLatest, once].filter(Boolean);
    if (criteria.length > 1) {
      throw new SvcError("INVALID_ARGS", "id, resumeLatest and once are mutually exclusive.", {
        hint: "Use one of them.",
      });
    }
    if (this.#options.journal === false) {
      if (criteria.length === 0) return await this.#open(newRunId(), settings, "start", options);
      throw new SvcError("INVALID_ARGS", "Without a journal, an earlier run cannot be found.", {
        hint: "Use a journal.",
      });
    }
    const journal = await this.#openJournal();
    const processed = once ? await this.#readProcessedFile(settings) : undefined;
    const find = () => this.#findEarlier(journal, settings, options, processed);
    let earlier = await find();
    await using claim = earlier === undefined && (resumeLatest || once)
      ? await this.#claimStart(journal, settings, processed)
      : undefined;
    if (claim !== undefined) earlier = await find(); // Another process may have started the run before the claim.
    if (earlier !== undefined) return await this.#continue(earlier, settings, "resume", options);
    const newId = id === undefined ? newRunId() : checkRunId(id);
    return await this.#open(newId, settings, "start", options, processed?.file);
  }

  /** Resumes a run that was interrupted. Recorded calls are replayed from the history and not sent again. */
  async resume(id: string, options: ResumeRunOptions = {}): Promise<Run> {
    const run = await this.#findRun(id);
    return await this.#continue(run, run.settings, "resume", options);
  }

  /**
   * Runs the failed inputs of a run again, from the step that failed, and resumes the run. A failed input takes the current
   * value from the file of the inputs.
   */
  async retry(id: string, options: ResumeRunOptions = {}): Promise<Run> {
    const run = await this.#findRun(id);
    return await this.#continue(run, run.settings, "retry", options);
  }

  /** Cancels a run that has not ended. A process that works on it stops within about a second. */
  async cancel(id: string): Promise<void> {
    const { state } = await this.#findRun(id, false);
    if (state !== "open") throw new SvcError("INVALID_ARGS", `Run ${id} has already ended (${state}).`);
    await (await this.#existingJournal()).setState(id, "cancelled");
  }

  /**
   * Sends a signal to an input, whose script gets the value from `receive`. An input that waits for it continues while a
   * process works on the run. Returns the names of the signals that it waits for now.
   */
  async signal(id: string, number: number, name: string, value?: JsonValue): Promise<readonly string[]> {
    if (!isSignalName(name)) {
      throw new SvcError("INVALID_ARGS", `The name of a signal must have 1 to ${MAX_SIGNAL_NAME} characters.`);
    }
    const { state } = await this.#findRun(id);
    const show = { commands: [toRunCommand("show", { id, location: this.#location }, "to see its inputs")] };
    if (state === "cancelled") throw new SvcError("INVALID_ARGS", `Run ${id} was cancelled.`, { hint: show });
    const journal = await this.#existingJournal();
    const found = await journal.signalInput(id, number, toSignalEvent({ name, value }));
    if (found === "open") return listAwaitedSignals(await journal.events(id, number));
    const message = found === undefined
      ? `Run ${id} has not started an input ${number}.`
      : `Input ${number} of run ${id} has already ended (${found}).`;
    const { inputs } = await journal.countInputs(id);
    const text = found === undefined ? `It has started ${pluralize(inputs, "input")}.` : undefined;
    throw new SvcError("INVALID_ARGS", message, { hint: { text, ...show } });
  }

  /** Lists the runs, the latest first. With `onDamage`, omits runs whose records are damaged. */
  async list(options: ListOptions = {}): Promise<RunDescription[]> {
    const journal = await this.#existingJournal();
    const { state: wanted, schedule, onDamage } = options;
    const records = (await journal.listRuns(onDamage))
      .filter(({ settings }) => schedule === undefined || settings.schedule === schedule);
    const runs = await Promise.all(records.map((run) => describeRun(journal, run)));
    return runs.filter(({ state }) => wanted === undefined || state === wanted);
  }

  /** Returns the settings that a run was started or last resumed with. */
  async settings(id: string): Promise<RunSettings> {
    return (await this.#findRun(id)).settings;
  }

  /** Describes a run. */
  async show(id: string): Promise<RunDescription> {
    return await describeRun(await this.#existingJournal(), await this.#findRun(id));
  }

  /** Returns the status of a run: totals, speed, limits, and failures by cause. */
  async status(id: string): Promise<RunStatus> {
    const run = await this.#findRun(id);
    const { readStatus } = await import("../workers/read_status.ts");
    return await readStatus(await this.#existingJournal(), run);
  }

  /** Yields the inputs of a run with their calls, in order. */
  async *inputs(id: string, filter: { readonly failed?: boolean } = {}): AsyncGenerator<InputDescription> {
    await this.#findRun(id);
    const journal = await this.#existingJournal();
    for await (const input of journal.inputs(id)) {
      const description = await describeInput(journal, id, input);
      if (!filter.failed || description.error !== undefined) yield description;
    }
  }

  /** @internal The location of a journal in PostgreSQL. Undefined for any other journal. */
  get sharedJournal(): JournalLocation | undefined {
    const location = this.#location;
    return location !== undefined && isPostgresLocation(location.path) ? location : undefined;
  }

  /** @internal Yields the recorded inputs of the runs of a script on a queue, those of the oldest run first. */
  async *queueInputs(script: string, queue: string): AsyncGenerator<InputRecord> {
    if (this.#options.journal === false) {
      throw new SvcError(
        "INVALID_ARGS",
        "A robot needs a journal, so that a restarted one continues its assignments.",
        {
          hint: "Leave out --journal, or name a file or a postgres:// location.",
        },
      );
    }
    const journal = await this.#openJournal();
    const runs = (await journal.listRuns(() => {})).filter(({ settings }) => settings.queue === queue).toReversed();
    for (const { id, settings } of runs) if (await isSameFile(settings.script, script)) yield* journal.inputs(id);
  }

  /** Yields the lines that the script of a run printed, by input. */
  async *logs(id: string): AsyncGenerator<LogLine> {
    await this.#findRun(id);
    const journal = await this.#existingJournal();
    for await (const { number, place } of journal.inputs(id)) {
      for (const { content } of selectPrinted(await journal.printed(id, number))) yield { input: place, text: content };
    }
  }

  /** Renders a report about a run: its throughput, durations and failures as an HTML page that loads nothing else. */
  async report(id: string): Promise<string> {
    const run = await this.#findRun(id);
    const { renderReport } = await import("../report/render_report.ts");
    return await renderReport(
      await this.#existingJournal(),
      run,
      (verb) => formatRunCommand(verb, { id, location: this.#location }),
    );
  }

  /**
   * Replays open inputs with a script, without sending or recording anything, and yields for each the first difference
   * between the script and its history. Runs in progress are checked up to what they have recorded.
   */
  async *check(options: CheckOptions): AsyncGenerator<InputCheck> {
    const { run } = options;
    const journal = await this.#existingJournal();
    const named = run === undefined ? undefined : [await this.#findRun(run)];
    const { checkScript } = await import("../check/check_script.ts");
    const find = async (name: string) => named ?? (await journal.listRuns()).filter((one) => one.name === name);
    yield* checkScript(journal, find, options);
  }

  /** Checks all records of the journal, or those of one run, and the structure of its file. */
  async verify(id?: string): Promise<JournalCheck> {
    try {
      const journal = await this.#existingJournal();
      if (id !== undefined) await this.#findDamagedRun(id);
      return await journal.verify(id);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "JOURNAL_DAMAGED") throw error;
      const damaged = (error.details ?? []).map(({ message = "", ...part }) => ({ ...part, problem: message }));
      return { runs: 0, inputs: 0, events: 0, damaged };
    }
  }

  /** Deletes a run and its history. Throws if a process works on it. */
  async delete(id: string): Promise<void> {
    await this.#findDamagedRun(id);
    const journal = await this.#existingJournal();
    await using claim = await tryClaimRun(journal, id);
    if (claim === undefined) {
      const cancel = toRunCommand("cancel", { id, location: this.#location }, "to cancel it first");
      throw new SvcError("INVALID_ARGS", `A process is working on run ${id}.`, { hint: { commands: [cancel] } });
    }
    await journal.deleteRun(id);
  }

  /**
   * Deletes the histories of inputs that have succeeded, of one run or of all runs that have ended. Yields the runs that
   * lose something.
   */
  async *prune(options: PruneOptions = {}): AsyncGenerator<PrunedRun> {
    const { run, isPreview = false } = options;
    const journal = await this.#existingJournal();
    const { pruneRuns } = await import("./prune.ts");
    const runs = run === undefined ? await journal.listRuns() : [await this.#findRun(run, false)];
    yield* pruneRuns(journal, runs, options);
    if (!isPreview) await journal.shrink();
  }

  /** Returns the cassette of the first input of a run. Returns undefined if that input has not ended. */
  async cassette(id: string): Promise<Cassette | undefined> {
    const { name } = await this.#findRun(id);
    const journal = await this.#existingJournal();
    const input = await journal.findInput(id, 1);
    if (input?.end === undefined) return undefined;
    const events = await journal.events(id, 1);
    if (isPruned(events)) {
      throw new SvcError("INVALID_ARGS", `The history of the first input of run ${id} was deleted.`);
    }
    const { toCassette } = await import("../cassette/convert.ts");
    const { loadOperations } = await import("../scripts/permissions.ts");
    return toCassette(name, input, events, await loadOperations());
  }

  /** Plans a run: makes its reads, and records its changes without sending them. Does not use the journal. */
  async plan(options: PlanOptions): Promise<PlanResult> {
    const { planScript } = await import("../plan/make_plan.ts");
    return await planScript(options, this.#options);
  }

  /** Closes the journal. Throws if something could not be written to it, and that was not reported before. */
  async [Symbol.asyncDispose](): Promise<void> {
    const journal = await this.#journal?.catch(() => undefined); // Reported when it was opened.
    this.#journal = undefined;
    await journal?.[Symbol.asyncDispose]();
  }

  async #continue(
    run: RunRecord,
    settings: RunSettings,
    mode: ContinueCommand,
    options: ResumeRunOptions | StartRunOptions,
  ): Promise<Run> {
    const { id, state, settings: recorded } = run;
    if (state === "cancelled") {
      const reference = { id, location: this.#location };
      const isOnce = "once" in options && options.once;
      throw new SvcError("INVALID_ARGS", `Run ${id} was cancelled.`, {
        hint: isOnce
          ? { commands: [toRunCommand("delete", reference, "to delete it, so that the file can be processed again")] }
          : {
            text: "Start a new run with another identifier.",
            commands: [toRunCommand("delete", reference, "to delete this one")],
          },
      });
    }
    if (recorded.queue !== undefined && options.source === undefined) throw this.#worksOnQueue(run, recorded.queue);
    const profile = this.#options.profile ?? recorded.profile;
    const shared = await this.#continueForWorkers(run, mode, options);
    if (shared !== undefined) return shared;
    const { grants, service, onUnknown } = recorded;
    const changed = changeSettings({ ...settings, grants, service, onUnknown, profile }, options);
    if (grants.length > 0 && !await this.#isOwn(run)) {
      this.#warn(
        `The grants of run ${id} (${grants.join(", ")}) are ignored, because this user did not give them on this ` +
          "machine. Grant them again with --allow.",
      );
      return await this.#open(id, changed, mode, options);
    }
    const allow = [...grants, ...(options.allow ?? [])]; // Grants are kept.
    return await this.#open(id, changed, mode, { ...options, allow });
  }

  /** Gives a run back to its workers. Returns undefined if it is not one of workers. */
  async #continueForWorkers(
    run: RunRecord,
    mode: ContinueCommand,
    options: ResumeRunOptions | StartRunOptions,
  ): Promise<Run | undefined> {
    const location = this.sharedJournal;
    if (location === undefined) return undefined;
    const { PostgresJournal } = await import("../journal/postgres/postgres_journal.ts");
    const { continueRun } = await import("../workers/continue_run.ts");
    const journal = await this.#openJournal();
    if (!(journal instanceof PostgresJournal)) return undefined;
    const settings = changeSettings(run.settings, options);
    return await continueRun(journal, { run, settings, mode, options, location });
  }

  #worksOnQueue({ id, settings: { script } }: RunRecord, queue: string): SvcError {
    const path = this.#path === undefined ? [] : ["--journal", this.#path];
    const args = ["workflow", "work", script, "--queue", queue, ...path];
    return new SvcError("INVALID_ARGS", `The inputs of run ${id} are assignments of the queue ${queue}.`, {
      hint: { commands: [{ args, purpose: "to continue it" }] },
    });
  }

  /** Reports whether this user recorded a run on this machine. Earlier versions stored no proof. */
  async #isOwn(run: RunRecord): Promise<boolean> {
    const { configDirectory } = this.#options;
    if (run.settings.proof !== undefined) return await hasOwnGrants(run, configDirectory);
    return this.#path === undefined && findUntrusted(defaultJournalPath(configDirectory)) === undefined;
  }

  #warn(message: string): void {
    invokeCallback("warn", this.#options.warn, message);
  }

  async #open(
    id: string,
    settings: RunSettings,
    mode: "start" | ContinueCommand,
    options: ResumeRunOptions | StartRunOptions,
    file?: Fingerprint,
  ): Promise<Run> {
    const { openRun } = await import("./open_run.ts");
    const { journal: _journal, journalPassword: _password, ...service } = this.#options;
    return await openRun({
      id,
      settings,
      mode,
      journal: this.#options.journal === false ? undefined : await this.#openJournal(),
      location: this.#location,
      once: "once" in options && options.once,
      file,
      force: "force" in options && options.force,
      acceptChangedInputs: "acceptChangedInputs" in options && options.acceptChangedInputs,
      work: options,
      service,
    });
  }

  /** Finds the run that `start` resumes. */
  async #findEarlier(
    journal: Journal,
    settings: RunSettings,
    { id, resumeLatest }: StartRunOptions,
    processed: ProcessedFile | undefined,
  ): Promise<RunRecord | undefined> {
    if (processed !== undefined) {
      const { checkSameName, isRunOf } = await import("./processed_file.ts");
      const earlier = (await journal.listRuns()).find((run) => isRunOf(processed, run));
      if (earlier !== undefined) checkSameName(processed, earlier);
      return earlier;
    }
    if (id === undefined && !resumeLatest) return undefined;
    const { isSameStart } = await import("./same_start.ts");
    if (id === undefined) {
      for (const run of await journal.listRuns()) {
        if (run.state === "open" && await isSameStart(run.settings, settings)) return run;
      }
      return undefined;
    }
    const run = await journal.findRun(checkRunId(id));
    if (run === undefined || await isSameStart(run.settings, settings)) return run;
    throw new SvcError("INVALID_ARGS", `Run ${id} has another script, another input or another file of inputs.`, {
      hint: {
        text: "Use another identifier.",
        commands: [toRunCommand("show", { id, location: this.#location }, "to see the existing run")],
      },
    });
  }

  async #readProcessedFile(settings: RunSettings): Promise<ProcessedFile> {
    const { readProcessedFile } = await import("./processed_file.ts");
    const { describeService } = await import("./describe_service.ts");
    return await readProcessedFile(settings, describeService({ ...this.#options, profile: settings.profile }));
  }

  /** Claims the start of a run, so that two processes that find no run to resume do not both start one. */
  async #claimStart(
    journal: Journal,
    { script, each, input }: RunSettings,
    processed: ProcessedFile | undefined,
  ): Promise<AsyncDisposable> {
    const key = processed === undefined
      ? [script, each, input]
      : [processed.script, processed.service, processed.file.sha256];
    const digest = await sha256Text(JSON.stringify(key));
    const claim = await tryClaimRun(journal, `resume-${digest.toHex().slice(0, 16)}`);
    if (claim !== undefined) return claim;
    throw new SvcError("INVALID_ARGS", "Another process has just started a run of this script and input.", {
      hint: { commands: [toListCommand(this.#location, "to see its progress")] },
    });
  }

  async #findRun(id: string, suggests = true): Promise<RunRecord> {
    const journal = await this.#existingJournal();
    const run = await journal.findRun(id);
    if (run !== undefined) return run;
    // A run to cancel or delete may be gone already, so that another one must not be suggested.
    const ids = suggests ? (await journal.listRuns()).map((run) => run.id) : [];
    throw new SvcError("INVALID_ARGS", `The journal has no run ${JSON.stringify(id)}.`, {
      hint: {
        text: didYouMean(id, ids, (name) => name, MAX_EDITS).trimEnd(),
        commands: [toListCommand(this.#location, "to list the runs")],
      },
    });
  }

  /** Checks that a run exists. Its record may be damaged. */
  async #findDamagedRun(id: string): Promise<void> {
    try {
      await this.#findRun(id, false);
    } catch (error) {
      const isDamaged = error instanceof SvcError && error.code === "JOURNAL_DAMAGED";
      if (!isDamaged || error.details?.[0]?.run !== id) throw error;
    }
  }

  /** Path of a journal other than the default one. */
  get #path(): string | undefined {
    const { journal } = this.#options;
    return journal === false ? undefined : journal;
  }

  /** Location of that journal for command lines. */
  get #location(): JournalLocation | undefined {
    return this.#path === undefined ? undefined : { path: this.#path, password: this.#options.journalPassword };
  }

  async #openJournal(): Promise<Journal> {
    const { warn, configDirectory: directory } = this.#options;
    this.#journal ??= this.#path === undefined
      ? openJournal(defaultJournalPath(directory), { makeFolder: true, warn })
      : isPostgresLocation(this.#path)
      ? openShared(this.#path, this.#options.journalPassword)
      : openJournal(this.#path, { warn });
    return await this.#journal;
  }

  /** Opens the journal. Throws if there is no file at the path of the options. */
  async #existingJournal(): Promise<Journal> {
    if (this.#options.journal === false) throw new SvcError("INVALID_ARGS", "There is no journal.");
    const path = this.#path;
    if (path === undefined || isPostgresLocation(path) || this.#journal !== undefined || await mayExist(path)) {
      return await this.#openJournal();
    }
    throw new SvcError("INVALID_ARGS", `There is no journal ${path}.`, {
      hint: "Use the path that the run was started with.",
    });
  }
}

/** Returns the path of the default journal. */
export function defaultJournalPath(directory: string = getConfigDirectory()): string {
  return `${directory}/workflows.db`;
}

/** Opens a journal in PostgreSQL, whose client is loaded only now. */
export async function openShared(location: string, password?: PasswordSource): Promise<PostgresJournal> {
  return await (await import("../journal/postgres/postgres_journal.ts")).openPostgresJournal(location, { password });
}

/** Throws `INVALID_ARGS` if a journal is not in PostgreSQL. */
export function checkTakesPassword(journal: string | false | undefined): void {
  if (typeof journal === "string" && isPostgresLocation(journal)) return;
  throw new SvcError("INVALID_ARGS", "Only a journal in PostgreSQL takes a password.", {
    hint: "Name a journal in PostgreSQL, e.g. postgres://svc@db.example.org/city, or omit the password.",
  });
}

/** Reports whether a file exists or cannot be accessed. In the latter case, opening it reports the reason. */
async function mayExist(path: string): Promise<boolean> {
  return await exists(path).catch((error) => {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return true;
  });
}
