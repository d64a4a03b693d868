/** Options of robots. */
import type { InputResult } from "../runs/batch.ts";
import type { ResumeRunOptions, StartRunOptions } from "../runs/options.ts";

/** How a robot works on a queue. */
export interface QueueOptions {
  /** Queue to take assignments from. */
  readonly queue: string;
  /** Failures of an assignment after which it is parked. */
  readonly maxAttempts: number;
  /** Queue for parked assignments. Without it, they stay in the worklist of the operator. */
  readonly parkQueue?: string;
  /** Queue for assignments with a business failure. Without it, they are parked. */
  readonly routeQueue?: string;
  /** Milliseconds for which a failed assignment is left in the queue, times the number of its failures. */
  readonly retryMilliseconds: number;
  /** True ends the robot when no assignment is available. */
  readonly untilEmpty: boolean;
  /** Ends the robot: assignments that were taken are completed. */
  readonly drain: AbortSignal;
  /** Receives a line about each assignment that failed. */
  readonly log: (line: string) => void;
}

/** Options of `workOnQueue`. */
export interface RobotOptions extends QueueOptions {
  /** Options of the runs, with the script. */
  readonly start: Pick<StartRunOptions, "script" | "root"> & Omit<ResumeRunOptions, "inputs" | "signal" | "source">;
  /** Receives the result of each assignment. */
  readonly onResult: (result: InputResult) => Promise<void>;
}
