import type { Cluster, RunningWorker } from "./cluster.ts";

/** Inputs that a worker has taken. */
export interface Claims {
  readonly numbers: readonly number[];
  /** A number for each input, which rises when the input is taken again. */
  readonly fences: readonly number[];
}

/** A program that distributes the inputs of a batch to workers. Its state is in the database of the cluster. */
export interface Engine {
  /** Prepares a cluster, before its workers start. */
  prepare(cluster: Cluster): Promise<void>;
  /** Creates the command that reads numbers as inputs, and prints the result of each in order. */
  createBatch(cluster: Cluster): Deno.Command;
  /** Creates the command of a worker, which gets the location of the database. */
  createWorker(cluster: Cluster, place: number, location: string): Deno.Command;
  /** Returns the parameter `$1` of `claimsSql` for a worker. */
  identify(worker: RunningWorker): string;
  /** Selects the claims of the worker `$1`, or of all workers if it is null: `number` and `fence`. */
  readonly claimsSql: string;
  /** Selects how many of the numbers `$1` with the fences `$2` have neither ended nor been taken again: `left`. */
  readonly leftSql: string;
}
