/**
 * Prints figures as ratios to a baseline of the same run: `deno task bench [<log.csv.gz>]`.
 *
 * `--before <checkout>` also compares the start of two commands with another checkout. `--inputs <n>` sets the length of
 * the longest batch, `--cases <n>` the number of cases that is compared with 1,000. `--store postgres` compares them on
 * PostgreSQL. `--only <name>` measures one figure, and can be repeated.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureCommits, PROGRAMS } from "./bench/baselines.ts";
import { compareWithShell, measureBatchMemory } from "./bench/batches.ts";
import { type Figure, formatFigure, measureInTurns } from "./bench/figure.ts";
import { measureGrowth } from "./bench/growth.ts";
import { measureFarInputs, measureInputs } from "./bench/inputs.ts";
import { measureResume, measureSteps } from "./bench/journal.ts";
import { CLIENTS, measurePerformRate, measureReadRate, prepareTarget, toCaseUrl } from "./bench/load.ts";
import { timeProcesses } from "./bench/processes.ts";
import { measureReplays } from "./bench/replays.ts";
import { measureSandboxStart } from "./bench/sandbox_ready.ts";
import { compareStores } from "./bench/stores.ts";
import { measureTransfer } from "./bench/transfer.ts";
import { measureWaiting } from "./bench/waiting.ts";
import { measureWorkers } from "./bench/workers.ts";
import { measureServices } from "./bench/services.ts";
import { createCase } from "./bench/work.ts";
import { build, PROGRAM } from "./build.ts";
import { type LogCase, readLog } from "./replay/log.ts";
import { API_ROOT, closeOnInterrupt, runForOutput, Workspace } from "./support/workspace.ts";

const { logFile, before, inputs, cases, store, only } = readArguments(Deno.args);
const RUNS = 25;
const SAMPLE_CASES = 400;
const SAMPLE = fileURLToPath(new URL("./demo/log.csv", import.meta.url));

await build();
closeOnInterrupt();
await using workspace = await Workspace.open();
const baseUrl = await workspace.startService();
const api = baseUrl + API_ROOT;
const programs: Record<keyof typeof PROGRAMS, string> = { empty: "", fetch: "", fixedResponse: "" };
for (const name of ["empty", "fetch", "fixedResponse"] as const) {
  programs[name] = `${workspace.directory}/${name}.ts`;
  await Deno.writeTextFile(programs[name], PROGRAMS[name]);
}

const { directory } = workspace;
const measures: Record<string, () => Promise<Figure | Figure[]>> = {
  "start-up": measureStart,
  "one-call": measureCall,
  "replay": async () => await measureReplays(await readSomeLog(), 1),
  "replay-by-two": async () => await measureReplays(await readSomeLog(), 2),
  "reads": measureReads,
  "performs": measurePerforms,
  "transfer": measureTransfer,
  "steps": () => measureSteps(directory),
  "sandbox": () => measureSandboxStart(directory, program("empty")),
  "resume": () => measureResume(directory),
  "memory": () => measureBatchMemory(inputs),
  "shell": compareWithShell,
  "inputs": measureInputs,
  "far-inputs": measureFarInputs,
  "waiting": measureWaiting,
  "stores": compareStores,
  "services": measureServices,
  "workers": measureWorkers,
  "growth": () => measureGrowth(directory, cases, store),
  "before": async () => before === undefined ? [] : await compareStarts(before),
};
for (const measure of selectMeasures()) {
  for (const figure of [await measure()].flat()) console.log(formatFigure(figure));
}

function selectMeasures(): (() => Promise<Figure | Figure[]>)[] {
  return (only ?? Object.keys(measures)).map((name) => {
    const measure = Object.hasOwn(measures, name) ? measures[name] : undefined;
    if (measure === undefined) {
      throw new Error(`There is no figure ${name}. Available: ${Object.keys(measures).join(", ")}.`);
    }
    return measure;
  });
}

async function measureStart(): Promise<Figure[]> {
  return await timeStarts(["--version"], program("empty"), "an empty program", 1.3);
}

/** Compares the built program, which must meet the limit, and the sources. */
async function timeStarts(args: string[], other: Deno.Command, baseline: string, limit: number): Promise<Figure[]> {
  const name = `svc ${args.slice(0, 2).join(" ")}`;
  const [built, theirs] = await timeProcesses(workspace.command(args, {}, PROGRAM), other, RUNS);
  const [unbuilt, again] = await timeProcesses(workspace.command(args), other, RUNS);
  return [
    { name, baseline, ours: built, theirs, unit: "ms", limit },
    { name: `${name}, unbuilt`, baseline, ours: unbuilt, theirs: again, unit: "ms" },
  ];
}

