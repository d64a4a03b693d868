import { type PostgresServer, startPostgres } from "../../tests/harness/postgres.ts";
import type { JournalDatabase } from "../../workflows/journal/postgres/database.ts";
import { openPostgresJournal } from "../../workflows/journal/postgres/postgres_journal.ts";
import { delay } from "../../utils/async/abort.ts";
import { PROGRAM } from "../build.ts";
import { Process } from "../support/processes.ts";
import { Service } from "../support/service.ts";
import { TcpProxy } from "../support/tcp_proxy.ts";
import { Workspace } from "../support/workspace.ts";
import type { Claims, Engine } from "./engine.ts";

/** A worker that is replaced by a new one when it was killed. */
export interface RunningWorker {
  /** Place in the cluster, which its replacement takes. */
  readonly place: number;
  /** Its process. */
  readonly process: Process;
  /** Proxy between it and the database, if connections can be cut. */
  readonly proxy?: TcpProxy;
  /** Numbers of inputs that it had claimed whenever they were read. */
  readonly seen: Set<number>;
  /** True while a fault affects it. */
  isDisturbed: boolean;
}

/** Options of a cluster. */
export interface ClusterOptions {
  /** Distributes the inputs to the workers. */
  readonly engine: Engine;
  /** Number of cases that each input creates. */
  readonly steps: number;
  /** Number of workers. */
  readonly workers: number;
  /** Number of services. */
  readonly services: number;
  /** True puts a proxy between each worker and the database. */
  readonly hasProxies: boolean;
  /** Milliseconds that a request or a response takes between a worker and a service. Default: 0. */
  readonly delayMilliseconds?: number;
}

/** Services and workers on one database. */
export class Cluster implements AsyncDisposable {
  /** The database. */
  readonly postgres: PostgresServer;
  /** Folder and profiles of the commands. */
  readonly workspace: Workspace;
  /** Number of cases that each input creates. */
  readonly steps: number;
  /** Number of inputs that a worker processes at the same time. More would only compete for the processors. */
  readonly concurrency = 2;
  /** The workers. */
  readonly workers: RunningWorker[] = [];
  readonly #engine: Engine;
  readonly #services: Service[];
  readonly #balancer: TcpProxy;
  readonly #database: JournalDatabase;
  readonly #hasProxies: boolean;
  readonly #restarting = new Map<Service, Promise<void>>();

  private constructor(
    postgres: PostgresServer,
    workspace: Workspace,
    services: Service[],
    database: JournalDatabase,
    { engine, steps, hasProxies, delayMilliseconds }: ClusterOptions,
  ) {
    this.postgres = postgres;
    this.workspace = workspace;
    this.steps = steps;
    this.#engine = engine;
    this.#services = services;
    this.#database = database;
    this.#hasProxies = hasProxies;
    this.#balancer = new TcpProxy(() => services.map(({ port }) => port), { delayMilliseconds });
    Deno.addSignalListener("SIGINT", () => { // A stopped process would not end.
      this.#killWorkers();
      for (const service of services) void service.kill();
    });
  }

