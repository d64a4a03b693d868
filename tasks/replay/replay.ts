/** Replays a log by several sandboxed workflows at once, each with an operator of its own, as several clerks would work. */
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../../utils/json.ts";
import { printed, type Workspace } from "../workspace.ts";
import type { LogCase } from "./log.ts";

/** The operators of the sample application who work at the same time: as many as the smallest machines have processors. */
const CLERKS = ["clerk@city", "reviewer@city"];

/** API calls of one event: take the next assignment, read its entity tag, perform it. */
const CALLS_PER_EVENT = 3;

const SCRIPT = fileURLToPath(new URL("../../workflows/examples/replay_log.ts", import.meta.url));

/** What a replay did. */
export interface Replay {
  /** Case handles by the log's keys. */
  handles: Map<string, string>;
  /** Seconds from the first workflow's start to the last one's end. */
  seconds: number;
}

/** A clerk's part of a log. */
export interface Share {
  /** Operator and profile. */
  readonly clerk: string;
  /** File with the cases. */
  readonly file: string;
}

/** Replays a log against the workspace's service. */
export async function replay(workspace: Workspace, log: readonly LogCase[]): Promise<Replay> {
  const shares = await shareOut(workspace, log);
  const started = performance.now();
  const texts = await Promise.all(shares.map((share) => printed(replayCommand(workspace, share))));
  const seconds = (performance.now() - started) / 1000;
  return { handles: new Map(texts.flatMap(handlesIn)), seconds };
}

/** API calls that a log takes. */
export function callsOf(log: readonly LogCase[]): number {
  return log.reduce((sum, { events }) => sum + 1 + events.length * CALLS_PER_EVENT, 0);
}

/** Adds so many clerks, and gives each a share of the log. */
export async function shareOut(
  workspace: Workspace,
  log: readonly LogCase[],
  clerks: number = CLERKS.length,
): Promise<Share[]> {
  return await Promise.all(
    CLERKS.slice(0, clerks).map(async (clerk, turn) => {
      await workspace.addClient(clerk);
      const file = `${workspace.directory}/${clerk}.json`;
      await Deno.writeTextFile(file, JSON.stringify(log.filter((_, position) => position % clerks === turn)));
      return { clerk, file };
    }),
  );
}

/** What replays a share, with further flags of `run`. */
export function replayCommand(
  workspace: Workspace,
  { clerk, file }: Share,
  flags: readonly string[] = [],
  options: Deno.CommandOptions = {},
): Deno.Command {
  const fixed = ["--allow-declared", "--timeout", "3600", "--quiet"];
  const args = ["workflow", "run", SCRIPT, "--input", `@${file}`, "--profile", clerk, ...fixed, ...flags];
  return workspace.command(args, options);
}

function handlesIn(text: string): [string, string][] {
  const result: unknown = JSON.parse(text);
  if (!isJsonObject(result)) throw new Error("A workflow answered no handles.");
  return Object.entries(result).map(([key, handle]) => [key, String(handle)]);
}
