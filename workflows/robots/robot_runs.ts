/** The runs to which the robots of a queue add their assignments. */
import { SvcError } from "../../lib/errors.ts";
import type { RunRecord, RunSettings } from "../journal/journal.ts";
import type { PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import { newRunId } from "../journal/run_id.ts";
import { tryClaimRun } from "../runs/claim_run.ts";
import { createNonce } from "../runs/prepare_run.ts";
import type { OpenWorkflow } from "../scripts/open_workflow.ts";
import type { AssignmentClaims } from "./assignment_claims.ts";
import { MAX_INPUTS } from "./assignment_source.ts";
import type { RobotOptions } from "./robot_options.ts";

/** A run and the random part of its idempotency keys. */
export interface KeyedRun {
  /** Identifier of the run. */
  readonly id: string;
  /** Random part of its idempotency keys. */
  readonly nonce?: string;
}

/** The run to which a robot adds its assignments. */
export interface OwnRun extends KeyedRun {
  /** Number of its last input. */
  last: number;
  /** The claim of the run. */
  readonly claim: AsyncDisposable;
}

/** Begins and ends the runs of a robot, and ends those of robots that are gone. */
export class RobotRuns implements AsyncDisposable {
  readonly #journal: PostgresJournal;
  readonly #workflow: OpenWorkflow;
  readonly #settings: RunSettings;
  readonly #claims: AssignmentClaims;
  readonly #options: RobotOptions;
  /** Runs with another script that were reported. */
  readonly #reported = new Set<string>();
  #own?: OwnRun;

  /** `settings` are those of new runs. */
  constructor(
    journal: PostgresJournal,
    workflow: OpenWorkflow,
    settings: RunSettings,
    claims: AssignmentClaims,
    options: RobotOptions,
  ) {
    this.#journal = journal;
    this.#workflow = workflow;
    this.#settings = settings;
    this.#claims = claims;
    this.#options = options;
  }

  /** The run to which the robot adds its assignments. Undefined until it has claimed the first one. */
  get own(): OwnRun | undefined {
    return this.#own;
  }

  /** Reports whether a run has the script and the client of this robot. Its idempotency keys belong to the client. */
  canContinue({ id, name, digest, settings }: RunRecord): boolean {
    if (name !== this.#workflow.name || settings.service !== this.#settings.service) return false;
    if (digest === this.#workflow.digest || this.#options.start.force === true) return true;
    if (!this.#reported.has(id)) {
      this.#reported.add(id);
      this.#options.log(
        `Run ${id} belongs to another version of the script. To continue its assignments, start a robot with that ` +
          "version, or use --force.",
      );
    }
    return false;
  }

  /** Returns the run for further assignments. Begins a new one after `MAX_INPUTS` inputs. */
  async openOwn(): Promise<OwnRun> {
    if (this.#own !== undefined && this.#own.last >= MAX_INPUTS) await this.leaveOwn();
    return this.#own ??= await this.#createRun();
  }

  async #createRun(): Promise<OwnRun> {
    const id = newRunId();
    const { name, digest } = this.#workflow;
    const settings = { ...this.#settings, nonce: createNonce() };
    await using resources = new AsyncDisposableStack();
    const claim = resources.use(await tryClaimRun(this.#journal, id));
    if (claim === undefined) throw new SvcError("INTERNAL_ERROR", `Another process works on the new run ${id}.`);
    await this.#journal.createRun({ id, name, digest, settings, state: "open", startedAt: Date.now() });
    return { id, nonce: settings.nonce, last: 0, claim: resources.move() };
  }

  /** Adds no further inputs to the run of this robot. It ends with its last input. */
  async leaveOwn(): Promise<void> {
    const own = this.#own;
    if (own === undefined) return;
    await using _claim = own.claim;
    this.#own = undefined;
    if (own.last === 0) await this.#journal.deleteRun(own.id);
    else await this.#claims.endRun(own.id);
  }

  /** Ends a run of another robot, or an earlier one of this robot, after its last input. Resolves to false if it continues. */
  async end(id: string): Promise<boolean> {
    await using claim = await tryClaimRun(this.#journal, id);
    if (claim === undefined) return false;
    await this.#claims.endRun(id);
    return await this.#journal.readState(id) !== "open";
  }

  /** Lets stopped inputs of earlier runs continue, and ends runs whose robot was killed after its last assignment. */
  async concludeEarlier(): Promise<void> {
    const runs = await this.#journal.listRuns(() => {});
    for (const run of runs) {
      if (run.state !== "open" || run.settings.queue !== this.#options.queue || !this.canContinue(run)) continue;
      await this.#claims.continueStopped(run.id);
      await this.end(run.id);
    }
  }

  /** Releases the claim of its own run, which stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#own?.claim[Symbol.asyncDispose]();
  }
}
