/**
 * Runs a batch through three workers and two services on one database while one of each is killed every second, and proves
 * by the API that each input has created one case: `deno task workers [--inputs <n>]`. PostgreSQL is that of the tests.
 *
 * Exits with 1 if a case is missing or repeated, or the results are out of order.
 */
import { startPostgres } from "../tests/harness/postgres.ts";
import { createClient } from "../mod.ts";
import { build, PROGRAM } from "./build.ts";
import { Balancer } from "./support/balancer.ts";
import { Process } from "./support/processes.ts";
import { Service } from "./support/service.ts";
import { closeOnInterrupt, Workspace } from "./support/workspace.ts";

const WORKERS = 3;

const KILL_MILLISECONDS = 1000;

const SCRIPT = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow<number>({
  name: "numbered",
  allow: ["cases.create"],
  async run({ svc, input }) {
    const data = { Applicant: "Applicant " + input, Address: "Main St 1" };
    return { input, id: (await svc.cases.create({ type: "City-Permit-Work-Permit", data })).id };
  },
});
`;

const inputs = readInputs();
closeOnInterrupt();
await build();
await using postgres = await startPostgres({ settings: { fsync: "on" } });
await using workspace = await Workspace.open(PROGRAM);
const { directory } = workspace;
const store = ["--store", `${postgres.location}?schema=service`];
await using first = new Service(workspace, { flags: store });
await using second = new Service(workspace, { flags: store, data: `${directory}/second`, profile: "second" });
const services = [first, second];
for (const service of services) await service.start();
using balancer = new Balancer(() => services.map(({ port }) => port));
const env = { ...workspace.env, SVC_BASE_URL: balancer.url };
await Deno.writeTextFile(`${directory}/script.ts`, SCRIPT);
const numbers = Array.from({ length: inputs }, (_, index) => index + 1);
await Deno.writeTextFile(`${directory}/in.ndjson`, numbers.map((number) => `${number}\n`).join(""));

const started = performance.now();
const workers = Array.from({ length: WORKERS }, startWorker);
const run = new Process(command(
  ["workflow", "run", `${directory}/script.ts`, "--each", `${directory}/in.ndjson`, "--allow-declared"],
  ["--workers", postgres.location, "--quiet"],
));
let kills = 0;
for (let turn = 0; run.end === undefined; turn++) {
  await Promise.race([run.ended, new Promise((resolve) => setTimeout(resolve, KILL_MILLISECONDS))]);
  if (run.end !== undefined) break;
  const place = turn % WORKERS;
  workers[place]?.kill();
  await workers[place]?.ended;
  workers[place] = startWorker();
  const service = services[turn % services.length];
  await service?.kill();
  await service?.start();
  kills += 2;
}
const { code, stdout, stderr } = await run.ended;
const seconds = (performance.now() - started) / 1000;
for (const worker of workers) worker.kill();
await Promise.all(workers.map(({ ended }) => ended));

const results = stdout.trim().split("\n").map((line) => JSON.parse(line).result);
const isOrdered = results.every((result, index) => result?.input === index + 1);
const ids = new Set(results.map((result) => result?.id));
const client = createClient({ configDirectory: workspace.env.SVC_CONFIG_DIR });
const { resultCount: cases } = await client.data.count("D_Permits");
console.log(
  `${inputs} inputs, ${results.length} results, ${cases} cases, ${kills} kills, ${seconds.toFixed(1)} s, ` +
    `${(inputs / seconds).toFixed(1)} inputs/s`,
);
const isExact = code === 0 && isOrdered && results.length === inputs && ids.size === inputs && cases === inputs;
if (!isExact) console.error(stderr);
console.log(isExact ? "Each input has created one case, and the results are in order." : "NOT EXACT");
Deno.exitCode = isExact ? 0 : 1;

function startWorker(): Process {
  return new Process(command(["worker", "start", "--store", postgres.location, "--allow", "cases.create"]));
}

function command(...args: readonly string[][]): Deno.Command {
  return workspace.command(args.flat(), {
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env,
  });
}

function readInputs(): number {
  const place = Deno.args.indexOf("--inputs");
  const number = place < 0 ? 1000 : Number(Deno.args[place + 1]);
  if (Number.isInteger(number) && number > 0) return number;
  console.error("--inputs needs a number. Usage: deno task workers [--inputs <n>]");
  Deno.exit(2);
}
