import { PROGRAM } from "../build.ts";
import { readOutput, Workspace } from "../support/workspace.ts";
import { TcpProxy } from "../support/tcp_proxy.ts";
import { type Figure, measureInTurns } from "./figure.ts";
import { createCase } from "./work.ts";

/** Numbers of inputs. A process of a stateless script has fewer milliseconds for each. */
const INPUTS = { separate: 1000, stateless: 5000 };

/** Milliseconds that a request and its response are on the way, if the service is far away. */
const DISTANCE = 50;

/** Inputs that run at the same time: on this machine, and if the service is far away. */
const CONCURRENCY = { near: 4, nearStateless: 32, far: 64 };

type State = keyof typeof INPUTS;

/** Measures the inputs per second of a batch in which each makes one call. */
export async function measureInputs(): Promise<Figure[]> {
  await using bench = await InputsBench.open();
  const baseline = "the target";
  const [separate = NaN, stateless = NaN] = await bench.measure([
    { state: "separate", concurrency: CONCURRENCY.near },
    { state: "stateless", concurrency: CONCURRENCY.nearStateless },
  ]);
  return [
    { name: "one-call inputs with separate module state", baseline, ours: separate, theirs: 200, unit: "/s", limit: 1 },
    { name: "one-call inputs of a stateless script", baseline, ours: stateless, theirs: 1000, unit: "/s", limit: 1 },
  ];
}

/** Measures the same with a service that is far away. The ideal is that all inputs wait for their responses all the time. */
export async function measureFarInputs(): Promise<Figure[]> {
  await using bench = await InputsBench.open();
  const port = Number(new URL(bench.service).port);
  using proxy = new TcpProxy(() => [port], { delayMilliseconds: DISTANCE / 2 });
  const service = `http://127.0.0.1:${proxy.port}`;
  const { far: concurrency } = CONCURRENCY;
  const [separate = NaN, stateless = NaN] = await bench.measure([
    { state: "separate", concurrency, service },
    { state: "stateless", concurrency, service },
  ]);
  const ideal = { baseline: "the ideal", theirs: concurrency / DISTANCE * 1000, unit: "/s" } as const;
  const where = `${DISTANCE} ms away, concurrency ${concurrency}`;
  return [
    { name: `one-call inputs with separate module state, ${where}`, ours: separate, ...ideal, limit: 0.25 },
    { name: `one-call inputs of a stateless script, ${where}`, ours: stateless, ...ideal, limit: 0.8 },
  ];
}

/** A batch to measure. */
interface BatchPace {
  readonly state: State;
  readonly concurrency: number;
  /** Address of the service, if it is not on this machine. */
  readonly service?: string;
}

/** A service, and scripts that make one call per input. */
class InputsBench implements AsyncDisposable {
  /** Address of the service. */
  readonly service: string;
  readonly #workspace: Workspace;

  private constructor(workspace: Workspace, service: string) {
    this.#workspace = workspace;
    this.service = service;
  }

  static async open(): Promise<InputsBench> {
    const workspace = await Workspace.open(PROGRAM);
    const service = await workspace.startService();
    const line = JSON.stringify({ id: await createCase(workspace) }) + "\n";
    for (const state of ["separate", "stateless"] as const) {
      await Deno.writeTextFile(`${workspace.directory}/${state}.ts`, createScript(state));
      await Deno.writeTextFile(`${workspace.directory}/${state}.ndjson`, line.repeat(INPUTS[state]));
    }
    return new InputsBench(workspace, service);
  }

  /** Returns the mean rate of each batch, measured in turns. */
  async measure(batches: readonly BatchPace[]): Promise<number[]> {
    return await measureInTurns(batches.map((batch) => async () => INPUTS[batch.state] / await this.#time(batch)));
  }

  async #time({ state, concurrency, service }: BatchPace): Promise<number> {
    const { directory, env } = this.#workspace;
    const args = ["workflow", "run", `${directory}/${state}.ts`, "--each", `${directory}/${state}.ndjson`];
    const pace = ["--concurrency", String(concurrency), "--allow-declared", "--quiet"];
    const command = this.#workspace.command([...args, ...pace], {
      env: { ...env, ...(service !== undefined && { SVC_BASE_URL: service }) },
      stdout: "piped",
      stderr: "piped",
    });
    const started = performance.now();
    readOutput(await command.output(), "The batch");
    return (performance.now() - started) / 1000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workspace[Symbol.asyncDispose]();
  }
}

function createScript(state: State): string {
  return `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow<{ id: string }>({
  name: "one",
  allow: ["cases.get"],
  ${state === "stateless" ? "stateless: true," : ""}
  run: async ({ svc, input }) => (await svc.cases.get(input.id)).status,
});
`;
}
