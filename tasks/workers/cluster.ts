import { type PostgresServer, startPostgres } from "../../tests/harness/postgres.ts";
import { openPostgresJournal, type PostgresJournal } from "../../workflows/journal/postgres/postgres_journal.ts";
import { delay } from "../../utils/async/abort.ts";
import { PROGRAM } from "../build.ts";
import { Process } from "../support/processes.ts";
import { Service } from "../support/service.ts";
import { TcpProxy } from "../support/tcp_proxy.ts";
import { Workspace } from "../support/workspace.ts";

/** Number of inputs that a worker processes at the same time. More would only compete for the processors. */
const CONCURRENCY = 2;

/** Inputs of a worker that is out of order, and that others must continue. */
const CLAIMS = `
  SELECT number, fence FROM inputs JOIN workers ON workers.id = inputs.worker
  WHERE ($1::text IS NULL OR workers.name LIKE $1) AND workers.kind = 'worker' AND workers.state <> 'ended'`;

/** Counts the inputs that have neither ended nor been taken again: that releases and then claims them, with a fence each. */
const LEFT = `
  SELECT count(*) AS left FROM inputs JOIN unnest($1::integer[], $2::bigint[]) AS claims (number, fence) USING (number)
  WHERE inputs.fence < claims.fence + 2 AND state NOT IN ('done', 'failed')`;

/** A worker that is replaced by a new one when it was killed. */
export interface RunningWorker {
  /** Its process. */
  readonly process: Process;
  /** Proxy between it and the database, if connections can be cut. */
  readonly proxy?: TcpProxy;
  /** Numbers of inputs that it had claimed whenever they were read. */
  readonly seen: Set<number>;
  /** True while a fault affects it. */
  isDisturbed: boolean;
}

/** Claims of a worker. */
export interface Claims {
  readonly numbers: readonly number[];
  readonly fences: readonly number[];
}

/** Options of a cluster. */
export interface ClusterOptions {
  /** Number of workers. */
  readonly workers: number;
  /** Number of services. */
  readonly services: number;
  /** True puts a proxy between each worker and the database. */
  readonly hasProxies: boolean;
}

/** Services and workers on one database. */
export class Cluster implements AsyncDisposable {
  /** The database. */
  readonly postgres: PostgresServer;
  /** Folder and profiles of the commands. */
  readonly workspace: Workspace;
  /** The workers. */
  readonly workers: RunningWorker[] = [];
  readonly #services: Service[];
  readonly #balancer: TcpProxy;
  readonly #journal: PostgresJournal;
  readonly #hasProxies: boolean;
  readonly #restarting = new Map<Service, Promise<void>>();

  private constructor(
    postgres: PostgresServer,
    workspace: Workspace,
    services: Service[],
    journal: PostgresJournal,
    hasProxies: boolean,
  ) {
    this.postgres = postgres;
    this.workspace = workspace;
    this.#services = services;
    this.#journal = journal;
    this.#hasProxies = hasProxies;
    this.#balancer = new TcpProxy(() => services.map(({ port }) => port));
    Deno.addSignalListener("SIGINT", () => { // A stopped process would not end.
      this.#killWorkers();
      for (const service of services) void service.kill();
    });
  }

  /** Starts a cluster. */
  static async open({ workers, services: count, hasProxies }: ClusterOptions): Promise<Cluster> {
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
    const cluster = new Cluster(postgres, workspace, services, journal, hasProxies);
    const resources = stack.move();
    cluster.#dispose = () => resources.disposeAsync();
    for (let worker = 0; worker < workers; worker++) cluster.workers.push(cluster.#startWorker());
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
    this.workers.push(this.#startWorker());
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
      if (claims.numbers.length > 0 && worker.seen.size > CONCURRENCY) able.push({ worker, claims });
    }
    return able.length > 1 || this.workers.length === 1 ? able.find(({ worker }) => !worker.isDisturbed) : undefined;
  }

  /** Reads the claims of a worker, or of all. */
  async readClaims(worker?: RunningWorker): Promise<Claims> {
    const name = worker === undefined ? null : `process ${worker.process.pid} at %`;
    const rows = await this.#journal.database.query(CLAIMS, [name]);
    return { numbers: rows.map(({ number }) => Number(number)), fences: rows.map(({ fence }) => Number(fence)) };
  }

  /** Reports whether claimed inputs have ended, or other claims have followed. */
  async haveContinued({ numbers, fences }: Claims): Promise<boolean> {
    const [row] = await this.#journal.database.query(LEFT, [numbers, fences]);
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

  #startWorker(): RunningWorker {
    const { port, location } = this.postgres;
    const proxy = this.#hasProxies ? new TcpProxy(() => [port]) : undefined;
    const store = proxy === undefined ? location : `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
    const flags = ["--store", store, "--allow", "cases.create", "--concurrency", String(CONCURRENCY)];
    return {
      process: new Process(this.command("worker", "start", ...flags)),
      proxy,
      seen: new Set(),
      isDisturbed: false,
    };
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
