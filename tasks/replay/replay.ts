import { fileURLToPath } from "node:url";
import { isJsonObject } from "../../utils/json.ts";
import { runForOutput, type Workspace } from "../support/workspace.ts";
import type { LogCase } from "./log.ts";

/** The operators that work concurrently: as many as small machines have processors. */
const CLERKS = ["clerk@city", "reviewer@city"];

/** API calls per event: take the next assignment, read its entity tag, perform it. */
const CALLS_PER_EVENT = 3;

const SCRIPT = fileURLToPath(new URL("../../workflows/examples/replay_log.ts", import.meta.url));

/** The result of a replay. */
export interface Replay {
  /** Case handles by the keys of the log. */
  handles: Map<string, string>;
  /** Seconds from the start of the first workflow to the end of the last one. */
  seconds: number;
}

/** A clerk's share of a log. */
export interface Share {
  /** Name of the operator and of the profile. */
  readonly clerk: string;
  /** File with the cases. */
  readonly file: string;
}

/** Replays a log against the workspace's service with concurrent workflows, each with an operator of its own. */
export async function replay(workspace: Workspace, log: readonly LogCase[]): Promise<Replay> {
  const shares = await distributeLog(workspace, log);
  const started = performance.now();
  const texts = await Promise.all(shares.map((share) => runForOutput(createReplayCommand(workspace, share))));
  const seconds = (performance.now() - started) / 1000;
  return { handles: new Map(texts.flatMap(parseHandles)), seconds };
}

/** Counts the API calls that the replay of a log makes. */
export function countCalls(log: readonly LogCase[]): number {
  return log.reduce((sum, { events }) => sum + 1 + events.length * CALLS_PER_EVENT, 0);
}

/** Adds clerks and gives each a share of the log. */
export async function distributeLog(
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

/** Creates the command that replays a share, with additional flags. */
export function createReplayCommand(
  workspace: Workspace,
  { clerk, file }: Share,
  flags: readonly string[] = [],
  options: Deno.CommandOptions = {},
): Deno.Command {
  const fixed = ["--allow-declared", "--timeout", "3600", "--max-journal", "1024", "--quiet"];
  const args = ["workflow", "run", SCRIPT, "--input", `@${file}`, "--profile", clerk, ...fixed, ...flags];
  return workspace.command(args, options);
}

function parseHandles(text: string): [string, string][] {
  const result: unknown = JSON.parse(text);
  if (!isJsonObject(result)) throw new Error("A workflow printed no handles.");
  return Object.entries(result).map(([key, handle]) => [key, String(handle)]);
}
