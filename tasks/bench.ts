/**
 * Prints the project's figures as ratios against a baseline in the same run: `deno task bench [<log.csv.gz>]`. With
 * `--before <checkout>` it compares the start of two commands with that of another checkout too; `--inputs <n>` is the
 * length of the longest batch; `--only <name>`, which may be repeated, measures some of the figures.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isJsonObject } from "../utils/json.ts";
import { againstShell, memoryOfBatch } from "./bench/batches.ts";
import { journalledSteps, resumed } from "./bench/durable.ts";
import { sandboxReady } from "./bench/sandbox_ready.ts";
import { commitsPerSecond, PROGRAMS } from "./bench/baselines.ts";
import { describe, type Figure, inTurns } from "./bench/figure.ts";
import { numberFrom, timeProcesses } from "./bench/processes.ts";
import { replayFigures } from "./bench/replays.ts";
import { transferFigures } from "./bench/transfer.ts";
import { build, PROGRAM } from "./build.ts";
import { type LogCase, readLog } from "./replay/log.ts";
import { API_ROOT, closeOnInterrupt, Workspace } from "./workspace.ts";

const { logFile, before, inputs, only } = readArguments(Deno.args);
const RUNS = 25;
const SAMPLE_CASES = 400;
const SAMPLE = fileURLToPath(new URL("./demo/log.csv", import.meta.url));

await build();
closeOnInterrupt();
await using workspace = await Workspace.open();
const baseUrl = await workspace.startService();
const api = baseUrl + API_ROOT;
const programs: Record<keyof typeof PROGRAMS, string> = { empty: "", fetch: "", fixedAnswer: "" };
for (const name of ["empty", "fetch", "fixedAnswer"] as const) {
  programs[name] = `${workspace.directory}/${name}.ts`;
  await Deno.writeTextFile(programs[name], PROGRAMS[name]);
}

const { directory } = workspace;
const measures: Record<string, () => Promise<Figure | Figure[]>> = {
  "start-up": startUp,
  "one-call": oneCall,
  "replay": async () => await replayFigures(await someLog(), 1),
  "replay-by-two": async () => await replayFigures(await someLog(), 2),
  "reads": reads,
  "performs": performs,
  "transfer": transferFigures,
  "steps": () => journalledSteps(directory),
  "sandbox": () => sandboxReady(directory, program("empty")),
  "resume": () => resumed(directory),
  "memory": () => memoryOfBatch(inputs),
  "shell": againstShell,
  "before": async () => before === undefined ? [] : await startsAgainst(before),
};
for (const measure of chosen()) {
  for (const figure of [await measure()].flat()) console.log(describe(figure));
}

function chosen(): (() => Promise<Figure | Figure[]>)[] {
  return (only ?? Object.keys(measures)).map((name) => {
    const measure = Object.hasOwn(measures, name) ? measures[name] : undefined;
    if (measure === undefined) throw new Error(`No figure ${name}. There are ${Object.keys(measures).join(", ")}.`);
    return measure;
  });
}

async function startUp(): Promise<Figure[]> {
  return await startsOf(["--version"], program("empty"), "an empty program", 1.3);
}

/** What people install keeps the limit; the sources are told beside it. */
async function startsOf(args: string[], than: Deno.Command, baseline: string, limit: number): Promise<Figure[]> {
  const what = `svc ${args.slice(0, 2).join(" ")}`;
  const [built, theirs] = await timeProcesses(workspace.command(args, {}, PROGRAM), than, RUNS);
  const [unbuilt, again] = await timeProcesses(workspace.command(args), than, RUNS);
  return [
    { what, baseline, ours: built, theirs, unit: "ms", limit },
    { what: `${what}, unbuilt`, baseline, ours: unbuilt, theirs: again, unit: "ms" },
  ];
}

