/** A robot that shares the assignments of a queue with others. */
import { readTarget } from "../../lib/auth/settings.ts";
import type { CallerOptions } from "../../lib/client/caller.ts";
import { SvcError } from "../../lib/errors.ts";
import { nextEvent } from "../../utils/async/next_event.ts";
import { GrantedCalls, type LiveCalls } from "../engine/live_calls.ts";
import type { RunSettings } from "../journal/journal.ts";
import { isLostClaim } from "../journal/lost_claim.ts";
import type { ClaimedInput } from "../journal/postgres/claimed_input.ts";
import { openPostgresJournal, type PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import { toInputResult } from "../runs/batch.ts";
import { describeService } from "../runs/describe_service.ts";
import type { JournalLocation } from "../runs/hints.ts";
import { grantAll, openCaller } from "../runs/open_caller.ts";
import { DEFAULT_CONCURRENCY, toSettings } from "../runs/options.ts";
import { Runner } from "../runs/runner.ts";
import { type OpenWorkflow, openWorkflow } from "../scripts/open_workflow.ts";
import { AssignmentClaims } from "./assignment_claims.ts";
import { AssignmentHandler } from "./assignment_handler.ts";
import { POLL_MILLISECONDS } from "./assignment_source.ts";
import { QueueInbox } from "./queue_inbox.ts";
import type { RobotOptions } from "./robot_options.ts";
import { type KeyedRun, RobotRuns } from "./robot_runs.ts";

/** Milliseconds between two checks for cancelled runs, and for assignments whose robot is gone. */
const CHECK_MILLISECONDS = 500;

/** Works on a queue until the robot is stopped. Shares its assignments with other robots of a journal in PostgreSQL. */
export async function workOnSharedQueue(
  { path, password }: JournalLocation,
  service: CallerOptions,
  options: RobotOptions,
): Promise<void> {
  const { start, queue, maxAttempts, retryMilliseconds } = options;
  await using resources = new AsyncDisposableStack();
  const requested = toSettings({ ...start, queue }, service.profile);
  const { script, root, limits, concurrency = DEFAULT_CONCURRENCY } = requested;
  const workflow = resources.use(await openWorkflow({ ...start, script, root, limits }));
  const settings = { ...requested, concurrency, grants: [...workflow.grants], service: describeService(service) };
  const session = { name: `process ${Deno.pid}`, kind: "process", concurrency, service: settings.service } as const;
  const journal = resources.use(await openPostgresJournal(path, { password, session, patienceMilliseconds: Infinity }));
  const caller = await openCaller(settings, start.onOutage, service, resources);
  const { baseUrl, apiRoot } = readTarget({ ...service, warn: () => {} });
  const shared = { service: `${baseUrl}${apiRoot}`, queue, maxAttempts, retryMilliseconds };
  const robot = new SharedRobot(journal, workflow, settings, options, {
    script: new GrantedCalls(caller, workflow, settings.onUnknown),
    robot: new GrantedCalls(caller, grantAll(workflow)),
    claims: new AssignmentClaims(journal, shared),
  });
  await robot.run();
}

type RobotSettings = RunSettings & { readonly concurrency: number };

/** The parts of a robot. */
interface RobotParts {
  /** Makes the calls of the script. */
  readonly script: LiveCalls;
  /** Makes the calls of the robot. */
  readonly robot: LiveCalls;
  readonly claims: AssignmentClaims;
}

class SharedRobot {
  readonly #journal: PostgresJournal;
  readonly #workflow: OpenWorkflow;
  readonly #settings: RobotSettings;
  readonly #options: RobotOptions;
  readonly #parts: RobotParts;
  readonly #runs: RobotRuns;
  readonly #inbox: QueueInbox;
  /** Runners of runs with assignments in progress. */
  readonly #runners = new Map<string, Runner>();
  /** Assignments in progress: the identifier of the run and the number of the input. */
  readonly #active = new Map<string, { readonly runId: string; readonly number: number }>();
  readonly #working = new Set<Promise<void>>();
  #failure?: { readonly reason: unknown };
  #checkedAt = 0;
  /** When the inbox had no further assignment. Reset when an assignment has ended, because it may be back in the queue. */
  #emptyAt = 0;
  /** Number of assignments that this robot has started. */
  #started = 0;
  /** Number of these that it no longer works on. */
  #ended = 0;
  #wake = Promise.withResolvers<void>();

  constructor(
    journal: PostgresJournal,
    workflow: OpenWorkflow,
    settings: RobotSettings,
    options: RobotOptions,
    parts: RobotParts,
  ) {
    this.#journal = journal;
    this.#workflow = workflow;
    this.#settings = settings;
    this.#options = options;
    this.#parts = parts;
    this.#runs = new RobotRuns(journal, workflow, settings, parts.claims, options);
    this.#inbox = new QueueInbox(parts.robot, options.queue, options.drain);
  }

  /** Works until the robot is stopped. Then completes the assignments in progress. */
  async run(): Promise<void> {
    const { drain, untilEmpty } = this.#options;
    try {
      await this.#runs.concludeEarlier();
      while (!drain.aborted && this.#failure === undefined) {
        const wasIdle = this.#working.size === 0; // One that ends during the search may add work.
        const started = await this.#startInputs();
        if (untilEmpty && wasIdle && started === 0) break;
        if (started === 0) await this.#nextEvent();
      }
      await Promise.all(this.#working);
      if (this.#failure !== undefined) throw this.#failure.reason;
      await this.#parts.claims.releaseEnded();
      await this.#runs.leaveOwn();
    } finally {
      await Promise.all([...this.#runners.values()].map((runner) => runner.interrupt()));
      await Promise.all(this.#working);
      await this.#runs[Symbol.asyncDispose]();
    }
  }

  get #free(): number {
    return this.#settings.concurrency - this.#working.size;
  }

  /** Starts assignments whose robot is gone, and then those of the inbox. Returns their number. */
  async #startInputs(): Promise<number> {
    const before = this.#started;
    if (Date.now() - this.#checkedAt >= CHECK_MILLISECONDS) {
      this.#checkedAt = Date.now();
      await this.#checkRuns();
      await this.#parts.claims.releaseEnded();
      await this.#continueOthers();
    }
    if (Date.now() - this.#emptyAt >= POLL_MILLISECONDS) await this.#claimFromInbox();
    return this.#started - before;
  }

  async #claimFromInbox(): Promise<void> {
    const ended = this.#ended;
    // Assignments are offered once. Other robots work on those that were not claimed, or they are delayed.
    const offered = new Set<string>();
    while (this.#free > 0 && !this.#options.drain.aborted && this.#failure === undefined) {
      const found = await this.#inbox.take(this.#free, (id) => !this.#active.has(id) && !offered.has(id));
      if (found.length === 0) {
        if (ended === this.#ended) this.#emptyAt = Date.now();
        return;
      }
      for (const { place } of found) offered.add(place);
      const own = await this.#runs.openOwn();
      const claims = await this.#parts.claims.claim(own.id, found);
      own.last = Math.max(own.last, ...claims.map(({ key }) => key.number));
      for (const claim of claims) this.#start(own, claim);
    }
  }

  /** Waits until an assignment has ended, the robot is stopped, or a delay is over. */
  async #nextEvent(): Promise<void> {
    this.#wake = Promise.withResolvers();
    await nextEvent([this.#wake.promise], this.#options.drain, CHECK_MILLISECONDS);
  }

  #start(run: KeyedRun, claim: ClaimedInput): void {
    const work = this.#work(run, claim)
      .catch((reason) => void (this.#failure ??= { reason }))
      .finally(() => {
        this.#working.delete(work);
        this.#ended++;
        this.#emptyAt = 0;
        this.#wake.resolve();
      });
    this.#working.add(work);
    this.#started++;
  }

  async #work(run: KeyedRun, claim: ClaimedInput): Promise<void> {
    const { id: runId } = run;
    const { start, onResult } = this.#options;
    const { number, place, value } = claim.described;
    const runner = this.#openRunner(run);
    this.#active.set(place, { runId, number });
    try {
      const outcome = await runner.runUntilWait({ number, place, value }, (text) => start.onLog?.(text, place));
      if ("waitsUntil" in outcome) return; // It keeps its process while it waits.
      const continues = outcome.isOpen && "failure" in outcome && outcome.failure.code === "INTERRUPTED";
      if (!continues) await onResult(toInputResult(place, outcome));
      if (runner.stoppedBy !== undefined) throw runner.stoppedBy;
      if (this.#journal.isBroken()) await this.#journal.durable(); // Throws.
    } catch (error) {
      if (!isLostClaim(error)) throw error;
    } finally {
      await claim[Symbol.asyncDispose]();
      this.#active.delete(place);
    }
    await this.#parts.claims.releaseEnded();
    if (runId !== this.#runs.own?.id && await this.#runs.end(runId)) this.#runners.delete(runId);
  }

  #openRunner({ id, nonce }: KeyedRun): Runner {
    const known = this.#runners.get(id);
    if (known !== undefined) return known;
    const { robot, script: live, claims } = this.#parts;
    const count = async (place: string, isBusiness: boolean) => {
      const { number = 0 } = this.#active.get(place) ?? {};
      return await claims.countFailure(id, number, place, isBusiness);
    };
    // Assignments that were completed or parked are forgotten when their inputs have ended.
    const handler = new AssignmentHandler(robot, { count, forget: () => {} }, this.#options);
    const { force } = this.#options.start;
    const { keep } = this.#settings;
    const source = {
      before: handler.before.bind(handler),
      after: handler.after.bind(handler),
      close: () => {},
    };
    const runner = new Runner({
      workflow: this.#workflow,
      live,
      journal: this.#journal,
      id,
      nonce,
      force,
      source,
      keep,
    });
    this.#runners.set(id, runner);
    return runner;
  }

  /** Continues assignments whose robot is gone. */
  async #continueOthers(): Promise<void> {
    for (const run of await this.#parts.claims.listRunsToContinue()) {
      if (this.#free <= 0) return;
      if (!this.#runs.canContinue(run)) continue;
      for (const claim of await this.#parts.claims.continue(run.id, this.#free)) {
        this.#options.log(`Continuing assignment ${claim.described.place} of run ${run.id}.`);
        this.#start({ id: run.id, nonce: run.settings.nonce }, claim);
      }
    }
  }

  /** Interrupts the inputs of cancelled runs. The robot ends if its own run was cancelled. */
  async #checkRuns(): Promise<void> {
    const { own } = this.#runs;
    for (const id of new Set([...this.#runners.keys(), ...(own === undefined ? [] : [own.id])])) {
      const state = await this.#journal.readState(id);
      if (state === "open") continue;
      const isCancelled = state === "cancelled" || state === undefined;
      if (isCancelled) void this.#runners.get(id)?.interrupt();
      if (![...this.#active.values()].some(({ runId }) => runId === id)) this.#runners.delete(id);
      if (id !== own?.id) continue;
      if (isCancelled) this.#failure ??= { reason: new SvcError("INTERRUPTED", `Run ${id} was cancelled.`) };
      else await this.#runs.leaveOwn(); // Its claim was lost with a connection, and another robot has ended it.
    }
  }
}
