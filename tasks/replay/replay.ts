/** Replays a log by several sandboxed workflows at once, each with an operator of its own, as several clerks would work. */
import { isJsonObject } from "../../lib/json.ts";
import type { Workspace } from "../workspace.ts";
import type { LogCase } from "./log.ts";

/** The operators of the sample application who work at the same time: as many as the smallest machines have processors. */
const CLERKS = ["clerk@city", "reviewer@city"];

/** API calls of one event: take the next assignment, read its entity tag, perform it. */
const CALLS_PER_EVENT = 3;

/** What a replay did. */
export interface Replay {
  /** Case handles by the log's keys. */
  handles: Map<string, string>;
  /** API calls. */
  calls: number;
  /** Seconds from the first workflow's start to the last one's end. */
  seconds: number;
}

/** Replays a log against the workspace's service, by as many clerks as are wanted, with further flags of `run`. */
export async function replay(
  workspace: Workspace,
  log: readonly LogCase[],
  clerks: number = CLERKS.length,
  flags: readonly string[] = [],
): Promise<Replay> {
  const shares = sharesOf(log, clerks);
  const runs = await Promise.all(shares.map(([clerk, share]) => prepare(workspace, clerk, share, flags)));
  const started = performance.now();
  const results = await Promise.all(runs.map((run) => run()));
  const seconds = (performance.now() - started) / 1000;
  const events = log.reduce((sum, { events }) => sum + events.length, 0);
  return { handles: new Map(results.flat()), calls: log.length + events * CALLS_PER_EVENT, seconds };
}

/** The log in as many parts as there are clerks. */
export function sharesOf(log: readonly LogCase[], clerks: number): [clerk: string, share: LogCase[]][] {
  return CLERKS.slice(0, clerks).map((clerk, turn) => [clerk, log.filter((_, position) => position % clerks === turn)]);
}

/** A clerk with a share of the log; what it gives back replays the share and answers the cases' handles. */
async function prepare(
  workspace: Workspace,
  clerk: string,
  share: readonly LogCase[],
  more: readonly string[],
): Promise<() => Promise<[string, string][]>> {
  await workspace.addClient(clerk);
  const input = `${workspace.directory}/${clerk}.json`;
  await Deno.writeTextFile(input, JSON.stringify(share));
  const script = new URL("../../workflows/examples/replay_log.ts", import.meta.url).pathname;
  return async () => {
    const flags = [
      "--input",
      `@${input}`,
      "--allow-declared",
      "--profile",
      clerk,
      "--timeout",
      "3600",
      "--quiet",
      ...more,
    ];
    const result: unknown = JSON.parse(await workspace.svc("workflow", "run", script, ...flags));
    if (!isJsonObject(result)) throw new Error(`The workflow of ${clerk} answered no handles.`);
    return Object.entries(result).map(([key, handle]) => [key, String(handle)]);
  };
}