/** What has come since another checkout must not cost a command that has nothing to do with it. */
async function startsAgainst(checkout: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const args of [["--version"], ["cases", "get", await newCase()]]) {
    const theirCommand = workspace.command(args, {}, `${checkout}/cli.ts`);
    const [ours, theirs] = await timeProcesses(workspace.command(args), theirCommand, 2 * RUNS);
    const what = `svc ${args.slice(0, 2).join(" ")}`;
    figures.push({ what, baseline: "the same before", ours, theirs, unit: "ms", limit: 1.05 });
  }
  return figures;
}

function readArguments(args: string[]): { logFile?: string; before?: string; inputs: number; only?: string[] } {
  const { values: { before, inputs, only }, positionals: [logFile] } = parseArgs({
    args,
    options: {
      before: { type: "string" },
      inputs: { type: "string", default: "10000" },
      only: { type: "string", multiple: true },
    },
    allowPositionals: true,
  });
  return { logFile, before, inputs: Number(inputs), only };
}

async function oneCall(): Promise<Figure[]> {
  const id = await newCase();
  const url = `${api}/cases/${encodeURIComponent(id)}`;
  const fetching = program("fetch", url, await workspace.token("default"));
  return await startsOf(["cases", "get", id], fetching, "a program that fetches", 1.4);
}

async function reads(): Promise<Figure> {
  const url = `${api}/cases/${encodeURIComponent(await newCase())}`;
  const bearer = await workspace.token("default");
  const answer = await (await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })).text();
  const fixed = program("fixedAnswer", answer).spawn();
  const port = await firstLine(fixed.stdout);
  const load = (address: string) => () => numberFrom("load_get.ts", [address, bearer, "32", "6000"]);
  const [ours = NaN, theirs = NaN] = await inTurns([load(url), load(`http://127.0.0.1:${port}/`)]);
  fixed.kill();
  return {
    what: "service GET /cases/{id}",
    baseline: "Deno.serve, fixed answer",
    ours,
    theirs,
    unit: "/s",
    limit: 0.3,
  };
}

async function performs(): Promise<Figure> {
  const assignments = await Promise.all(Array.from({ length: 32 }, newActivity));
  const load = [api, await workspace.token("default"), "4000", ...assignments];
  const [ours = NaN, theirs = NaN] = await inTurns([
    () => numberFrom("load_perform.ts", load),
    () => commitsPerSecond(directory, 5000),
  ]);
  return { what: "service perform, 32 clients", baseline: "SQLite commits", ours, theirs, unit: "/s", limit: 0.5 };
}

function program(name: keyof typeof PROGRAMS, ...args: string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), { args: ["run", "--allow-net", programs[name], ...args], stdout: "piped" });
}

async function newCase(): Promise<string> {
  return (await created()).id;
}

/** An assignment of the receiving phase that stays open whatever is performed. */
async function newActivity(): Promise<string> {
  const { next } = await created();
  const data = JSON.stringify({ Resource: "Resource01", PerformedAt: "2026-01-02T03:04:05Z" });
  const flags = ["--action", "Confirmation of receipt", "--data", data];
  return assignmentOf(JSON.parse(await workspace.svc("assignments", "perform", next, ...flags)));
}

async function created(): Promise<{ id: string; next: string }> {
  const answer: unknown = JSON.parse(await workspace.svc("cases", "create", "--type", "City-Permit-Work-Receipt"));
  if (!isJsonObject(answer) || typeof answer.id !== "string") throw new Error("svc cases create answered no id.");
  return { id: answer.id, next: assignmentOf(answer) };
}

function assignmentOf(answer: unknown): string {
  const next = isJsonObject(answer) ? answer.nextAssignmentInfo : undefined;
  if (isJsonObject(next) && typeof next.ID === "string") return next.ID;
  throw new Error("The answer names no next assignment.");
}

/** The log that is given, or the demo's again and again. */
async function someLog(): Promise<LogCase[]> {
  if (logFile !== undefined) return await readLog(logFile);
  const sample = await readLog(SAMPLE);
  return Array.from({ length: SAMPLE_CASES / sample.length }, (_, round) => {
    return sample.map((logged) => ({ ...logged, key: `${logged.key}, ${round}` }));
  }).flat();
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  reader.releaseLock();
  return value.trim();
}