/** Compares the start of commands with another checkout. Both programs are built. */
async function compareStarts(checkout: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  await runForOutput(new Deno.Command(Deno.execPath(), { args: ["task", "build"], cwd: checkout }));
  for (const args of [["--version"], ["cases", "get", await createCase(workspace)]]) {
    const other = workspace.command(args, {}, `${checkout}/dist/cli.js`);
    const [ours, theirs] = await timeProcesses(workspace.command(args, {}, PROGRAM), other, 2 * RUNS);
    const name = `svc ${args.slice(0, 2).join(" ")}`;
    figures.push({ name, baseline: "the other checkout", ours, theirs, unit: "ms", limit: 1.05 });
  }
  return figures;
}

function readArguments(
  args: string[],
): {
  logFile?: string;
  before?: string;
  inputs: number;
  cases: number;
  store: "sqlite" | "postgres";
  only?: string[];
} {
  const { values: { before, inputs, cases, store, only }, positionals: [logFile] } = parseArgs({
    args,
    options: {
      before: { type: "string" },
      inputs: { type: "string", default: "10000" },
      cases: { type: "string", default: "100000" },
      store: { type: "string", default: "sqlite" },
      only: { type: "string", multiple: true },
    },
    allowPositionals: true,
  });
  if (store !== "sqlite" && store !== "postgres") throw new Error(`--store is sqlite or postgres, not ${store}.`);
  return { logFile, before, inputs: Number(inputs), cases: Number(cases), store, only };
}

async function measureCall(): Promise<Figure[]> {
  const id = await createCase(workspace);
  const url = toCaseUrl({ api, caseId: id });
  const fetching = program("fetch", url, await workspace.token("default"));
  return await timeStarts(["cases", "get", id], fetching, "a program that fetches", 1.4);
}

async function measureReads(): Promise<Figure> {
  const url = toCaseUrl({ api, caseId: await createCase(workspace) });
  const bearer = await workspace.token("default");
  const text = await (await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })).text();
  const fixed = program("fixedResponse", text).spawn();
  const port = await readFirstLine(fixed.stdout);
  const load = (address: string) => () => measureReadRate(address, bearer, 6000);
  const [ours = NaN, theirs = NaN] = await measureInTurns([load(url), load(`http://127.0.0.1:${port}/`)]);
  fixed.kill();
  return {
    name: "service GET /cases/{id}",
    baseline: "Deno.serve, fixed response",
    ours,
    theirs,
    unit: "/s",
    limit: 0.3,
  };
}

async function measurePerforms(): Promise<Figure> {
  const target = await prepareTarget(workspace, api);
  const [ours = NaN, theirs = NaN] = await measureInTurns([
    () => measurePerformRate(target, 4000),
    () => measureCommits(directory, 5000),
  ]);
  return {
    name: `service perform, ${CLIENTS} clients`,
    baseline: "SQLite commits",
    ours,
    theirs,
    unit: "/s",
    limit: 0.5,
  };
}

function program(name: keyof typeof PROGRAMS, ...args: string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), { args: ["run", "--allow-net", programs[name], ...args], stdout: "piped" });
}

/** Reads the given log, or repeats the log of the demo. */
async function readSomeLog(): Promise<LogCase[]> {
  if (logFile !== undefined) return await readLog(logFile);
  const sample = await readLog(SAMPLE);
  return Array.from({ length: SAMPLE_CASES / sample.length }, (_, round) => {
    return sample.map((logged) => ({ ...logged, key: `${logged.key}, ${round}` }));
  }).flat();
}

async function readFirstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  reader.releaseLock();
  return value.trim();
}
