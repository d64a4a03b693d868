/** The crash test: batches under siege, then a comparison of all that they have left with what undisturbed ones leave. */
import { openJournal } from "../../workflows/journal/sqlite/sqlite_journal.ts";
import { Workspace } from "../workspace.ts";
import { Batch, journalOf } from "./batch.ts";
import { type Chronicle, readChronicle } from "./chronicle.ts";
import { Dice } from "./dice.ts";
import { judge, type Judgement } from "./judgement.ts";
import { type EndedBatch, readLeft, takeReference } from "./left.ts";
import { Service } from "./service.ts";
import { type Kill, Siege } from "./siege.ts";

/** What to do. */
export interface CrashOptions {
  /** Kills to make. */
  readonly kills: number;
  /** What the moments and the victims are drawn from. */
  readonly seed: number;
  /** Inputs of a batch; when one is done and kills are left, the next one begins. */
  readonly inputs?: number;
  /** The program that is run; this checkout's `cli.ts` without it. */
  readonly program?: string;
  /** Is told how far it is. */
  readonly onProgress?: (text: string) => void;
}

/** What became of it. */
export interface CrashReport {
  /** What was drawn from. */
  readonly seed: number;
  /** What was killed. */
  readonly kills: readonly Kill[];
  /** Inputs of all batches. */
  readonly inputs: number;
  /** What the journal tells of each batch. */
  readonly chronicles: readonly Chronicle[];
  /** What is wrong. */
  readonly judgement: Judgement;
}

/** Inputs of a batch unless it is said otherwise. */
const INPUTS = 24;

/** Makes the kills and judges what is left. */
export async function crash({ kills, seed, inputs = INPUTS, program, onProgress }: CrashOptions): Promise<CrashReport> {
  const reference = await takeReference(program);
  await using workspace = await Workspace.open(program);
  await using service = new Service(workspace);
  await service.start();
  const siege = new Siege(service, kills, new Dice(seed));
  const ended: EndedBatch[] = [];
  let isStuck = false;
  do {
    const batch = new Batch(workspace, `c${ended.length + 1}`, inputs);
    const end = await siege.lay(batch);
    ended.push([batch, end]);
    isStuck = end.failure !== undefined;
    onProgress?.(`${siege.kills.length} of ${kills} kills, ${ended.length * inputs} inputs`);
  } while (!siege.isOver && !isStuck);
  const left = await readLeft(workspace, service, ended);
  await using journal = await openJournal(journalOf(workspace));
  return {
    seed,
    kills: siege.kills,
    inputs: left.effects.size,
    chronicles: await Promise.all(ended.map(([batch]) => readChronicle(journal, batch, siege.kills))),
    judgement: judge(reference, left, ended),
  };
}
