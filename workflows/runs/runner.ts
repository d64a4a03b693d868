/** Runs the inputs of one run: each goes on from what the journal has of it, and leaves there what it does. */
import { type ErrorRecord, SvcError, toSvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import type { BatchInput } from "../inputs/open_inputs.ts";
import { interrupted, LeftOpen, StopsRun } from "./interruption.ts";
import type { InputEnd, InputJournal, InputRecord } from "../journal/journal.ts";
import type { OpenWorkflow } from "./open_workflow.ts";
import { KilledFromOutside } from "../sandbox/host/exit.ts";
import { isThrown } from "../sandbox/guest/script_error.ts";
import { type EventSink, InputRun } from "../engine/input_run.ts";
import { type LiveCalls, StopInput } from "../engine/live_call.ts";
import { errorIn, type Left, leftEvent, leftOf } from "../engine/recording.ts";
import { newRunId } from "../journal/run_id.ts";

/** What a run is made of. */
export interface RunnerOptions {
  /** The script. */
  readonly workflow: OpenWorkflow;
  /** Makes its calls. */
  readonly live: LiveCalls;
  /** Where the run is written; nowhere without it. */
  readonly journal?: InputJournal;
  /** Identifier of the run. */
  readonly id?: string;
  /** Random part of its idempotency keys: another run of the same identifier has other keys. */
  readonly nonce?: string;
  /** Goes on where the script does something else than it did. */
  readonly force?: boolean;
  /** Only looks what the script would do: one that fails before it has done all that it did has left its path. */
  readonly isTrial?: boolean;
}

/** One input of a run. */
export interface RunInput extends BatchInput {
  /** Its number, from 1. */
  readonly number: number;
}

/** What became of an input. */
export type InputOutcome =
  & ({ readonly result?: JsonValue } | { readonly failure: SvcError })
  & {
    /** Whether it had ended before. */
    readonly isOld?: true;
    /** Whether it is not ended, and goes on with its run. */
    readonly isOpen?: true;
  };

/** Times that a sandbox which somebody else has killed is made anew: with a journal it goes on where it was. */
const MAX_LIVES = 5;

/** What to do about a file of inputs that is not what it was. */
export const OTHER_FILE = "To begin a new run, give this one up with 'svc workflow cancel' if it is unfinished; " +
  "to go on with it, restore the file of the inputs.";

/** Runs inputs. */
export class Runner {
  /** Identifier of the run. */
  readonly id: string;
  /** The script. */
  readonly workflow: OpenWorkflow;
  readonly #options: RunnerOptions;
  readonly #active = new Map<InputRun, (reason: SvcError) => void>();
  readonly #interruption = new AbortController();
  #interrupted?: Promise<void>;
  #stoppedBy?: SvcError;

  /** A runner of a script that is open. */
  constructor(options: RunnerOptions) {
    this.#options = options;
    this.workflow = options.workflow;
    this.id = options.id ?? newRunId();
  }

  /** Aborts when it is told to begin nothing more. */
  get interruption(): AbortSignal {
    return this.#interruption.signal;
  }

  /** Whether it was told to begin nothing more. */
  get isInterrupted(): boolean {
    return this.#interrupted !== undefined;
  }

  /** Runs an input, or tells what has become of it before. */
  async run(input: RunInput, onLog: (text: string) => void = () => {}): Promise<InputOutcome> {
    if (this.#options.journal?.isBroken()) return { failure: this.#giveUp() };
    await using claim = await this.#options.journal?.claimInput(this.id, input.number);
    if (this.#options.journal !== undefined && claim === undefined) throw alreadyClaimed(this.id, input);
    const before = await this.#options.journal?.findInput(this.id, input.number);
    const mended = before && await this.#mend(before, input);
    if (before && mended === undefined) checkSame(before, input);
    if (before?.end) return { ...outcomeOf(before.end), isOld: true };
    const record = mended ?? before ?? this.#begin(input);
    if (before?.stopped) this.#options.journal?.stopInput(this.id, input.number);
    const outcome = input.error === undefined ? await this.#attempt(record, onLog) : { failure: input.error };
    if ("failure" in outcome && isLeftOpen(outcome.failure)) return this.#leaveOpen(input, outcome.failure);
    this.#options.journal?.endInput(this.id, input.number, endOf(outcome));
    return outcome;
  }

  /** Whether an input has been begun. */
  async hasBegun(number: number): Promise<boolean> {
    return await this.#options.journal?.findInput(this.id, number) !== undefined;
  }

  /** Whether an input has ended, and is not run any more. */
  async hasEnded(number: number): Promise<boolean> {
    return (await this.#options.journal?.findInput(this.id, number))?.end !== undefined;
  }

  /** Why it begins nothing more, where nobody has told it to stop. */
  get stoppedBy(): SvcError | undefined {
    return this.#stoppedBy;
  }

  /** Ends the run soon, for a reason where nobody has told it to: calls on their way are still answered and written. */
  interrupt(reason?: SvcError): Promise<void> {
    this.#stoppedBy ??= reason;
    this.#interruption.abort();
    return this.#interrupted ??= this.#drain();
  }

  /** One that was interrupted just goes on; what else stops it, somebody has to decide about. */
  #leaveOpen({ number }: RunInput, failure: SvcError): InputOutcome {
    if (failure.code !== "INTERRUPTED") this.#options.journal?.stopInput(this.id, number, failure.toJSON());
    return { failure, isOpen: true };
  }

  #begin({ number, place, value }: RunInput): InputRecord {
    const record: InputRecord = { number, place, value, startedAt: Date.now(), generation: 0 };
    this.#options.journal?.beginInput(this.id, record);
    return record;
  }

  /**
   * An input that has failed and goes on anew may have been mended meanwhile: it goes on with what its line says now. One
   * that is no input now fails because of that, as it would have at first. What it did before is known to be older.
   */
  async #mend(before: InputRecord, { place, value }: RunInput): Promise<InputRecord | undefined> {
    const isMended = before.generation > 0 && before.end === undefined && before.place === place;
    const { journal } = this.#options;
    if (journal === undefined || !isMended || isSameValue(before.value, value)) return undefined;
    const { number } = before;
    journal.changeInput(this.id, number, value);
    const left = { ...leftOf(await journal.events(this.id, number), new Set()), isMended };
    journal.append(this.id, number, leftEvent(left));
    return { ...before, value };
  }

  async #attempt(record: InputRecord, onLog: (text: string) => void): Promise<InputOutcome> {
    for (let life = 1;; life++) {
      if (this.isInterrupted) return { failure: interrupted() };
      try {
        return { result: await this.#runOnce(record, onLog) };
      } catch (thrown) {
        const failure = toSvcError(thrown);
        const isKilled = failure.cause instanceof KilledFromOutside;
        if (isKilled && this.isInterrupted) return { failure: interrupted() }; // What tells us to end may end it, too.
        if (!isKilled || this.#options.journal === undefined || life === MAX_LIVES) return { failure };
      }
    }
  }

  async #runOnce(record: InputRecord, onLog: (text: string) => void): Promise<JsonValue | undefined> {
    const { workflow, live, journal, force = false } = this.#options;
    const { number, value, startedAt } = record;
    const events = await journal?.events(this.id, number) ?? [];
    // An earlier life of the input may have gone on anew since.
    const { generation } = await journal?.findInput(this.id, number) ?? record;
    let run: InputRun | undefined;
    const begin = (stop: (reason: SvcError) => void) => {
      run = new InputRun({
        events,
        sink: this.#sinkOf(number, generation),
        live,
        keyOf: (position, generation) => this.#keyOf(number, position, generation),
        generation,
        force,
        onLog,
        stop,
      });
      this.#active.set(run, stop);
      return run;
    };
    const randomness = events.filter(({ kind }) => kind === "random").map(({ content }) => content);
    try {
      const result = await workflow.run(value, { startedAt, randomness }, begin);
      await run?.finish();
      return result;
    } catch (thrown) {
      await run?.pause(); // What the script has begun to change is known before the input ends.
      await run?.verify();
      if (this.#options.isTrial) await checkTrial(run, toSvcError(thrown).toJSON());
      // Every further input would stop for the same reason.
      if (thrown instanceof SvcError && thrown.cause instanceof StopsRun) void this.interrupt(thrown);
      throw thrown;
    } finally {
      run?.dispose();
      if (run) this.#active.delete(run);
    }
  }

  /** The idempotency key of a call. */
  #keyOf(input: number, position: number, generation: number): string {
    const run = this.#options.nonce === undefined ? this.id : `${this.id}.${this.#options.nonce}`;
    return `${run}.${input}.${position}` + (generation === 0 ? "" : `.${generation}`);
  }

  #sinkOf(number: number, generation: number): EventSink {
    const { journal } = this.#options;
    if (journal === undefined) {
      return { append: () => {}, durable: () => Promise.resolve(), leave: () => Promise.resolve(generation) };
    }
    let current = generation;
    const written = (writing: Promise<void>) =>
      writing.catch(() => {
        throw this.#giveUp();
      });
    return {
      append: (event) => journal.append(this.id, number, event),
      durable: () => written(journal.durable()),
      leave: async (left: Left) => {
        await written(journal.reopenInput(this.id, number, leftEvent(left), ++current));
        return current;
      },
    };
  }

  /**
   * Ends the run, because its journal cannot be written: every further input would fail, too. None has: the journal
   * still says so to whoever waits for it at the end, and what was begun goes on when it can be written again.
   */
  #giveUp(): SvcError {
    void this.interrupt();
    return interrupted();
  }

  async #drain(): Promise<void> {
    await Promise.all([...this.#active].map(async ([run, stop]) => {
      await run.pause();
      stop(interrupted());
    }));
  }
}

