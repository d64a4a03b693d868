import type { SvcError } from "../../lib/errors.ts";
import { isInputDamage } from "../journal/damage.ts";
import type { InputRecord, Journal, RunRecord } from "../journal/journal.ts";
import type { Limits } from "../sandbox/host/limits.ts";
import { type OpenWorkflow, openWorkflow } from "../scripts/open_workflow.ts";
import { readReopened } from "../engine/reopen.ts";
import { findDivergence } from "./find_divergence.ts";

/** Number of sandboxes that are loaded while an input is replayed. A replay takes less time than loading. */
const RESERVE = 2;

/** Options of `Runs.check`. */
export interface CheckOptions {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the files that the script may import. Default: the folder of the script. */
  readonly root?: string;
  /** Run whose open and failed inputs are checked. Default: the open inputs of all open runs of the script's workflow. */
  readonly run?: string;
  /** Limits of each input. Default: 300 seconds and 256 MiB. */
  readonly limits?: Partial<Limits>;
  /** Ends the check. */
  readonly signal?: AbortSignal;
}

/** The check of an input. */
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

/** Replays the inputs of runs with a script, and yields the checks in the order of the inputs. */
export async function* checkScript(
  journal: Journal,
  runs: (workflow: string) => Promise<readonly RunRecord[]>,
  { script, root, limits, signal, run }: CheckOptions,
): AsyncGenerator<InputCheck> {
  await using workflow = await openWorkflow({ script, root, limits, signal, allow: [] });
  workflow.expectInputs(RESERVE);
  for await (const { id, input } of listInputs(journal, await runs(workflow.name), run !== undefined)) {
    const error = await checkInput(workflow, journal, id, input, signal);
    yield { run: id, number: input.number, input: input.place, ...(error && { error }) };
  }
}

/** Checks an input. Damage of its history is an error of this input only. */
async function checkInput(
  workflow: OpenWorkflow,
  journal: Journal,
  runId: string,
  input: InputRecord,
  signal: AbortSignal | undefined,
): Promise<SvcError | undefined> {
  try {
    return await findDivergence(workflow, input, await readReopened(journal, runId, input), signal);
  } catch (thrown) {
    if (isInputDamage(thrown)) return thrown;
    throw thrown;
  }
}

interface RunInput {
  readonly id: string;
  readonly input: InputRecord;
}

/** Iterates over the inputs that continue when their runs are resumed, or retried. */
async function* listInputs(
  journal: Journal,
  runs: readonly RunRecord[],
  retries: boolean,
): AsyncGenerator<RunInput> {
  for (const { id, state } of runs) {
    if (state !== "open" && !(retries && state === "failed")) continue;
    for await (const input of journal.inputs(id)) {
      if (input.end === undefined || (retries && input.end.state === "failed")) yield { id, input };
    }
  }
}
