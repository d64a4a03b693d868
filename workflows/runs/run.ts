import { SvcError } from "../../lib/errors.ts";
import { getFileName } from "../../utils/fs/file_name.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { InputResult } from "./batch.ts";
import type { RunDescription } from "./describe_run.ts";
import { addCommands, type JournalLocation } from "./hints.ts";
import type { InputCounts } from "./options.ts";

/** The outcome of a run. */
export interface RunSummary extends InputCounts {
  /** Identifier of the run. */
  readonly id: string;
  /**
   * Error of a run in which inputs failed or stopped: that of the input, or for a batch an error that names the first
   * failures. Its hint names the commands that continue the run.
   */
  readonly error?: SvcError;
}

/**
 * A run in progress. It works while its results are read, by `results` or by `finish`: at most some results wait in memory.
 * Disposing of the run interrupts it.
 */
export interface Run extends AsyncDisposable {
  /** Identifier of the run. */
  readonly id: string;
  /** Name of the workflow. */
  readonly name: string;
  /** True if the run has any number of inputs, and not exactly one. */
  readonly isBatch: boolean;
  /** Number of failed inputs that were opened again by `retry`. */
  readonly reopened: number;
  /** Description of the run, if `once` found that it had ended before. Such a run has no results. */
  readonly ended?: RunDescription;
  /**
   * Results in the order of the inputs, including those that ended before the run was resumed. They can be read once.
   * Throws `SvcError` if the run is interrupted or cannot continue. Leaving the loop early interrupts the run.
   */
  readonly results: AsyncIterable<InputResult>;
  /** Reads the remaining results, and resolves to the outcome. Rejects with `SvcError` in the same cases as `results`. */
  finish(): Promise<RunSummary>;
  /** Starts no further call, waits until calls in progress are recorded, and ends the results. */
  interrupt(): Promise<void>;
  /** Adds the command that resumes the run to the hint of an error, e.g. when a result cannot be written. */
  addResumeHint(error: unknown): unknown;
}

/** A run that had ended before it was opened. It has no results to read. */
export class EndedRun implements Run {
  readonly id: string;
  readonly name: string;
  readonly isBatch = true;
  readonly reopened = 0;
  readonly ended: RunDescription;
  readonly #location?: JournalLocation;

  /** Wraps a run that has processed a file of inputs. */
  constructor(ended: RunDescription, location: JournalLocation | undefined) {
    this.id = ended.id;
    this.name = ended.name;
    this.ended = ended;
    this.#location = location;
  }

  get results(): AsyncIterable<InputResult> {
    return noResults();
  }

  finish(): Promise<RunSummary> {
    const { id, inputs, succeeded, failed, each = "" } = this.ended;
    const counts = { inputs, succeeded, failed, stopped: 0 };
    if (failed === 0) return Promise.resolve({ id, ...counts });
    const error = new SvcError(
      "WORKFLOW_FAILED",
      `Run ${id} has processed ${getFileName(each)}, and ${failed} of ${pluralize(inputs, "input")} failed.`,
    );
    return Promise.resolve({
      id,
      ...counts,
      error: addCommands(error, { id, location: this.#location }, ["retry"]),
    });
  }

  interrupt(): Promise<void> {
    return Promise.resolve();
  }

  addResumeHint(error: unknown): unknown {
    return error;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

async function* noResults(): AsyncGenerator<InputResult> {}