/**
 * Whether an input that stopped with this stays open. What its script has failed with ends it, also where the script was
 * told that nobody knows what became of a call.
 */
function isLeftOpen({ cause }: SvcError): boolean {
  return cause instanceof LeftOpen || cause instanceof StopInput;
}

function outcomeOf(end: InputEnd): InputOutcome {
  if (end.state === "done") return { result: end.result };
  return { failure: errorIn(end.error) };
}

function endOf(outcome: InputOutcome): InputEnd {
  if ("failure" in outcome) return { state: "failed", error: outcome.failure.toJSON() };
  return { state: "done", result: outcome.result };
}

function isSameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The error of an input that something else works on. */
function alreadyClaimed(runId: string, { place }: RunInput): SvcError {
  return new SvcError("INVALID_ARGS", `Another process works on ${place} of run ${runId}.`);
}

/** A script that fails with an error of its own must have done all that it did before. */
async function checkTrial(run: InputRun | undefined, failure: ErrorRecord): Promise<void> {
  if (isThrown(failure)) await run?.finish(failure);
}

function checkSame(before: InputRecord, { place, value, error }: RunInput): void {
  const isSame = error === undefined ? isSameValue(before.value, value) : before.value === undefined;
  if (before.place === place && isSame) return;
  throw new SvcError("INVALID_ARGS", `${place} is not what the run began with.`, {
    hint: (before.end?.state === "failed" ? "'svc workflow retry' takes what a failed line says now. " : "") +
      OTHER_FILE,
  });
}
