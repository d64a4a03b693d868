/**
 * Runs a batch through workers and services on one PostgreSQL database, disturbs them, and proves by the API that each
 * step of each input has created one case, in order: `deno task workers`. Without other options, three workers and two
 * services run 10,000 inputs, and one of each is killed every second. PostgreSQL is that of the tests.
 *
 * Exits with 1 if a case is missing or repeated, or the results are out of order. See docs/reliability.md.
 */
import { parseArgs } from "node:util";
import { render } from "../lib/output/render.ts";
import { build } from "./build.ts";
import { quantile } from "./support/quantile.ts";
import { closeOnInterrupt } from "./support/workspace.ts";
import { Batch } from "./workers/batch.ts";
import { Cluster } from "./workers/cluster.ts";
import { DBOS_ENGINE } from "./workers/dbos_engine.ts";
import { Disturbance } from "./workers/disturbance.ts";
import { FAULTS } from "./workers/faults.ts";
import { SVC_ENGINE } from "./workers/svc_engine.ts";
import { type Verdict, verify } from "./workers/verify.ts";

const USAGE = `Usage: deno task workers [--inputs <n> | --kills <n>] [--workers <n>] [--services <n>] [--steps <n>]
${FAULTS.map(({ name, what }) => `  --${name.padEnd(10)}${what}`).join("\n")}
--kills <n> runs as many inputs as are needed for that number of kills. --steps <n> is the number of cases per input.
--dbos runs the same steps on workers of DBOS, for comparison. --calm disturbs nothing.`;

const PROGRESS_MILLISECONDS = 1000;

const options = readOptions();
closeOnInterrupt();
await build();
await using cluster = await Cluster.open({
  ...options,
  hasProxies: options.faults.some(({ name }) => name === "cut" || name === "freeze"),
});
const started = performance.now();
const disturbance = new Disturbance(cluster, options.faults);
const batch = new Batch(
  options.engine.createBatch(cluster),
  (inputs) => options.kills === undefined ? inputs < options.inputs : disturbance.kills < options.kills,
);
const progress = setInterval(showProgress, PROGRESS_MILLISECONDS);
const { code, stderr } = await batch.ended;
clearInterval(progress);
showProgress();
if (Deno.stderr.isTerminal()) console.error();
await disturbance.end();
const seconds = (performance.now() - started) / 1000;
await cluster.servicesStarted();
const verdict = await verify(batch.results, {
  inputs: batch.inputs,
  steps: options.steps,
  baseUrl: cluster.url,
  configDirectory: cluster.workspace.env.SVC_CONFIG_DIR ?? "",
});
if (stderr !== "") console.error(stderr);
console.log((await renderReport(verdict)).trimEnd());
const isExact = code === 0 && Object.values(verdict).every((count) => count === 0);
console.log(isExact ? "Each step of each input has created one case, and the results are in order." : "NOT EXACT");
Deno.exitCode = isExact ? 0 : 1;

function showProgress(): void {
  const seconds = (performance.now() - started) / 1000;
  const { results: { length }, inputs } = batch;
  const of = options.kills === undefined ? ` of ${options.inputs}` : "";
  const rate = (length / seconds).toFixed(1);
  const text = `${length}${of} inputs, ${disturbance.kills} kills, ${seconds.toFixed(0)} s, ${rate} inputs/s`;
  if (Deno.stderr.isTerminal()) Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${text}`));
  else if (length === inputs || Math.round(seconds) % 30 === 0) console.error(text);
}

async function renderReport({ lost, repeated, disordered }: Verdict): Promise<string> {
  const figures: [figure: string, value: string][] = [
    ["inputs", String(batch.inputs)],
    ["cases", String(batch.inputs * options.steps - lost + repeated)],
    ["seconds", seconds.toFixed(1)],
    ["inputs per second", (batch.inputs / seconds).toFixed(1)],
    ["steps per second", (batch.inputs * options.steps / seconds).toFixed(1)],
    ["kills", String(disturbance.kills)],
    ["lost", String(lost)],
    ["repeated", String(repeated)],
    ["out of order", String(disordered)],
  ];
  const faults = [...disturbance.figures].map(([{ name, targetSeconds }, { count, seconds }]) => {
    const sorted = seconds.toSorted((one, other) => one - other);
    const format = (share: number) => quantile(sorted, share)?.toFixed(2) ?? "";
    return {
      fault: name,
      count: String(count),
      measured: String(sorted.length),
      "median s": format(0.5),
      "max s": format(1),
      "target s": String(targetSeconds),
      missed: String(sorted.filter((one) => one > targetSeconds).length),
    };
  });
  const surface = { columns: 80, color: false };
  const rows = figures.map(([figure, value]) => ({ figure, value }));
  const table = await render(rows, { format: "table" }, surface);
  if (faults.length === 0) return table.text;
  const times = await render(faults, { format: "table" }, surface);
  return `${table.text}\nTime until others continue the inputs of a disturbed worker:\n${times.text}`;
}

function readOptions() {
  try {
    const number = { type: "string" } as const;
    const flags = Object.fromEntries(FAULTS.map(({ name }) => [name, { type: "boolean" } as const]));
    const { values } = parseArgs({
      options: {
        help: { type: "boolean" },
        inputs: number,
        kills: number,
        workers: number,
        services: number,
        steps: number,
        dbos: { type: "boolean" },
        calm: { type: "boolean" },
        ...flags,
      },
    });
    const read = (name: "inputs" | "kills" | "workers" | "services" | "steps") => {
      const text = values[name];
      const value = Number(text);
      if (text === undefined) return undefined;
      if (Number.isInteger(value) && value > 0) return value;
      throw new TypeError(`--${name} must be a positive integer, not ${text}.`);
    };
    if (values.help) {
      console.log(USAGE);
      Deno.exit(0);
    }
    const given = new Map<string, unknown>(Object.entries(values));
    const chosen = FAULTS.filter(({ name }) => given.has(name) || (name === "kill" && given.has("kills")));
    return {
      inputs: read("inputs") ?? 10_000,
      kills: read("kills"),
      workers: read("workers") ?? 3,
      services: read("services") ?? 2,
      steps: read("steps") ?? 1,
      engine: values.dbos ? DBOS_ENGINE : SVC_ENGINE,
      faults: chosen.length > 0 || values.calm ? chosen : FAULTS.filter(({ name }) => name === "kill"),
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    Deno.exit(2);
  }
}
