import type { SvcError } from "../../lib/errors.ts";
import { mapInOrder } from "../../utils/async/map_in_order.ts";
import { isInputDamage } from "../journal/damage.ts";
import type { InputRecord, Journal, RunRecord } from "../journal/journal.ts";
import type { Limits } from "../sandbox/host/limits.ts";
import { openWorkflow } from "../scripts/open_workflow.ts";
import { findDivergence } from "./find_divergence.ts";
import { DEFAULT_CONCURRENCY } from "./options.ts";

/** Checked inputs per input in progress that may wait for an earlier one. */
const LOOKAHEAD = 32;

/** Options of `Runs.check`. */
export interface CheckOptions {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the files that the script may import. Default: the folder of the script. */
  readonly root?: string;
  /** Run whose open inputs are checked. Default: all open runs of the workflow that the script declares. */
  readonly run?: string;
  /** Limits of each input. Default: 300 seconds and 256 MiB. */
  readonly limits?: Partial<Limits>;
  /** Ends the check. */
  readonly signal?: AbortSignal;
}

/** The check of an open input. */
export type InputCheck = {
  /** Identifier of its run. */
  readonly run: string;
  /** Number in the run, from 1. */
  readonly number: number;
  /** Place, e.g. `cases.ndjson:17`. */
  readonly input: string;
  /** First difference between the script and the history of the input; absent if the script repeats it. */
  readonly error?: SvcError;
};

/** Replays the open inputs of runs with a script, and yields the checks in the order of the inputs. */
export async function* checkScript(
  journal: Journal,
  runs: (workflow: string) => Promise<readonly RunRecord[]>,
  { script, root, limits, signal }: CheckOptions,
): AsyncGenerator<InputCheck> {
  await using workflow = await openWorkflow({ script, root, limits, signal, allow: [] });
  workflow.reserve = Math.min(DEFAULT_CONCURRENCY / 2, navigator.hardwareConcurrency);
  const check = async ({ id, input }: OpenInput): Promise<InputCheck> => {
    const { number, place } = input;
    const error = await journal.events(id, number).then(
      (events) => findDivergence(workflow, input, events, signal),
      (thrown) => {
        if (isInputDamage(thrown)) return thrown;
        throw thrown;
      },
    );
    return { run: id, number, input: place, ...(error && { error }) };
  };
  const inputs = listOpenInputs(journal, await runs(workflow.name));
  yield* mapInOrder(inputs, check, DEFAULT_CONCURRENCY, DEFAULT_CONCURRENCY * LOOKAHEAD);
}

interface OpenInput {
  readonly id: string;
  readonly input: InputRecord;
}

/** Iterates over the inputs that continue when their runs are resumed. */
async function* listOpenInputs(journal: Journal, runs: readonly RunRecord[]): AsyncGenerator<OpenInput> {
  for (const { id, state } of runs) {
    if (state !== "open") continue;
    for await (const input of journal.inputs(id)) if (input.end === undefined) yield { id, input };
  }
}
