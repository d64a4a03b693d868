import { PROGRAM } from "../build.ts";
import type { LogCase } from "../replay/log.ts";
import { countCalls, createReplayCommand, distributeLog, type Share } from "../replay/replay.ts";
import { API_ROOT, Workspace } from "../support/workspace.ts";
import type { Figure } from "./figure.ts";
import { createProgram } from "./processes.ts";
import { findServiceProcess, PROGRAM_OPTIONS, type Task, timeTasks } from "./time_slices.ts";

/** The log is replayed this often, by new processes: some processes stay slow after a bad start. */
const ROUNDS = 2;

/** Measures a replay of a log by concurrent clerks, with a journal and without, against a loop of fetches. */
export async function measureReplays(log: readonly LogCase[], clerks: number): Promise<Figure[]> {
  await using workspaces = new AsyncDisposableStack();
  const seconds = await timeTasks(ROUNDS, () => createTasks(workspaces, log, clerks));
  const [journalled = NaN, without = NaN, fetched = NaN] = seconds.map((sum) => ROUNDS * countCalls(log) / sum);
  const name = `workflow replay, ${clerks} at a time, calls`;
  const loop = { baseline: "a fetch loop", theirs: fetched, unit: "/s", limit: 0.6 } as const;
  return [
    { name, ours: journalled, ...loop },
    { name: `${name} without a journal`, ours: without, ...loop },
    { name, ours: journalled, baseline: "without a journal", theirs: without, unit: "/s", limit: 0.85 },
  ];
}

type CreateProgram = (workspace: Workspace, share: Share, api: string) => Promise<Deno.Command>;

/** Each task has a service of its own, because a clerk takes the next assignment, whatever it belongs to. */
async function createTasks(
  workspaces: AsyncDisposableStack,
  log: readonly LogCase[],
  clerks: number,
): Promise<Task[]> {
  const createTask = async (createProgram: CreateProgram): Promise<Task> => {
    const workspace = workspaces.use(await Workspace.open(PROGRAM));
    const api = await workspace.startService() + API_ROOT;
    const shares = await distributeLog(workspace, log, clerks);
    const programs = await Promise.all(shares.map((share) => createProgram(workspace, share, api)));
    return { programs, service: await findServiceProcess(workspace) };
  };
  return [
    await createTask(replayWith()),
    await createTask(replayWith("--journal", "none")),
    await createTask(fetchShare),
  ];
}

function replayWith(...flags: string[]): CreateProgram {
  return (workspace, share) => Promise.resolve(createReplayCommand(workspace, share, flags, PROGRAM_OPTIONS));
}

async function fetchShare(workspace: Workspace, { clerk, file }: Share, api: string): Promise<Deno.Command> {
  const args = [api, await workspace.token(clerk), file];
  return createProgram("fetch_replay.ts", args, PROGRAM_OPTIONS, [`--allow-read=${file}`]);
}
