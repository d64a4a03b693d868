import type { Journal, StoredEvent } from "../../workflows/journal/journal.ts";
import type { Batch } from "./batch.ts";
import type { Kill } from "./killer.ts";

/** Figures of a disturbed run, from its journal. */
export interface RunStatistics {
  /** Number of calls, each counted once. */
  readonly calls: number;
  /** Number of changes that were sent and had no response when a process was killed. */
  readonly interruptedChanges: number;
  /** Milliseconds from the start of each `resume` to its first event. */
  readonly resumeTimes: readonly number[];
}

/** Computes the figures of a batch. */
export async function computeStatistics(
  journal: Journal,
  batch: Batch,
  kills: readonly Kill[],
): Promise<RunStatistics> {
  const times: number[] = [];
  let calls = 0;
  let interruptedChanges = 0;
  for await (const { number } of journal.inputs(batch.id)) {
    const events = await journal.events(batch.id, number);
    calls += events.filter(({ kind }) => kind === "call").length;
    times.push(...events.map(({ at }) => at));
    const isInterrupted = ({ from, to }: Change) => kills.some(({ at }) => from <= at && at < to);
    interruptedChanges += findChanges(events).filter(isInterrupted).length;
  }
  times.sort((one, other) => one - other);
  return { calls, interruptedChanges, resumeTimes: measureResumes(batch, times) };
}

/** Times at which a change was sent and its response was recorded. */
interface Change {
  readonly from: number;
  readonly to: number;
}

function findChanges(events: readonly StoredEvent[]): Change[] {
  const sent = new Map<number, number>();
  const changes: Change[] = [];
  for (const { kind, position, at } of events) {
    if (kind === "sent" && !sent.has(position)) sent.set(position, at);
    const from = sent.get(position);
    if ((kind === "answer" || kind === "refusal") && from !== undefined) changes.push({ from, to: at });
  }
  return changes;
}

/** Ignores processes that were killed before their first event. */
function measureResumes({ processes }: Batch, times: readonly number[]): number[] {
  return processes.flatMap(({ command, process: { startedAt, endedAt = Infinity, outputAt } }) => {
    if (command !== "resume") return [];
    const first = times.find((at) => at >= startedAt && at <= endedAt) ?? outputAt;
    return first === undefined ? [] : [first - startedAt];
  });
}
