/** Replays of a log by workflows, with a journal and without, against bare fetch loops of the same requests. */
import { PROGRAM } from "../build.ts";
import type { LogCase } from "../replay/log.ts";
import { callsOf, replayCommand, type Share, shareOut } from "../replay/replay.ts";
import { API_ROOT, Workspace } from "../workspace.ts";
import type { Figure } from "./figure.ts";
import { programOf } from "./processes.ts";
import { MEASURED, secondsOf, serviceOf, type Work } from "./slices.ts";

/** Times that the log is replayed, each by new processes: some keep a bad start to their end. */
const ROUNDS = 2;

/** The figures of a replay by so many clerks at a time. */
export async function replayFigures(log: readonly LogCase[], clerks: number): Promise<Figure[]> {
  await using offices = new AsyncDisposableStack();
  const seconds = await secondsOf(ROUNDS, () => worksOf(offices, log, clerks));
  const [journalled = NaN, without = NaN, fetched = NaN] = seconds.map((sum) => ROUNDS * callsOf(log) / sum);
  const what = `workflow replay, ${clerks} at a time, calls`;
  const loop = { baseline: "a fetch loop", theirs: fetched, unit: "/s", limit: 0.6 } as const;
  return [
    { what, ours: journalled, ...loop },
    { what: `${what} without a journal`, ours: without, ...loop },
    { what, ours: journalled, baseline: "without a journal", theirs: without, unit: "/s", limit: 0.85 },
  ];
}

/**
 * The log replayed with a journal and without, and the same fetched. Each has a service of its own: a clerk who takes the
 * next assignment must find no other work.
 */
async function worksOf(offices: AsyncDisposableStack, log: readonly LogCase[], clerks: number): Promise<Work[]> {
  const open = async (program: typeof fetching): Promise<Work> => {
    const office = offices.use(await Workspace.open(PROGRAM));
    const api = await office.startService() + API_ROOT;
    const shares = await shareOut(office, log, clerks);
    const programs = await Promise.all(shares.map((share) => program(office, share, api)));
    return { programs, service: await serviceOf(office) };
  };
  return [await open(replaying()), await open(replaying("--journal", "none")), await open(fetching)];
}

function replaying(...flags: string[]): typeof fetching {
  return (office, share) => Promise.resolve(replayCommand(office, share, flags, MEASURED));
}

async function fetching(office: Workspace, { clerk, file }: Share, api: string): Promise<Deno.Command> {
  return programOf("fetch_replay.ts", [api, await office.token(clerk), file], MEASURED, [`--allow-read=${file}`]);
}
