/** Metrics of a worker for Prometheus. This module and its library are loaded only if metrics are on. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type MetricsServer, parseMetricsAddress, serveMetrics } from "../../lib/telemetry/metrics_server.ts";
import { addProcessMetrics } from "../../lib/telemetry/process_metrics.ts";
import { SingleFlight } from "../../utils/async/single_flight.ts";
import type { Granted, LiveCalls } from "../engine/live_calls.ts";
import { isLostClaim } from "../journal/lost_claim.ts";
import type { InputOutcome, InputWait } from "../runs/runner.ts";
import { isReceive, isSleep } from "../sandbox/protocol/messages.ts";
import type { Backlog } from "./work_queue.ts";

/** Upper bounds in seconds. */
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Milliseconds to wait for the journal. */
const BACKLOG_TIMEOUT = 2000;

/** Label of calls that are not granted. A script chooses their names. */
const NOT_GRANTED = "none";

/** The worker that the metrics describe. */
export interface MeasuredWorker {
  /** Number of inputs that it can process at the same time. */
  readonly concurrency: number;
  /** Counts the inputs that it processes. */
  countRunning(): number;
  /** Counts the inputs of all open runs in the journal. */
  readBacklog(): Promise<Backlog>;
}

/** The metrics of a worker. Their labels contain no run, input or path. */
export class WorkerMetrics implements AsyncDisposable {
  readonly #server: MetricsServer;
  readonly #inputs: Counter<"result">;
  readonly #calls: Counter<"operation" | "result">;
  readonly #seconds: Histogram<"operation">;

  /** Serves metrics at an address such as `127.0.0.1:9464`. Throws `INVALID_ARGS` if the address cannot be used. */
  constructor(address: string, worker: MeasuredWorker) {
    const registry = new Registry();
    const registers = [registry];
    addProcessMetrics(registry);
    this.#inputs = new Counter({
      name: "svc_inputs_total",
      help: "Inputs that have left the worker by result: succeeded, failed, stopped, waiting, interrupted or lost.",
      labelNames: ["result"],
      registers,
    });
    this.#calls = new Counter({
      name: "svc_calls_total",
      help: "Calls of scripts by operation and result: succeeded or failed.",
      labelNames: ["operation", "result"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "svc_call_seconds",
      help: "Duration of calls with all their attempts, by operation.",
      labelNames: ["operation"],
      buckets: CALL_BUCKETS,
      registers,
    });
    new Gauge({
      name: "svc_inputs_running",
      help: "Inputs that the worker processes.",
      registers,
      collect() {
        this.set(worker.countRunning());
      },
    });
    new Gauge({
      name: "svc_inputs_concurrency",
      help: "Inputs that the worker can process at the same time.",
      registers,
    })
      .set(worker.concurrency);
    addBacklogMetrics(registry, worker);
    this.#server = serveMetrics(parseMetricsAddress(address), registry);
  }

  /** Address of the metrics. */
  get url(): string {
    return this.#server.url;
  }

  /** Counts an input that has left the worker. */
  countInput(outcome: InputOutcome | InputWait): void {
    this.#inputs.inc({ result: classify(outcome) });
  }

  /** Returns calls that are counted and timed. */
  watchCalls(live: LiveCalls, { grants }: Granted): LiveCalls {
    return {
      call: async (request, options) => {
        if (isSleep(request) || isReceive(request)) return await live.call(request, options);
        const operation = grants.has(request.operation) ? request.operation : NOT_GRANTED;
        const end = this.#seconds.startTimer({ operation });
        try {
          const answer = await live.call(request, options);
          this.#calls.inc({ operation, result: "succeeded" });
          return answer;
        } catch (error) {
          this.#calls.inc({ operation, result: "failed" });
          throw error;
        } finally {
          end();
        }
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

function classify(outcome: InputOutcome | InputWait): string {
  if ("waitsUntil" in outcome) return "waiting";
  if (!("failure" in outcome)) return "succeeded";
  const { failure, isOpen } = outcome;
  if (failure.code === "INTERRUPTED") return isLostClaim(failure) ? "lost" : "interrupted";
  return isOpen ? "stopped" : "failed";
}

/** Adds metrics of the inputs in the journal. Concurrent collectors share one query. */
function addBacklogMetrics(registry: Registry, worker: MeasuredWorker): void {
  const registers = [registry];
  const reading = new SingleFlight<Backlog>();
  const read = async () => {
    return await reading.join(() => worker.readBacklog(), AbortSignal.timeout(BACKLOG_TIMEOUT)).catch(() => undefined);
  };
  new Gauge({
    name: "svc_journal_up",
    help: "1 if the journal can be read, otherwise 0.",
    registers,
    async collect() {
      this.set(await read() === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: "svc_journal_inputs",
    help: "Inputs of all open runs by state: due, waiting, or running in any worker.",
    labelNames: ["state"],
    registers,
    async collect() {
      this.reset();
      const backlog = await read();
      if (backlog === undefined) return;
      this.set({ state: "due" }, backlog.due);
      this.set({ state: "waiting" }, backlog.waiting);
      this.set({ state: "running" }, backlog.running);
    },
  });
  new Gauge({
    name: "svc_oldest_due_seconds",
    help: "Time for which the oldest due input has been due: since its wait ended, or since its run started.",
    registers,
    async collect() {
      this.set((await read())?.oldestDueSeconds ?? NaN);
    },
  });
}
