import { abortable, delay } from "../../utils/async/abort.ts";
import type { Cluster } from "./cluster.ts";
import type { Claims } from "./engine.ts";
import type { Fault } from "./faults.ts";

/** Milliseconds between two checks whether inputs have continued. */
const POLL_MILLISECONDS = 50;

/** Seconds after which inputs count as left. */
const MAX_SECONDS = 60;

/** Effects of the faults of one kind. */
export interface FaultFigures {
  /** Number of faults. */
  count: number;
  /** Number of processes that were killed. */
  kills: number;
  /** Seconds until the interrupted inputs have continued, for each fault that interrupted some. */
  readonly seconds: number[];
}

/** Injects faults until its signal aborts. Each kind of fault has its own rhythm. */
export class Disturbance {
  /** The figures of each fault. */
  readonly figures: ReadonlyMap<Fault, FaultFigures>;
  readonly #cluster: Cluster;
  readonly #end = new AbortController();
  readonly #measuring = new Set<Promise<void>>();
  readonly #done: Promise<unknown>;

  /** Starts to disturb a cluster. */
  constructor(cluster: Cluster, faults: readonly Fault[]) {
    this.#cluster = cluster;
    this.figures = new Map(faults.map((fault) => [fault, { count: 0, kills: 0, seconds: [] }]));
    this.#done = Promise.all([...this.figures].map(([fault, figures]) => this.#repeat(fault, figures)));
  }

  /** Number of processes that were killed. */
  get kills(): number {
    return this.figures.values().reduce((sum, { kills }) => sum + kills, 0);
  }

  /** Starts no further fault, and waits until those in progress have ended. */
  async end(): Promise<void> {
    this.#end.abort();
    await this.#done;
    await Promise.all(this.#measuring);
  }

  async #repeat(fault: Fault, figures: FaultFigures): Promise<void> {
    const { signal } = this.#end;
    for (;;) {
      await delay(fault.everySeconds * 1000, signal).catch(() => {}); // It ends below.
      if (signal.aborted) return;
      await this.#disturb(fault, figures);
    }
  }

  async #disturb(fault: Fault, figures: FaultFigures): Promise<void> {
    const victim = await this.#cluster.findVictim();
    if (victim === undefined) return;
    const { worker } = victim;
    const claims = fault.affectsAll ? await this.#cluster.readClaims() : victim.claims;
    worker.isDisturbed = true;
    const measuring = this.#measure(claims, figures).finally(() => this.#measuring.delete(measuring));
    this.#measuring.add(measuring);
    try {
      figures.kills += await fault.inject(this.#cluster, worker, measuring);
      figures.count++;
    } finally {
      worker.isDisturbed = false;
    }
  }

  async #measure(claims: Claims, { seconds }: FaultFigures): Promise<void> {
    const start = performance.now();
    const limit = AbortSignal.timeout(MAX_SECONDS * 1000);
    try {
      while (!await abortable(this.#cluster.haveContinued(claims), limit)) await delay(POLL_MILLISECONDS, limit);
    } catch (error) {
      if (!limit.aborted) throw error;
    }
    seconds.push((performance.now() - start) / 1000);
  }
}
