/** The status of a run: its progress, and why inputs have failed. */
import type { Journal, RunRecord } from "../journal/journal.ts";
import { PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import { describeRun } from "../runs/describe_run.ts";
import { WorkQueue } from "./work_queue.ts";

/** The status of a run. */
export type RunStatus = {
  /** Identifier. */
  readonly id: string;
  /** Name of the workflow. */
  readonly name: string;
  /** State; `paused` if no further input starts. */
  readonly state: string;
  /** Number of all inputs; absent if it is not known yet. */
  readonly total?: number;
  /** Number of inputs that succeeded. */
  readonly succeeded: number;
  /** Number of inputs that failed. */
  readonly failed: number;
  /** Number of inputs that stopped until the user decides. */
  readonly stopped: number;
  /** Number of inputs that wait without a process. */
  readonly waiting: number;
  /** Number of inputs in progress. */
  readonly running: number;
  /** Inputs that end per second. */
  readonly perSecond: number;
  /** Maximum number of inputs that start per second; absent without a limit. */
  readonly rate?: number;
  /** Maximum number of calls per second; absent without a limit. */
  readonly callRate?: number;
  /** Estimated seconds until the run ends; absent if they cannot be estimated. */
  readonly secondsLeft?: number;
  /** Start time, ISO 8601. */
  readonly startedAt: string;
  /** End time, ISO 8601; absent if it has not ended. */
  readonly endedAt?: string;
  /** Failed and stopped inputs by the code of their error. */
  readonly failures: { readonly code: string; readonly inputs: number }[];
};

/** Reads the status of a run from its journal. */
export async function readStatus(journal: Journal, run: RunRecord): Promise<RunStatus> {
  return journal instanceof PostgresJournal ? await readShared(journal, run) : await readOwn(journal, run);
}

async function readShared(journal: PostgresJournal, run: RunRecord): Promise<RunStatus> {
  const queue = new WorkQueue(journal);
  const [progress, failures] = await Promise.all([queue.readProgress(run.id), queue.countCauses(run.id)]);
  if (progress === undefined || !progress.isOfWorkers) return await readOwn(journal, run);
  const { name, succeeded, failed, stopped, waiting, running, total, isComplete, endedAt } = progress;
  const left = total - succeeded - failed - stopped;
  const isHeld = progress.state === "open" && progress.hasReachedMaxFailures;
  const perSecond = round(progress.perSecond);
  return {
    id: run.id,
    name,
    state: isHeld ? "paused" : progress.state === "open" ? "running" : progress.state,
    ...(isComplete && { total }),
    succeeded,
    failed,
    stopped,
    waiting,
    running,
    perSecond,
    ...pickLimits(run),
    ...(isComplete && left > 0 && perSecond > 0 && { secondsLeft: Math.ceil(left / perSecond) }),
    startedAt: new Date(progress.startedAt).toISOString(),
    ...(endedAt !== undefined && { endedAt: new Date(endedAt).toISOString() }),
    failures,
  };
}

/** Reads the status of a run that one process works on. The number of its inputs is not recorded. */
async function readOwn(journal: Journal, run: RunRecord): Promise<RunStatus> {
  const { id, name, state, inputs, succeeded, failed, startedAt, endedAt } = await describeRun(journal, run);
  const causes = new Map<string, number>();
  let stopped = 0;
  let waiting = 0;
  for await (const input of journal.inputs(id)) {
    const error = input.end?.state === "failed" ? input.end.error : input.stopped;
    if (error !== undefined) causes.set(error.code, (causes.get(error.code) ?? 0) + 1);
    if (input.stopped !== undefined) stopped++;
    else if ((input.waitsUntil ?? 0) > Date.now()) waiting++;
  }
  const seconds = ((run.endedAt ?? Date.now()) - run.startedAt) / 1000;
  return {
    id,
    name,
    state,
    ...(endedAt !== undefined && { total: inputs }),
    succeeded,
    failed,
    stopped,
    waiting,
    running: state === "running" ? inputs - succeeded - failed - stopped - waiting : 0,
    perSecond: round((succeeded + failed) / Math.max(seconds, 0.001)),
    ...pickLimits(run),
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    failures: [...causes].map(([code, inputs]) => ({ code, inputs })).toSorted((one, other) =>
      other.inputs - one.inputs
    ),
  };
}

function pickLimits({ settings: { rate, callRate } }: RunRecord): Pick<RunStatus, "rate" | "callRate"> {
  return { ...(rate !== undefined && { rate }), ...(callRate !== undefined && { callRate }) };
}

function round(perSecond: number): number {
  return Math.round(perSecond * 10) / 10;
}
