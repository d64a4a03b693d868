/**
 * Prints figures as ratios to a baseline of the same run, or compares this checkout with another one:
 * `deno task bench [<log.csv.gz>]` or `deno task bench --before <checkout>`. `--help` lists the options.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureCommits, PROGRAMS } from "./bench/baselines.ts";
import { compareWithShell, measureBatchMemory } from "./bench/batches.ts";
import { compareCheckouts, type ComparisonOptions } from "./bench/comparison/compare.ts";
import { ROWS } from "./bench/comparison/rows.ts";
import { LIMIT } from "./bench/comparison/verdict.ts";
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
import { CHECKOUT } from "./support/copy_checkout.ts";
import { readNumber } from "./support/read_number.ts";
import { API_ROOT, closeOnInterrupt, Workspace } from "./support/workspace.ts";

const RUNS = 25;
const SAMPLE_CASES = 400;
const SAMPLE = fileURLToPath(new URL("./demo/log.csv", import.meta.url));

type Measure = () => Promise<Figure | Figure[]>;

const measures: Readonly<Record<string, Measure>> = {
  "start-up": measureStart,
  "one-call": measureCall,
  "replay": async () => await measureReplays(await readSomeLog(), 1),
  "replay-by-two": async () => await measureReplays(await readSomeLog(), 2),
  "reads": measureReads,
  "performs": measurePerforms,
  "transfer": measureTransfer,
  "steps": () => measureSteps(workspace.directory),
  "sandbox": () => measureSandboxStart(workspace.directory, program("empty")),
  "resume": () => measureResume(workspace.directory),
  "memory": () => measureBatchMemory(inputs),
  "shell": compareWithShell,
  "inputs": measureInputs,
  "far-inputs": measureFarInputs,
  "waiting": measureWaiting,
  "stores": compareStores,
  "services": measureServices,
  "workers": measureWorkers,
  "growth": () => measureGrowth(workspace.directory, cases, store),
};

const USAGE = `Usage: deno task bench [<log.csv.gz>] [--only <name>]... [--inputs <n>] [--cases <n>] [--store <store>]
       deno task bench --before <checkout> [--only <name>]... [--rounds <n>] [--scale <n>] [--built]

The first form prints figures as ratios to a baseline of the same run:
${Object.keys(measures).join(", ")}.
  --only <name>        measure one figure; can be repeated
  --inputs <n>         inputs of the longest batch (default: 10000)
  --cases <n>          cases that 'growth' compares with 1,000 (default: 100000)
  --store <store>      store of 'growth': sqlite or postgres (default: sqlite)

The second form builds copies of this and of another checkout, and measures both in turns:
${ROWS.map(({ name }) => name).join(", ")}.
  --before <checkout>  the other checkout
  --only <name>        compare one row; can be repeated
  --rounds <n>         rounds (default: 5, which take about 5 minutes on an idle machine)
  --scale <n>          share of the work to do, from 0.001 to 1 (default: 1)
  --built              use the programs in dist/ of both checkouts instead of building copies

Each row has the medians of both checkouts and the ratio of their times, with the range over the rounds in parentheses.
It is 'worse' if this checkout takes more than ${LIMIT} × the time of the other one, by the medians and in at least three
quarters of the rounds. It is 'better' if the same holds for the other checkout, and 'noisy' if the medians differ by
more than that, but not the rounds. Exits with 1 if a row is worse.`;

/** Options of the command line. */
type Options = { readonly before: ComparisonOptions } | {
  readonly before?: undefined;
  readonly measures: readonly Measure[];
  readonly logFile?: string;
  readonly inputs: number;
  readonly cases: number;
  readonly store: "sqlite" | "postgres";
};

const options = readOptions();
closeOnInterrupt();
if (options.before !== undefined) Deno.exit(await compareCheckouts(options.before) ? 0 : 1);

const { logFile, inputs, cases, store } = options;
await build();
await using workspace = await Workspace.open();
const baseUrl = await workspace.startService();
const api = baseUrl + API_ROOT;
const programs: Record<keyof typeof PROGRAMS, string> = { empty: "", fetch: "", fixedResponse: "" };
for (const name of ["empty", "fetch", "fixedResponse"] as const) {
  programs[name] = `${workspace.directory}/${name}.ts`;
  await Deno.writeTextFile(programs[name], PROGRAMS[name]);
}

for (const measure of options.measures) {
  for (const figure of [await measure()].flat()) console.log(formatFigure(figure));
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

function readOptions(): Options {
  try {
    const text = { type: "string" } as const;
    const { values, positionals: [logFile] } = parseArgs({
      options: {
        help: { type: "boolean" },
        before: text,
        rounds: text,
        scale: text,
        built: { type: "boolean", default: false },
        inputs: text,
        cases: text,
        store: { type: "string", default: "sqlite" },
        only: { type: "string", multiple: true },
      },
      allowPositionals: true,
    });
    if (values.help) {
      console.log(USAGE);
      Deno.exit(0);
    }
    const { before, store, only, built } = values;
    if (store !== "sqlite" && store !== "postgres") {
      throw new Error(`--store must be sqlite or postgres, not ${store}.`);
    }
    const count = { min: 1, max: 1e9, isInteger: true };
    const inputs = readNumber("--inputs", values.inputs, count) ?? 10_000;
    const cases = readNumber("--cases", values.cases, count) ?? 100_000;
    const rounds = readNumber("--rounds", values.rounds, count) ?? 5;
    const scale = readNumber("--scale", values.scale, { min: 0.001, max: 1 }) ?? 1;
    if (before === undefined) return { logFile, inputs, cases, store, measures: select(measures, only) };
    if (!existsSync(`${before}/deno.json`)) throw new Error(`There is no checkout in ${before}.`);
    const rows = select(Object.fromEntries(ROWS.map((row) => [row.name, row])), only);
    const unbuilt = built ? [before, CHECKOUT].find((checkout) => !existsSync(`${checkout}/dist/cli.js`)) : undefined;
    if (unbuilt !== undefined) {
      throw new Error(`There is no program in ${unbuilt}/dist. Run 'deno task build' in ${unbuilt}.`);
    }
    return { before: { checkout: before, rows, rounds, scale, built } };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    Deno.exit(2);
  }
}

/** Returns the measurements with the given names. Default: all. */
function select<T>(measurements: Readonly<Record<string, T>>, names = Object.keys(measurements)): T[] {
  return names.map((name) => {
    const measurement = Object.hasOwn(measurements, name) ? measurements[name] : undefined;
    if (measurement !== undefined) return measurement;
    throw new Error(`There is no measurement '${name}'. Measurements: ${Object.keys(measurements).join(", ")}.`);
  });
}

async function measureCall(): Promise<Figure[]> {
  const id = await createCase(workspace);
  const url = toCaseUrl({ api, caseId: id });
  const fetching = program("fetch", url, await workspace.token("default"));
  return await timeStarts(["cases", "get", id], fetching, "a program that fetches", 1.3);
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
    limit: 0.5,
  };
}

async function measurePerforms(): Promise<Figure> {
  const target = await prepareTarget(workspace, api);
  const [ours = NaN, theirs = NaN] = await measureInTurns([
    () => measurePerformRate(target, 4000),
    () => measureCommits(workspace.directory, 5000),
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
