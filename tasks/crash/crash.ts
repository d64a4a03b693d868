import { openJournal } from "../../workflows/journal/sqlite/sqlite_journal.ts";
import { Workspace } from "../support/workspace.ts";
import { Batch, getJournalPath } from "./batch.ts";
import { type Kill, Killer } from "./killer.ts";
import { createReference, type FinishedBatch, readOutcome } from "./outcome.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { Service } from "../support/service.ts";
import { computeStatistics, type RunStatistics } from "./statistics.ts";
import { judge, type Verdict } from "./verdict.ts";

/** Options of the crash test. */
export interface CrashOptions {
  /** Number of kills. */
  readonly kills: number;
  /** Seed of the random times and victims. */
  readonly seed: number;
  /** Inputs of a batch. If kills are left when it is finished, another batch starts. Default: 24. */
  readonly inputs?: number;
  /** The program to run. Default: the `cli.ts` of this checkout. */
  readonly program?: string;
  /** Called with the progress. */
  readonly onProgress?: (text: string) => void;
}

/** Result of the crash test. */
export interface CrashReport {
  /** Seed of the random times and victims. */
  readonly seed: number;
  /** The kills. */
  readonly kills: readonly Kill[];
  /** Number of inputs of all batches. */
  readonly inputs: number;
  /** Figures of each batch. */
  readonly statistics: readonly RunStatistics[];
  /** Faults of the outcome. */
  readonly verdict: Verdict;
}

const DEFAULT_INPUTS = 24;

/** Runs batches while processes are killed, and compares their outcome with that of undisturbed inputs. */
export async function crash(
  { kills, seed, inputs = DEFAULT_INPUTS, program, onProgress }: CrashOptions,
): Promise<CrashReport> {
  const reference = await createReference(program);
  await using workspace = await Workspace.open(program);
  await using service = new Service(workspace);
  await service.start();
  const killer = new Killer(service, kills, new SeededRandom(seed));
  const finished: FinishedBatch[] = [];
  let isStuck = false;
  do {
    const batch = new Batch(workspace, `c${finished.length + 1}`, inputs);
    const end = await killer.disturb(batch);
    finished.push([batch, end]);
    isStuck = end.failure !== undefined;
    onProgress?.(`${killer.kills.length} of ${kills} kills, ${finished.length * inputs} inputs`);
  } while (!killer.isDone && !isStuck);
  const outcome = await readOutcome(workspace, service, finished);
  await using journal = await openJournal(getJournalPath(workspace));
  return {
    seed,
    kills: killer.kills,
    inputs: outcome.effects.size,
    statistics: await Promise.all(finished.map(([batch]) => computeStatistics(journal, batch, killer.kills))),
    verdict: judge(reference, outcome, finished),
  };
}
