/** Replays of a log by workflows, with a journal and without, against bare fetch loops of the same requests. */
import { replay, sharesOf } from "../replay/replay.ts";
import type { LogCase } from "../replay/log.ts";
import { API_ROOT, Workspace } from "../workspace.ts";
import { type Figure, inTurns } from "./figure.ts";
import { numberFrom } from "./processes.ts";

/** The figures of a replay by so many clerks at a time. */
export async function replayFigures(log: readonly LogCase[], clerks: number): Promise<Figure[]> {
  const [journalled = NaN, without = NaN, fetched = NaN] = await inTurns([
    () => replayed(log, clerks),
    () => replayed(log, clerks, "--journal", "none"),
    () => fetchLoops(log, clerks),
  ]);
  const what = `workflow replay, ${clerks} at a time, calls`;
  const loop = { baseline: "a fetch loop", theirs: fetched, unit: "/s" } as const;
  return [
    { what, ours: journalled, ...loop, limit: 0.6 },
    { what: `${what} without a journal`, ours: without, ...loop },
    { what, ours: journalled, baseline: "without a journal", theirs: without, unit: "/s", limit: 0.85 },
  ];
}

/** Calls per second. A service of its own: a clerk who takes the next assignment must find no other work. */
async function replayed(log: readonly LogCase[], clerks: number, ...flags: string[]): Promise<number> {
  await using office = await Workspace.open();
  await office.startService();
  const { calls, seconds } = await replay(office, log, clerks, flags);
  return calls / seconds;
}

/** Calls per second of as many programs at a time as there are clerks, from their start to the end of the last. */
async function fetchLoops(log: readonly LogCase[], clerks: number): Promise<number> {
  await using office = await Workspace.open();
  const api = await office.startService() + API_ROOT;
  const loops = await Promise.all(
    sharesOf(log, clerks).map(async ([clerk, share]) => {
      await office.addClient(clerk);
      const token = await office.token(clerk);
      return () => numberFrom("fetch_replay.ts", [api, token], JSON.stringify(share));
    }),
  );
  const started = performance.now();
  const calls = await Promise.all(loops.map((loop) => loop()));
  return calls.reduce((sum, count) => sum + count, 0) / (performance.now() - started) * 1000;
}
