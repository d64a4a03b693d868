/** Metrics of a service for Prometheus. This module and its library are loaded only if metrics are on. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type MetricsServer, parseMetricsAddress, serveMetrics } from "../../lib/telemetry/metrics_server.ts";
import { addProcessMetrics } from "../../lib/telemetry/process_metrics.ts";
import { FAILED, type RequestObserver } from "../http/observed_call.ts";
import type { JobLoad } from "../server/jobs.ts";
import type { Store } from "../store/store.ts";
import { observeStore } from "./observed_store.ts";

/** Label of requests that match no operation. */
const NO_OPERATION = "none";

/** Upper bounds in seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const UNIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** The metrics of a service. Their labels contain no path, operator or case. */
export class ServiceMetrics implements AsyncDisposable {
  readonly #registers = [new Registry()] as const;
  readonly #server: MetricsServer;
  readonly #units = new Histogram({
    name: "svc_store_seconds",
    help: "Duration of units of work in the database by kind, including waiting and commit.",
    labelNames: ["kind"],
    buckets: UNIT_BUCKETS,
    registers: [...this.#registers],
  });
  /** Observes a request. */
  readonly observe: RequestObserver;

  /** Serves metrics at an address such as `127.0.0.1:9464`. Throws `INVALID_ARGS` if the address cannot be used. */
  constructor(address: string) {
    const [registry] = this.#registers;
    addProcessMetrics(registry);
    this.observe = createObserver(registry);
    this.#server = serveMetrics(parseMetricsAddress(address), registry);
  }

  /** Address of the metrics. */
  get url(): string {
    return this.#server.url;
  }

  /** Returns a store whose units of work and load are measured. */
  watchStore(store: Store): Store {
    addLoadMetrics(this.#registers[0], store);
    return observeStore(store, async (kind, run) => {
      const end = this.#units.startTimer({ kind });
      try {
        return await run();
      } finally {
        end();
      }
    });
  }

  /** Measures background jobs. */
  watchJobs(read: () => JobLoad): void {
    const registers = [...this.#registers];
    new Gauge({
      name: "svc_jobs_running",
      help: "Background jobs that are running or waiting.",
      registers,
      collect() {
        this.set(read().running);
      },
    });
    addCounter("svc_job_failures_total", "Failed attempts of background jobs.", this.#registers[0], () => {
      return read().failures;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

function createObserver(registry: Registry): RequestObserver {
  const registers = [registry];
  const requests = new Counter({
    name: "svc_requests_total",
    help: "Requests by operation and HTTP status.",
    labelNames: ["operation", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "svc_request_seconds",
    help: "Time from a complete request head to the response head, by operation.",
    labelNames: ["operation"],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const open = new Gauge({ name: "svc_requests_open", help: "Requests without a response yet.", registers });
  return async (call, respond) => {
    open.inc();
    const start = performance.now();
    let status = FAILED;
    try {
      const response = await respond();
      status = String(response.status);
      return response;
    } finally {
      const operation = call.operation ?? NO_OPERATION;
      open.dec();
      requests.inc({ operation, status });
      seconds.observe({ operation }, (performance.now() - start) / 1000);
    }
  };
}

/** Adds the load of a store: its queries, and the connections to a database server. */
function addLoadMetrics(registry: Registry, store: Store): void {
  const registers = [registry];
  const { queries, pools } = store.readLoad();
  if (queries !== undefined) {
    new Gauge({
      name: "svc_queries",
      help: "Queries by state: running, waiting, or waiting-long after they exceeded the short time limit.",
      labelNames: ["state"],
      registers,
      collect() {
        const { running, waiting, waitingLong } = store.readLoad().queries ?? queries;
        this.set({ state: "running" }, running);
        this.set({ state: "waiting" }, waiting);
        this.set({ state: "waiting-long" }, waitingLong);
      },
    });
  }
  if (pools === undefined) return;
  new Gauge({
    name: "svc_database_connections",
    help: "Database connections by pool and state. The state waiting counts work without a connection.",
    labelNames: ["pool", "state"],
    registers,
    collect() {
      for (const [pool, { used, idle, waiting }] of Object.entries(store.readLoad().pools ?? pools)) {
        this.set({ pool, state: "used" }, used);
        this.set({ pool, state: "idle" }, idle);
        this.set({ pool, state: "waiting" }, waiting);
      }
    },
  });
  addCounter("svc_database_errors_total", "Connections to the database that failed or were lost.", registry, () => {
    return Object.values(store.readLoad().pools ?? pools).reduce((sum, { errors }) => sum + errors, 0);
  });
}

/** Adds a counter whose value is kept elsewhere. */
function addCounter(name: string, help: string, registry: Registry, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
