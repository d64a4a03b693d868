import { findProfile, saveProfile } from "../../lib/auth/profiles.ts";
import { delay } from "../../utils/async/abort.ts";
import { formatDuration } from "../../utils/time/format_duration.ts";
import { isJsonObject } from "../../utils/json.ts";
import { type ProxyFault, startFaultProxy } from "../../tests/harness/fault_proxy.ts";
import { Batch } from "../crash/batch.ts";
import { createReference, type FinishedBatch, readOutcome } from "../crash/outcome.ts";
import { judge, listFaults } from "../crash/verdict.ts";
import type { SeededRandom } from "../support/seeded_random.ts";
import { Service } from "../support/service.ts";
import { Workspace } from "../support/workspace.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";

/** How the service is unavailable: dead, suspended, or behind a gateway that answers instead of it. */
type Absence = "killed" | "suspended" | ProxyFault;

/** The outages, with their seconds at full scale. Those without seconds at a small scale last one second. */
const OUTAGES: readonly (readonly [absence: Absence, seconds: number])[] = [
  ["killed", 1],
  ["503", 5],
  ["cut-before", 12],
  ["suspended", 60],
  ["502", 120],
  ["killed", 600],
];

/** Scale below which only the first outages happen. */
const SHORT_SCALE = 0.05;
const SHORT_OUTAGES = 3;

/** Seconds that a batch waits: longer than the longest outage and the start after it. */
const MAX_OUTAGE = 720;

/** Inputs of a batch. */
const INPUTS = 24;
const MIN_INPUTS = 6;

/** Longest time in milliseconds from the first call of a batch, or the end of an outage, to the next outage. */
const MAX_DELAY = 1500;

/** Number of calls, as a multiple of those without outages. */
const MAX_CALLS = 1.2;

/** Interval in milliseconds at which the calls are looked at. */
const POLL_INTERVAL = 10;

/** Makes the service unavailable while batches run. */
export const outages: Scenario = {
  name: "outages",
  what: "outages of 1 s to 10 min in a batch",
  target: `0 inputs failed, extra calls ≤ ${MAX_CALLS} ×`,
  seconds: 900,
  run: interruptBatches,
};

async function interruptBatches({ random, scale, program, signal, onProgress }: SoakOptions): Promise<SoakResult> {
  const inputs = scaleNumber(INPUTS, scale, MIN_INPUTS);
  await using outage = await Interruption.open(program, random);
  const finished: FinishedBatch[] = [];
  const runBatch = async () => {
    const batch = outage.createBatch(`o${finished.length + 1}`, inputs);
    const end = await batch.finish();
    finished.push([batch, end]);
  };
  const [reference] = await Promise.all([createReference(program), runBatch()]);
  const undisturbed = outage.requests;
  const planned = scale < SHORT_SCALE ? OUTAGES.slice(0, SHORT_OUTAGES) : OUTAGES;
  const happened: string[] = [];
  while (happened.length < planned.length && !signal.aborted) {
    const over = new AbortController();
    const running = runBatch().finally(() => over.abort());
    while (happened.length < planned.length) {
      const [absence, full] = planned[happened.length] ?? ["killed", 1];
      const seconds = scaleNumber(full, scale);
      if (!await outage.happen(absence, seconds, over.signal)) break;
      happened.push(`${formatDuration(seconds * 1000)} (${absence})`);
      onProgress(`outage of ${happened.at(-1)}`);
    }
    await running;
  }
  const failures = finished.flatMap(([batch]) => listFailures(batch));
  const verdict = judge(reference, await readOutcome(outage.workspace, outage.service, finished), finished);
  const faults = listFaults(verdict);
  const ratio = outage.requests / (undisturbed * finished.length);
  const excess = ratio > MAX_CALLS ? [`${outage.requests} calls instead of ${undisturbed * finished.length}`] : [];
  return createResult(
    `outages of ${happened.join(", ")}; ${finished.length * inputs} inputs, ${failures.length} failed, ` +
      `calls ${ratio.toFixed(2)} ×, ${verdict.lost.length} effects lost, ${verdict.repeated.length} repeated`,
    [...failures, ...faults, ...excess],
  );
}

/** Lists the inputs that failed in the first process of a batch, and that process if it failed itself. */
function listFailures({ id, processes: [first, ...others] }: Batch): string[] {
  const end = first?.process.end;
  const failed = (end?.stdout ?? "").split("\n").filter((line) => {
    const result: unknown = line === "" ? undefined : JSON.parse(line);
    return isJsonObject(result) && result.error !== undefined;
  });
  const isFirstEnough = others.length === 0 && end?.code === 0;
  return failed.length > 0 || isFirstEnough ? failed : [`${id} ended with ${end?.code}: ${end?.stderr}`];
}

/** A service behind a proxy, and the ways to make it unavailable. */
class Interruption implements AsyncDisposable {
  readonly workspace: Workspace;
  readonly service: Service;
  readonly #random: SeededRandom;
  readonly #resources = new AsyncDisposableStack();
  /** Number of requests that the proxy has received. */
  requests = 0;
  /** Fate of all requests at present. */
  #fault: ProxyFault = "pass";

  private constructor(workspace: Workspace, service: Service, random: SeededRandom) {
    this.workspace = workspace;
    this.service = service;
    this.#random = random;
  }

  /** Starts a service, and a proxy that the profile `proxy` names. */
  static async open(program: string | undefined, random: SeededRandom): Promise<Interruption> {
    await using stack = new AsyncDisposableStack();
    const workspace = stack.use(await Workspace.open(program));
    const service = stack.use(new Service(workspace));
    await service.start();
    const interruption = new Interruption(workspace, service, random);
    const directory = workspace.env.SVC_CONFIG_DIR ?? "";
    // Without its service, because a restart of the service would replace the address of the proxy.
    const { service: _owner, ...profile } = findProfile("default", directory, console.error) ?? {};
    const target = new URL(profile.baseUrl ?? "");
    const choose = () => interruption.#choose();
    const proxy = stack.use(await startFaultProxy({ target, seed: 0, faults: {}, choose }));
    await saveProfile("proxy", { ...profile, baseUrl: proxy.url }, directory);
    interruption.#resources.use(stack.move());
    return interruption;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  #choose(): ProxyFault {
    this.requests++;
    return this.#fault;
  }

  createBatch(id: string, inputs: number): Batch {
    return new Batch(this.workspace, id, inputs, ["--profile", "proxy", "--max-outage", String(MAX_OUTAGE)]);
  }

  /** Makes the service unavailable while calls arrive. Returns false if the batch ends before. */
  async happen(absence: Absence, seconds: number, over: AbortSignal): Promise<boolean> {
    const before = this.requests;
    while (this.requests === before) {
      if (over.aborted) return false;
      await delay(POLL_INTERVAL);
    }
    await delay(this.#random.next() * MAX_DELAY);
    if (over.aborted) return false;
    await this.#begin(absence);
    await delay(seconds * 1000);
    await this.#end(absence);
    return true;
  }

  async #begin(absence: Absence): Promise<void> {
    if (absence === "killed") await this.service.kill();
    else if (absence === "suspended") Deno.kill(this.service.pid, "SIGSTOP");
    else this.#fault = absence;
  }

  async #end(absence: Absence): Promise<void> {
    if (absence === "killed") await this.service.start();
    else if (absence === "suspended") Deno.kill(this.service.pid, "SIGCONT");
    else this.#fault = "pass";
  }
}