  /** Starts a cluster. */
  static async open(options: ClusterOptions): Promise<Cluster> {
    const { workers, services: count } = options;
    await using stack = new AsyncDisposableStack();
    const postgres = stack.use(await startPostgres({ settings: { fsync: "on" } }));
    const workspace = stack.use(await Workspace.open(PROGRAM));
    const flags = ["--store", `${postgres.location}?schema=service`];
    const services = Array.from({ length: count }, (_, index) => {
      const own = index === 0 ? {} : { data: `${workspace.directory}/data${index}`, profile: `service${index}` };
      return stack.use(new Service(workspace, { flags, ...own }));
    });
    for (const service of services) await service.start();
    const journal = stack.use(await openPostgresJournal(postgres.location, { patienceMilliseconds: Infinity }));
    const cluster = new Cluster(postgres, workspace, services, journal.database, options);
    const resources = stack.move();
    cluster.#dispose = () => resources.disposeAsync();
    await options.engine.prepare(cluster);
    for (let worker = 0; worker < workers; worker++) cluster.workers.push(cluster.#startWorker(worker));
    return cluster;
  }

  #dispose: () => Promise<void> = () => Promise.resolve();

  /** Address of the API. */
  get url(): string {
    return `http://127.0.0.1:${this.#balancer.port}`;
  }

  /** Creates a command that uses the services. */
  command(...args: readonly string[]): Deno.Command {
    const env = { ...this.workspace.env, SVC_BASE_URL: this.url };
    return this.workspace.command([...args], { stdin: "piped", stdout: "piped", stderr: "piped", env });
  }

  /** Kills a worker and starts another one. */
  replaceWorker(worker: RunningWorker): void {
    worker.process.kill();
    worker.proxy?.[Symbol.dispose]();
    this.workers.splice(this.workers.indexOf(worker), 1);
    this.workers.push(this.#startWorker(worker.place));
  }

  /** Kills a service and starts it again, unless it is the only one that runs. Returns whether it did. */
  restartService(): boolean {
    const [service, other] = this.#services.filter((one) => !this.#restarting.has(one));
    if (service === undefined || (other === undefined && this.#services.length > 1)) return false;
    this.#services.push(...this.#services.splice(this.#services.indexOf(service), 1));
    const restart = service.kill().then(() => startAgain(service)).finally(() => this.#restarting.delete(service));
    this.#restarting.set(service, restart);
    return true;
  }

  /** Waits until all services have started. */
  async servicesStarted(): Promise<void> {
    await Promise.all(this.#restarting.values());
  }

  /**
   * Finds the worker that has started first of those that have ended inputs and process others. Returns undefined
   * unless there are two, so that the batch makes progress when the machine is busy.
   */
  async findVictim(): Promise<{ readonly worker: RunningWorker; readonly claims: Claims } | undefined> {
    const able: { readonly worker: RunningWorker; readonly claims: Claims }[] = [];
    for (const worker of this.workers) {
      if (worker.isDisturbed) continue;
      const claims = await this.readClaims(worker);
      for (const number of claims.numbers) worker.seen.add(number);
      if (claims.numbers.length > 0 && worker.seen.size > this.concurrency) able.push({ worker, claims });
    }
    return able.length > 1 || this.workers.length === 1 ? able.find(({ worker }) => !worker.isDisturbed) : undefined;
  }

  /** Reads the claims of a worker, or of all. */
  async readClaims(worker?: RunningWorker): Promise<Claims> {
    const { claimsSql, identify } = this.#engine;
    const rows = await this.#database.query(claimsSql, [worker === undefined ? null : identify(worker)]);
    return { numbers: rows.map(({ number }) => Number(number)), fences: rows.map(({ fence }) => Number(fence)) };
  }

  /** Reports whether claimed inputs have ended, or other claims have followed. */
  async haveContinued({ numbers, fences }: Claims): Promise<boolean> {
    const [row] = await this.#database.query(this.#engine.leftSql, [numbers, fences]);
    return Number(row?.left) === 0;
  }

  /** Ends all processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#killWorkers();
    await Promise.all(this.workers.map(({ process }) => process.ended));
    this.#balancer[Symbol.dispose]();
    await this.servicesStarted();
    await this.#dispose();
  }

  #killWorkers(): void {
    for (const { process, proxy } of this.workers) {
      process.kill();
      proxy?.[Symbol.dispose]();
    }
  }

  #startWorker(place: number): RunningWorker {
    const { port, location } = this.postgres;
    const proxy = this.#hasProxies ? new TcpProxy(() => [port]) : undefined;
    const store = proxy === undefined ? location : `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
    const process = new Process(this.#engine.createWorker(this, place, store));
    return { place, process, proxy, seen: new Set(), isDisturbed: false };
  }
}

/** Starts a killed server again. It may have to wait for another server, or until the killed process is gone. */
export async function startAgain(server: { start(): Promise<void> }): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await server.start();
    } catch (error) {
      if (attempt === 20) throw error;
      await delay(300);
    }
  }
}
