/** What the journal tells of a run that was disturbed: how many calls it made, what the kills hit, when it went on. */
import type { Journal, StoredEvent } from "../../workflows/journal/journal.ts";
import type { Batch } from "./batch.ts";
import type { Kill } from "./siege.ts";

/** What a journal tells. */
export interface Chronicle {
  /** Calls, each counted once. */
  readonly calls: number;
  /** Changes that were sent and not answered when something was killed. */
  readonly cutOff: number;
  /** Milliseconds from the start of each `resume` to what it did first. */
  readonly resumes: readonly number[];
}

/** Reads what the journal has of a batch. */
export async function readChronicle(journal: Journal, batch: Batch, kills: readonly Kill[]): Promise<Chronicle> {
  const times: number[] = [];
  let calls = 0;
  let cutOff = 0;
  for await (const { number } of journal.inputs(batch.id)) {
    const events = await journal.events(batch.id, number);
    calls += events.filter(({ kind }) => kind === "call").length;
    times.push(...events.map(({ at }) => at));
    cutOff += changesOf(events).filter(({ from, to }) => kills.some(({ at }) => from <= at && at < to)).length;
  }
  times.sort((one, other) => one - other);
  return { calls, cutOff, resumes: resumesOf(batch, times) };
}

/** When changes were sent, and when their answers were there. */
function changesOf(events: readonly StoredEvent[]): { from: number; to: number }[] {
  const sent = new Map<number, number>();
  const changes: { from: number; to: number }[] = [];
  for (const { kind, position, at } of events) {
    if (kind === "sent" && !sent.has(position)) sent.set(position, at);
    const from = sent.get(position);
    if ((kind === "answer" || kind === "refusal") && from !== undefined) changes.push({ from, to: at });
  }
  return changes;
}

/** Those that were killed before they did anything have no time. */
function resumesOf({ shifts }: Batch, times: readonly number[]): number[] {
  return shifts.flatMap(({ command, process: { startedAt, endedAt = Infinity, spokeAt } }) => {
    if (command !== "resume") return [];
    const first = times.find((at) => at >= startedAt && at <= endedAt) ?? spokeAt;
    return first === undefined ? [] : [first - startedAt];
  });
}
