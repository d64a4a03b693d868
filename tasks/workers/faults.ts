import { type Cluster, type RunningWorker, startAgain } from "./cluster.ts";

/** A way to disturb a cluster while a batch runs. */
export interface Fault {
  /** Name of its option. */
  readonly name: string;
  /** Description without a verb. */
  readonly what: string;
  /** Seconds between the end of one fault and the next. */
  readonly everySeconds: number;
  /** Seconds in which the inputs that it interrupts must have continued. */
  readonly targetSeconds: number;
  /** True if it affects all workers, and not only the one that is passed. */
  readonly affectsAll?: true;
  /** Number of processes that it kills. */
  inject(cluster: Cluster, worker: RunningWorker, haveContinued: Promise<unknown>): Promise<number>;
}

/** The faults. */
export const FAULTS: readonly Fault[] = [
  {
    name: "kill",
    what: "kill -9 of a worker and a service",
    everySeconds: 1,
    targetSeconds: 2,
    inject(cluster, worker) {
      cluster.replaceWorker(worker);
      return Promise.resolve(cluster.restartService() ? 2 : 1);
    },
  },
  {
    name: "stop",
    what: "SIGSTOP of a worker for longer than its lease, then SIGCONT",
    everySeconds: 1,
    targetSeconds: 15,
    async inject(_cluster, { process }, haveContinued) {
      process.signal("SIGSTOP");
      await haveContinued;
      process.signal("SIGCONT");
      return 0;
    },
  },
  {
    name: "cut",
    what: "all connections of a worker to the database cut",
    everySeconds: 3,
    targetSeconds: 15,
    inject(_cluster, { proxy }) {
      proxy?.cut();
      return Promise.resolve(0);
    },
  },
  {
    name: "freeze",
    what: "all connections of a worker to the database silent for longer than its lease",
    everySeconds: 1,
    targetSeconds: 15,
    async inject(_cluster, { proxy }, haveContinued) {
      proxy?.freeze();
      await haveContinued;
      proxy?.thaw();
      return 0;
    },
  },
  {
    name: "database",
    what: "kill -9 of the database server, and a restart",
    everySeconds: 10,
    targetSeconds: 15,
    affectsAll: true,
    async inject({ postgres }) {
      await postgres.kill();
      await startAgain(postgres);
      return 1;
    },
  },
];
