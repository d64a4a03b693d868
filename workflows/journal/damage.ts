/** Damage of a journal. */
import { getErrorMessage, SvcError } from "../../lib/errors.ts";
import { LeftOpen, StopsRun } from "../sandbox/host/interruption.ts";

/** The damaged part of a journal. Without a run, it is the file or a part that belongs to no run. */
export type DamagedPart = {
  /** Identifier of the run. */
  readonly run?: string;
  /** Number of the input. */
  readonly input?: number;
  /** Place of the input, e.g. `cases.ndjson:17`. */
  readonly place?: string;
  /** Position of the step. */
  readonly step?: number;
};

/** A damaged part, and what is wrong with it. */
export type Damage = DamagedPart & {
  /** Problem, e.g. `the recorded response does not match its checksum`. */
  readonly problem: string;
};

/** The result of checking a journal. */
export type JournalCheck = {
  /** Number of checked runs. */
  readonly runs: number;
  /** Number of checked inputs. */
  readonly inputs: number;
  /** Number of checked events. */
  readonly events: number;
  /** The damaged parts. */
  readonly damaged: readonly Damage[];
};

/** Thrown inside the journal, which adds the path of its file. */
export class JournalDamage extends Error {
  /** The damaged part. */
  readonly part: DamagedPart;

  /** Describes damage: the part, and what is wrong with it. */
  constructor(part: DamagedPart, problem: string) {
    super(problem);
    this.part = part;
  }
}

/**
 * Creates the error of a damaged journal. It names the run, the input and the step, as far as they are known. Damage of a
 * single input leaves that input open. Any other damage stops the run.
 */
export function createDamageError(path: string, cause: unknown): SvcError {
  const part = cause instanceof JournalDamage ? cause.part : {};
  const problem = getErrorMessage(cause);
  const subject = part.run === undefined ? "" : `: ${describePart(part)}`;
  const Effect = part.input === undefined ? StopsRun : LeftOpen;
  return new SvcError("JOURNAL_DAMAGED", `The journal ${path} is damaged${subject}: ${problem}.`, {
    cause: new Effect(problem, { cause }),
    details: [{ ...part, message: problem }],
    hint: part.run === undefined
      ? "Restore the file from a copy, or name another one with --journal."
      : "Restore the file from a copy. Without one, check in the service what was done, and do the rest by hand.",
  });
}

/** Reports whether an error says that the records of a single input are damaged. */
export function isInputDamage(error: unknown): error is SvcError {
  return error instanceof SvcError && error.cause instanceof LeftOpen && error.cause.cause instanceof JournalDamage &&
    !(error.cause instanceof StopsRun);
}

/** Names a part, e.g. `run r1, input 17 (cases.ndjson:17), step 2`. */
function describePart({ run, input, place, step }: DamagedPart): string {
  const names = [
    run === undefined ? "" : `run ${run}`,
    input === undefined ? "" : `input ${input}` + (place === undefined ? "" : ` (${place})`),
    step === undefined ? "" : `step ${step}`,
  ];
  return names.filter(Boolean).join(", ");
}
