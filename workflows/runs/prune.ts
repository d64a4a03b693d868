import { SvcError } from "../../lib/errors.ts";
import type { InputRecord, Journal, Keep, RunRecord, RunState } from "../journal/journal.ts";
import { tryClaimRun } from "./claim_run.ts";

/** Number of inputs that are pruned with one commit. */
const GROUP_SIZE = 100;

/** Options of `Runs.prune`. */
export interface PruneOptions {
  /** Run to prune. Default: all runs that have ended. */
  readonly run?: string;
  /** Prunes only runs that ended before this time, in milliseconds since 1970. */
  readonly endedBefore?: number;
  /** Choice of what remains of an input. Default: `results`. */
  readonly keep?: PrunedTo;
  /** True deletes nothing. */
  readonly isPreview?: boolean;
}

/** The choices of what remains of an input that is pruned. */
export type PrunedTo = Exclude<Keep, "answers">;

/** The part of a run that was deleted or, in a preview, would be. */
export type PrunedRun = {
  /** Identifier. */
  readonly run: string;
  /** Name of the workflow. */
  readonly name: string;
  /** State. */
  readonly state: RunState;
  /** Number of inputs that lose something. */
  readonly inputs: number;
  /** Number of deleted events. */
  readonly events: number;
  /** Size of what is deleted, as stored in the file. */
  readonly bytes: number;
};

/**
 * Deletes the histories of inputs that have succeeded and, to keep nothing, their values and results. Yields the runs
 * that lose something. Failed and open inputs keep everything, because they may continue.
 */
export async function* pruneRuns(
  journal: Journal,
  runs: readonly RunRecord[],
  { run: named, endedBefore = Infinity, keep = "results", isPreview = false }: PruneOptions,
): AsyncGenerator<PrunedRun> {
  for (const run of runs) {
    if (!isSelected(run, named !== undefined, endedBefore)) continue;
    await using claim = isPreview ? undefined : await tryClaimRun(journal, run.id);
    if (!isPreview && claim === undefined) {
      if (named === undefined) continue; // It continues.
      throw new SvcError("INVALID_ARGS", `A process is working on run ${run.id}.`, {
        hint: "Wait until the run has ended.",
      });
    }
    const pruned = await pruneRun(journal, run, keep, isPreview);
    if (pruned.inputs > 0) yield pruned;
  }
}

/** Reports whether a run is pruned. One that has not ended is pruned only by its name. */
function isSelected({ endedAt }: RunRecord, isNamed: boolean, endedBefore: number): boolean {
  return endedAt === undefined ? isNamed && endedBefore === Infinity : endedAt <= endedBefore;
}

async function pruneRun(journal: Journal, run: RunRecord, keep: PrunedTo, isPreview: boolean): Promise<PrunedRun> {
  const { id, name, state } = run;
  const histories = new Map((await journal.measureHistories(id)).map((history) => [history.input, history]));
  const total = { inputs: 0, events: 0, bytes: 0 };
  for await (const input of journal.inputs(id)) {
    if (input.end?.state !== "done") continue;
    const { events = 0, bytes = 0 } = histories.get(input.number) ?? {};
    const values = keep === "nothing" ? measureValues(input) : 0;
    if (events === 0 && values === 0) continue;
    total.inputs++;
    total.events += events;
    total.bytes += bytes + values;
    if (isPreview) continue;
    await using claim = await journal.claimInput(id, input.number);
    claim?.prune(keep);
    if (total.inputs % GROUP_SIZE === 0) await journal.durable();
  }
  if (!isPreview && keep === "nothing" && state === "done") await forgetInput(journal, run);
  return { run: id, name, state, ...total };
}

/** Deletes the input that was recorded with a run. */
export async function forgetInput(journal: Journal, { id, digest, settings }: RunRecord): Promise<void> {
  if (settings.input === undefined) return;
  await journal.changeRun(id, { digest, settings: { ...settings, input: undefined } });
}

function measureValues({ value, end }: InputRecord): number {
  const result = end?.state === "done" ? end.result : undefined;
  return [value, result].reduce<number>((sum, one) => sum + (one === undefined ? 0 : JSON.stringify(one).length), 0);
}
