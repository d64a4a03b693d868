import type { SvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import type { LiveCalls } from "../engine/live_calls.ts";
import type { BatchInput } from "../inputs/batch_input.ts";
import type { InputRecord } from "../journal/journal.ts";

/** An input before or after its script runs. */
export interface FramedInput {
  /** Place. */
  readonly place: string;
  /** Value. */
  readonly value?: JsonValue;
  /** Beginning of the idempotency keys of calls about the input. It is the same when the run is resumed. */
  readonly keyPrefix: string;
  /** True if the script has taken steps before the run was resumed. */
  readonly hasStarted: boolean;
  /** Aborts when the run is interrupted. */
  readonly signal: AbortSignal;
  /** Resolves when the record and the history of the input are on disk. */
  durable(): Promise<void>;
}

/** Supplies the inputs of a run, and prepares and concludes each of them. */
export interface InputSource {
  /** The inputs: first the recorded ones of a run that is resumed, then further ones. */
  readonly inputs: AsyncIterable<BatchInput>;
  /**
   * Called before the script runs, also when the run is resumed. Resolves to the result of an input for which the script
   * must not run.
   */
  before(input: FramedInput): Promise<{ readonly result: JsonValue } | undefined>;
  /** Called when the script has returned or failed, before that is recorded. It may be called again when the run is resumed. */
  after(input: FramedInput, failure: SvcError | undefined): Promise<void>;
  /** Called when this process no longer works on the input, which has ended or stays open. */
  close(input: FramedInput): void;
}

/** Opens the source of the inputs of a run. `calls` makes the calls of the source, and `recorded` are the inputs so far. */
export type OpenInputSource = (calls: LiveCalls, recorded: AsyncIterable<InputRecord>) => InputSource;
