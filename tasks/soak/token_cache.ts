import { fileURLToPath } from "node:url";
import { PROFILE_DEFAULTS, readProfiles } from "../../lib/auth/profiles.ts";
import type { SessionOptions } from "../../lib/auth/settings.ts";
import { getTokenFile } from "../../lib/auth/token_cache.ts";
import { delay } from "../../utils/async/abort.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { isJsonObject } from "../../utils/json.ts";
import { type Line, readLines } from "../../workflows/inputs/lines.ts";
import { killProcess } from "../support/processes.ts";
import type { SeededRandom } from "../support/seeded_random.ts";
import { Service } from "../support/service.ts";
import { Workspace } from "../support/workspace.ts";
import { ObservingProxy } from "./observing_proxy.ts";
import { addClients } from "./open_caller.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";

const PROCESSES = 64;
const ROUNDS = 1000;

/** Share of rounds in which processes are killed. */
const KILL_SHARE = 0.5;
const MAX_KILLS = 3;

/** Longest time in milliseconds from the start of a round to a kill. */
const MAX_KILL_DELAY = 60;

/** Interval in milliseconds at which the cache is read during a round. */
const READ_INTERVAL = 5;

/** Seconds after which a process that has not answered counts as hanging. */
const MAX_SECONDS = 60;

const WORKER = fileURLToPath(new URL("./token_worker.ts", import.meta.url));

/** Many processes start without a cached token at the same time, and some of them are killed. */
export const tokenCache: Scenario = {
  name: "token-cache",
  what: `token cache, ${PROCESSES} processes with kills, ${ROUNDS.toLocaleString("en")} rounds`,
  target: "0 unreadable files, 1 exchange when cold",
  seconds: 900,
  run: raceForTokens,
};

async function raceForTokens({ random, scale, program, signal, onProgress }: SoakOptions): Promise<SoakResult> {
  await using workspace = await Workspace.open(program);
  await using service = new Service(workspace);
  await service.start();
  const { baseUrl: url = "" } = readProfiles(workspace.env.SVC_CONFIG_DIR).default ?? {};
  let exchanges = 0;
  await using proxy = new ObservingProxy(url, ({ path }) => {
    if (path === PROFILE_DEFAULTS.tokenPath) exchanges++;
    return undefined;
  });
  const workers = Array.from({ length: scaleNumber(PROCESSES, scale, 6) }, () => new Worker());
  const rounds = scaleNumber(ROUNDS, scale);
  const [faults, unreadable]: [string[], string[]] = [[], []];
  let [round, killed, repeated, reads] = [0, 0, 0, 0];
  try {
    for (; round < rounds && !signal.aborted; round++) {
      const [client] = (await addClients(service.data, undefined, ["clerk@city"])).values();
      const options = { ...client, baseUrl: proxy.url, configDirectory: `${workspace.directory}/round${round}` };
      exchanges = 0;
      const victims = random.chance(KILL_SHARE) ? pickVictims(workers, random) : [];
      const reader = new CacheReader(options);
      const outcomes = await Promise.all(
        workers.map((worker) => worker.call(options, victims.find(([one]) => one === worker)?.[1])),
      );
      unreadable.push(...await reader.close());
      reads += reader.reads;
      const kills = outcomes.filter((outcome) => outcome === undefined).length;
      killed += kills;
      for (const outcome of outcomes) {
        if (outcome !== undefined && outcome !== "200") faults.push(`round ${round}: a process failed: ${outcome}`);
      }
      repeated += exchanges - 1;
      // A process that is killed during its exchange leaves the next one to another process.
      if (exchanges < 1 || exchanges > 1 + kills) {
        faults.push(`round ${round}: ${exchanges} exchanges of ${workers.length} processes, ${kills} of them killed`);
      }
      await Deno.remove(options.configDirectory, { recursive: true });
      if (round % 50 === 49) onProgress(`${round + 1} of ${rounds} rounds, ${killed} kills`);
    }
  } finally {
    for (const worker of workers) await worker.close();
  }
  return createResult(
    `${round} rounds of ${workers.length} processes, ${killed} killed, ${repeated} exchanges repeated after a kill; ` +
      `${reads} reads of the cache, ${unreadable.length} unreadable, ${faults.length} other faults`,
    [...unreadable, ...faults],
  );
}

function pickVictims(workers: readonly Worker[], random: SeededRandom): [victim: Worker, delay: number][] {
  const [first, ...rest] = workers;
  if (first === undefined) return [];
  const count = 1 + Math.floor(random.next() * MAX_KILLS);
  return Array.from({ length: count }, () => [random.pick([first, ...rest]), random.next() * MAX_KILL_DELAY]);
}

/** A process that calls the service on demand. A killed one is replaced. */
class Worker {
  #child: Deno.ChildProcess;
  #lines: AsyncGenerator<Line>;
  #writer: WritableStreamDefaultWriter<Uint8Array>;

  constructor() {
    [this.#child, this.#lines, this.#writer] = startWorker();
  }

  /** Calls the service with a new session. Kills the process after a delay if there is one. Returns undefined if it was killed. */
  async call(options: SessionOptions, killDelay?: number): Promise<string | undefined> {
    await this.#writer.write(new TextEncoder().encode(JSON.stringify(options) + "\n"));
    const answer = this.#lines.next();
    if (killDelay !== undefined) {
      await delay(killDelay);
      killProcess(this.#child.pid);
      await this.#child.status;
    }
    const limit = setTimeout(() => killProcess(this.#child.pid), MAX_SECONDS * 1000);
    const { value, done } = await answer;
    clearTimeout(limit);
    if (killDelay === undefined) return done ? `no answer within ${MAX_SECONDS} s` : value.text ?? "";
    await this.#lines.return(undefined);
    [this.#child, this.#lines, this.#writer] = startWorker();
    return undefined;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    killProcess(this.#child.pid);
    await this.#child.status;
    await this.#lines.return(undefined);
  }
}

function startWorker(): [
  Deno.ChildProcess,
  AsyncGenerator<Line>,
  WritableStreamDefaultWriter<Uint8Array>,
] {
  const args = ["run", "--quiet", "--no-check", "--allow-all", WORKER];
  const child = new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped", stderr: "inherit" }).spawn();
  return [child, readLines(child.stdout), child.stdin.getWriter()];
}

/** Reads the cached token again and again, as a process that starts at any time does. */
class CacheReader {
  reads = 0;
  readonly #path: string;
  readonly #unreadable: string[] = [];
  readonly #over = new AbortController();
  readonly #reading: Promise<void>;

  constructor({ configDirectory = "" }: SessionOptions) {
    this.#path = getTokenFile(configDirectory, "default");
    this.#reading = this.#readUntil(this.#over.signal);
  }

  /** Reads it a last time, when it must exist. Lists what could not be read. */
  async close(): Promise<readonly string[]> {
    this.#over.abort();
    await this.#reading;
    const before = this.reads;
    await this.#read();
    return this.reads > before ? this.#unreadable : [...this.#unreadable, `${this.#path} does not exist`];
  }

  async #readUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#read();
      await delay(READ_INTERVAL);
    }
  }

  async #read(): Promise<void> {
    const text = await Deno.readTextFile(this.#path).catch(ignoreMissing);
    if (text === undefined) return;
    this.reads++;
    if (!isToken(text)) this.#unreadable.push(`${this.#path} contained '${text}'`);
  }
}

function isToken(text: string): boolean {
  try {
    const token: unknown = JSON.parse(text);
    return isJsonObject(token) && typeof token.accessToken === "string" && typeof token.expiresAt === "string";
  } catch {
    return false;
  }
}
