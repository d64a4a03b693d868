/** A process that takes inputs from a shared journal and runs them. */
import { type Caller, type CallerOptions, createCaller } from "../../lib/client/caller.ts";
import { retrying } from "../../lib/client/retry.ts";
import { getErrorMessage, SvcError, toSvcError } from "../../lib/errors.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { nextEvent } from "../../utils/async/next_event.ts";
import type { PasswordSource } from "../../utils/postgres/password.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { GrantedCalls } from "../engine/live_calls.ts";
import type { RunRecord } from "../journal/journal.ts";
import { grantSlots, toRunTarget, toServiceTarget } from "../journal/postgres/call_limits.ts";
import type { ClaimedInput } from "../journal/postgres/claimed_input.ts";
import { openPostgresJournal, type PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import type { Session } from "../journal/postgres/session.ts";
import { CallLimiter } from "../pace/call_limiter.ts";
import { limitCalls } from "../pace/limit_calls.ts";
import { chooseReserve } from "../runs/batch.ts";
import { describeService } from "../runs/describe_service.ts";
import { readRetries } from "../runs/open_caller.ts";
import { findSafeCounts, parseMaxFailures, type SafeCounts } from "../runs/rate.ts";
import { Runner } from "../runs/runner.ts";
import { openWorkflow } from "../scripts/open_workflow.ts";
import { SharedSchedules } from "../schedules/shared_schedules.ts";
import { expandPatterns, type Grants, loadOperations } from "../scripts/permissions.ts";
import { PrivateFolder } from "../scripts/private_folder.ts";
import { unpackScript } from "./pack_script.ts";
import { type Backlog, WorkQueue } from "./work_queue.ts";
import type { MeasuredWorker, WorkerMetrics } from "./worker_metrics.ts";

/** Milliseconds between two searches for inputs. */
const POLL_MILLISECONDS = 200;

/** Milliseconds between two checks of the runs in progress. */
const CHECK_MILLISECONDS = 1000;

/** Milliseconds for which a run is left to other workers after it could not be worked on. */
const BACKOFF_MILLISECONDS = 10_000;

/** Milliseconds after which the script of a run without inputs is closed. */
const UNUSED_MILLISECONDS = 30_000;

/** Milliseconds of waiting from which an input leaves the worker. Any worker continues it. */
const RELEASE_MILLISECONDS = 1000;

/** Milliseconds for which a worker that is stopped waits for a database that is unavailable. */
const MAX_STOP_MILLISECONDS = 10_000;

/** Options of a worker. */
export interface WorkerOptions {
  /** Location of the journal. */
  readonly store: string;
  /** Source of the password of the journal. Default: the variable `PGPASSWORD`, or no password. */
  readonly password?: PasswordSource;
  /** Number of inputs to process at the same time. */
  readonly concurrency: number;
  /** Operations that scripts may call, such as `cases.create`, `assignments.*` or `*`. */
  readonly allow: readonly string[];
  /** How to reach the service. */
  readonly service: CallerOptions;
  /** Calls per second that all workers of the service may make together. The lowest limit holds. Default: no limit. */
  readonly callRate?: number;
  /** Address on which metrics are served, such as `127.0.0.1:9464`. Default: no metrics. */
  readonly metrics?: string;
  /** Returns the time for schedules in milliseconds since 1970. Default: the clock of the database. */
  readonly now?: () => number;
  /** True ends the worker when there is nothing to do. */
  readonly untilIdle?: boolean;
  /** Stops the worker: calls in progress are recorded, and its inputs are left to others. */
  readonly signal: AbortSignal;
  /** Receives a line about each event. */
  readonly log: Log;
}

/**
 * Takes inputs and runs them, until the signal aborts or the worker is drained. With `untilIdle`, resolves to the identifiers
 * of the runs that this worker ended and that failed.
 */
export async function runWorker(options: WorkerOptions): Promise<readonly string[]> {
  const { store, password, concurrency, service: callerOptions, callRate, signal } = options;
  const allowed = expandPatterns(options.allow, await loadOperations());
  const service = describeService(callerOptions);
  const session = { name: `process ${Deno.pid}`, kind: "worker", concurrency, service, callRate } as const;
  await using journal = await openPostgresJournal(store, { session, password, patienceMilliseconds: Infinity });
  using closing = new DisposableStack();
  closing.use(onAbort(signal, () => {
    const timer = setTimeout(() => journal.database.stopRepeating(), MAX_STOP_MILLISECONDS);
    closing.defer(() => clearTimeout(timer));
  }));
  const worker = new Worker(journal, await journal.openSession(), options, allowed, service);
  try {
    await using metrics = options.metrics === undefined ? undefined : await openMetrics(options.metrics, worker);
    if (metrics !== undefined) {
      worker.metrics = metrics;
      options.log(`Metrics are at ${metrics.url}.`);
    }
    await worker.run();
    return worker.failedRuns;
  } finally {
    await worker.stop();
  }
}

async function openMetrics(address: string, worker: MeasuredWorker): Promise<WorkerMetrics> {
  return new (await import("./worker_metrics.ts")).WorkerMetrics(address, worker);
}

/** A run that this worker has opened. */
interface OpenedRun extends AsyncDisposable {
  readonly runner: Runner;
  readonly queued: RunRecord;
  /** Number of inputs that this worker has taken. */
  taken: number;
  /** Number of inputs in progress. */
  active: number;
  /** Counts below which the run cannot have reached its limit of failures. Undefined if it has no limit. */
  safeCounts: SafeCounts | undefined;
  usedAt: number;
}

class Worker implements MeasuredWorker {
  /** Metrics of the worker, if they are on. */
  metrics?: WorkerMetrics;
  /** Identifiers of the runs that failed, if the worker ends when it is idle. */
  readonly failedRuns: string[] = [];
  readonly #queue: WorkQueue;
  readonly #journal: PostgresJournal;
  readonly #session: Session;
  readonly #options: WorkerOptions;
  readonly #allowed: Grants;
  readonly #service: string | undefined;
  readonly #caller: Caller;
  readonly #schedules: SharedSchedules;
  readonly #serviceLimiter: CallLimiter;
  readonly #runs = new Map<string, OpenedRun>();
  /** When to retry runs that could not be worked on. */
  readonly #backoff = new Map<string, number>();
  /** Why the worker does not take the inputs of runs. */
  readonly #notes = new Map<string, string>();
  readonly #active = new Set<Promise<void>>();
  #wake = Promise.withResolvers<void>();
  #checkedAt = 0;
  #scheduledAt = 0;

  constructor(
    journal: PostgresJournal,
    session: Session,
    options: WorkerOptions,
    allowed: Grants,
    service: string | undefined,
  ) {
    this.#queue = new WorkQueue(journal);
    this.#journal = journal;
    this.#session = session;
    this.#options = options;
    this.#allowed = allowed;
    this.#service = service;
    this.#caller = createCaller(options.service);
    const { store: path, password, log, now } = options;
    this.#schedules = new SharedSchedules(journal, { path, password }, log, now);
    this.#serviceLimiter = this.#createLimiter(toServiceTarget(service ?? ""), () => session.callRate);
  }

  get concurrency(): number {
    return this.#options.concurrency;
  }

  countRunning(): number {
    return this.#active.size;
  }

  async readBacklog(): Promise<Backlog> {
    return await this.#queue.readBacklog();
  }

  async run(): Promise<void> {
    const { signal, log, concurrency, untilIdle = false } = this.#options;
    log(`Worker ${this.#session.id} takes up to ${pluralize(concurrency, "input")} at a time.`);
    while (!signal.aborted) {
      const { state } = this.#session;
      const wasIdle = this.#active.size === 0; // One that ends during the search may add work.
      if (state === "active") await this.#startDueRuns();
      const taken = state === "active" ? await this.#takeInputs() : 0;
      if (state === "draining" && this.#active.size === 0) return log("Drained.");
      await this.#checkRuns();
      if (untilIdle && wasIdle && taken === 0) return;
      if (this.#journal.isBroken()) await this.#journal.durable(); // Throws.
      if (taken === 0 || this.#active.size >= concurrency) await this.#nextEvent();
    }
  }

  /** Interrupts what is in progress, and waits for it. */
  async stop(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ runner }) => runner.interrupt()));
    await Promise.allSettled(this.#active);
    await Promise.all([...this.#runs.values()].map((run) => run[Symbol.asyncDispose]()));
  }

  /** Waits until an input has ended, or for a short time. */
  async #nextEvent(): Promise<void> {
    this.#wake = Promise.withResolvers();
    await nextEvent([this.#wake.promise], this.#options.signal, POLL_MILLISECONDS);
  }

  /** Starts the runs of schedules that are due, once per second. A damaged schedule does not stop the worker. */
  async #startDueRuns(): Promise<void> {
    if (Date.now() - this.#scheduledAt < CHECK_MILLISECONDS) return;
    this.#scheduledAt = Date.now();
    try {
      await this.#schedules.startDueRuns();
    } catch (error) {
      if (this.#options.signal.aborted) return;
      const { code, message } = toSvcError(error);
      this.#options.log(message, { level: "error", message: "Schedule not run", code });
    }
  }

  async #takeInputs(): Promise<number> {
    let taken = 0;
    const free = () => this.#options.concurrency - this.#active.size;
    if (free() === 0) return 0;
    for (const queued of await this.#queue.listWork()) {
      if (free() === 0 || this.#options.signal.aborted) break;
      if ((this.#backoff.get(queued.id) ?? 0) > Date.now()) continue;
      const run = await this.#open(queued);
      if (run === undefined) continue;
      const claims = await this.#take(run, free());
      this.#expectInputs(run, claims.length);
      for (const claim of claims) {
        taken++;
        const work = this.#work(run, claim).finally(() => {
          this.#active.delete(work);
          this.#wake.resolve();
        });
        this.#active.add(work);
      }
    }
    return taken;
  }

  /** Takes inputs of a run. If it gets none, its bounds may be out of date: then computes them again, and retries once. */
  async #take(run: OpenedRun, limit: number): Promise<readonly ClaimedInput[]> {
    const { queued: { id }, safeCounts } = run;
    const claims = await this.#queue.take(id, limit, safeCounts);
    if (claims.length > 0 || safeCounts === undefined) return claims;
    await this.#checkFailures(run);
    return isSame(run.safeCounts, safeCounts) ? claims : await this.#queue.take(id, limit, run.safeCounts);
  }

  /** Keeps sandboxes in reserve once this worker has taken more than one input of a run. */
  #expectInputs(run: OpenedRun, taken: number): void {
    run.taken += taken;
    if (run.taken < 2) return;
    run.runner.workflow.expectInputs(chooseReserve(this.#options.concurrency));
  }

  /** Opens the script of a run. Returns undefined if this worker must not or cannot run it. */
  async #open(queued: RunRecord): Promise<OpenedRun | undefined> {
    const opened = this.#runs.get(queued.id);
    if (opened !== undefined && !hasChanged(opened.queued, queued)) {
      return opened.runner.isInterrupted ? undefined : opened;
    }
    if (opened !== undefined) {
      if (opened.active > 0) return undefined; // Its inputs end with the settings that they have started with.
      this.#runs.delete(queued.id);
      await opened[Symbol.asyncDispose]();
    }
    try {
      this.#checkRun(queued);
      const run = await openQueued(
        queued,
        await this.#queue.readScript(queued.id),
        this.#journal,
        this.#createCaller(queued),
        this.metrics,
      );
      this.#runs.set(queued.id, run);
      this.#setNote(queued.id);
      this.#options.log(`Working on run ${queued.id} (${queued.name}).`);
      return run;
    } catch (error) {
      this.#setNote(queued.id, `Run ${queued.id}: ${getErrorMessage(error)}`);
      this.#backoff.set(queued.id, Date.now() + BACKOFF_MILLISECONDS);
      return undefined;
    }
  }

  /** Creates a caller that retries the calls of a run, waits while the service is unavailable, and keeps to the limits. */
  #createCaller({ id, settings }: RunRecord): Caller {
    if (this.#service === undefined) return this.#caller;
    const { attempts, maxOutageSeconds } = readRetries(settings, this.#options.service);
    const limiters = [this.#createLimiter(toRunTarget(id), () => settings.callRate), this.#serviceLimiter];
    return limitCalls(retrying(this.#caller, { attempts, maxOutageSeconds }), limiters);
  }

  #createLimiter(target: string, getRate: () => number | undefined): CallLimiter {
    const { database } = this.#journal;
    return new CallLimiter(getRate, (count, perSecond) => grantSlots(database, target, { count, perSecond }));
  }

  #checkRun({ settings: { grants, service } }: RunRecord): void {
    const missing = grants.filter((name) => !this.#allowed.has(name));
    if (missing.length > 0) {
      throw new SvcError("PERMISSION_DENIED", `This worker does not grant ${missing.join(", ")}.`);
    }
    if (service !== undefined && service !== this.#service) {
      throw new SvcError(
        "INVALID_CONFIG",
        `It needs ${service}, and this worker uses ${this.#service ?? "no service"}.`,
      );
    }
  }

  /** Reports why the worker leaves a run to others, once. */
  #setNote(runId: string, note?: string): void {
    if (this.#notes.get(runId) === note) return;
    if (note === undefined) this.#notes.delete(runId);
    else {
      this.#notes.set(runId, note);
      this.#options.log(note, { level: "warning" });
    }
    this.#session.note = [...this.#notes.values()].at(-1) ?? null;
  }

  async #work(run: OpenedRun, claim: ClaimedInput): Promise<void> {
    const { log } = this.#options;
    const { queued: { id }, runner } = run;
    const { number, place, value } = claim.described;
    run.active++; // Before anything is awaited: a run without active inputs can be closed.
    const fields = { run: id, input: number, traceId: await runner.findTraceId(number) };
    const start = performance.now();
    try {
      const outcome = await runner.runUntilWait({ number, place, value }, (text) => {
        log(`${id} ${place}: ${text}`, { ...fields, message: text });
      });
      this.metrics?.countInput(outcome);
      if ("failure" in outcome && outcome.failure.code !== "INTERRUPTED") {
        const { code, message } = outcome.failure;
        const result = outcome.isOpen ? "stopped" : "failed";
        const durationMs = Math.round(performance.now() - start);
        // The message of the error may contain content of a case.
        const entry = { ...fields, level: "error", message: `Input ${result}`, code, durationMs } as const;
        log(`${id} ${place} ${result}: ${code} ${message}`, entry);
      }
    } catch (error) {
      const { code, message } = toSvcError(error);
      log(`${id} ${place}: ${message}`, { ...fields, level: "error", message: "Input not completed", code });
      this.#backoff.set(id, Date.now() + BACKOFF_MILLISECONDS);
    } finally {
      await claim[Symbol.asyncDispose]();
      run.active--;
      run.usedAt = Date.now();
    }
    if (run.active === 0) {
      await this.#settle(run.queued).catch((error) => log(toSvcError(error).message, { level: "error" }));
    }
  }

  /** Ends a run if all its inputs have ended. Its schedule may then start another one. */
  async #settle({ id, settings: { schedule } }: RunRecord): Promise<void> {
    await this.#settleRuns(id);
    if (schedule === undefined) return;
    await this.#schedules.requestCheck(schedule);
    this.#scheduledAt = 0;
  }

  async #settleRuns(id?: string): Promise<void> {
    const failed = await this.#queue.settle(id);
    if (this.#options.untilIdle) this.failedRuns.push(...failed);
  }

  /**
   * Checks the runs periodically: those in progress may be cancelled, or have too many failures. A worker that was killed
   * after the last input of a run has not ended the run.
   */
  async #checkRuns(): Promise<void> {
    if (Date.now() - this.#checkedAt < CHECK_MILLISECONDS) return;
    this.#checkedAt = Date.now();
    await this.#settleRuns();
    for (const id of [...this.#notes.keys()]) if (await this.#journal.readState(id) !== "open") this.#setNote(id);
    for (const [id, run] of this.#runs) {
      if (run.active === 0 && (run.runner.isInterrupted || Date.now() - run.usedAt > UNUSED_MILLISECONDS)) {
        this.#runs.delete(id);
        if (run.runner.stoppedBy !== undefined) {
          this.#setNote(id, `Run ${id}: ${run.runner.stoppedBy.message}`);
          this.#backoff.set(id, Date.now() + BACKOFF_MILLISECONDS);
        }
        await run[Symbol.asyncDispose]();
        continue;
      }
      if (run.active === 0) continue;
      if (await this.#journal.readState(id) === "cancelled") void run.runner.interrupt();
      await this.#checkFailures(run);
    }
  }

  /** Stops a run that has reached its limit of failures. Counts inputs that have ended since it was last continued. */
  async #checkFailures(run: OpenedRun): Promise<void> {
    const { id, settings: { maxFailures, earlier = NONE } } = run.queued;
    if (maxFailures === undefined) return;
    const { succeeded = 0, failed = 0, stopped = 0 } = await this.#queue.readProgress(id) ?? {};
    const failures = failed + stopped - earlier.failed;
    const counts = { done: succeeded + failed + stopped - earlier.done, failed: failures };
    if (parseMaxFailures(maxFailures)(counts)) await this.#queue.stopAtMaxFailures(run.queued);
    run.safeCounts = findTotalSafeCounts(run.queued, counts);
  }
}

const NONE = { done: 0, failed: 0 };

/** Returns the safe counts for all inputs of a run. `counts` are those since it was last continued. */
function findTotalSafeCounts(
  { settings: { maxFailures, earlier = NONE } }: RunRecord,
  counts = NONE,
): SafeCounts | undefined {
  if (maxFailures === undefined) return undefined;
  const { failed, done } = findSafeCounts(maxFailures, counts);
  return { failed: earlier.failed + failed, ...(done !== undefined && { done: earlier.done + done }) };
}

function isSame(one: SafeCounts | undefined, other: SafeCounts | undefined): boolean {
  return one?.failed === other?.failed && one?.done === other?.done;
}

/** Reports whether a run has been continued with other settings or another script. */
function hasChanged(opened: RunRecord, current: RunRecord): boolean {
  return opened.digest !== current.digest || JSON.stringify(opened.settings) !== JSON.stringify(current.settings);
}

/** Unpacks and opens the script of a run, with the grants that the run has recorded and the worker allows. */
async function openQueued(
  queued: RunRecord,
  script: string,
  journal: PostgresJournal,
  caller: Caller,
  metrics: WorkerMetrics | undefined,
): Promise<OpenedRun> {
  const { id, digest, settings: { grants, limits, onUnknown, nonce, keep } } = queued;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await PrivateFolder.create());
  await Deno.mkdir(`${folder.path}/script`);
  const files = await unpackScript(script, `${folder.path}/script`);
  const workflow = stack.use(await openWorkflow({ ...files, limits, allow: grants }));
  if (workflow.digest !== digest) {
    throw new SvcError("JOURNAL_DAMAGED", "The recorded script does not match its digest.", {
      hint: "Start a new run.",
    });
  }
  const calls = new GrantedCalls(caller, workflow, onUnknown);
  const live = metrics?.watchCalls(calls, workflow) ?? calls;
  const runner = new Runner({ workflow, live, journal, id, nonce, releaseAfter: RELEASE_MILLISECONDS, keep });
  const resources = stack.move();
  return {
    runner,
    queued,
    taken: 0,
    active: 0,
    safeCounts: findTotalSafeCounts(queued),
    usedAt: Date.now(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
