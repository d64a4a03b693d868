import type { CallerOptions } from "../../lib/client/caller.ts";
import { createClient } from "../../lib/client/client.ts";
import { SvcError } from "../../lib/errors.ts";
import { toAbsolutePath } from "../../utils/fs/absolute_path.ts";
import { isSameFile } from "../../utils/fs/same_file.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import type { RunDescription } from "../runs/describe_run.ts";
import type { WorkOptions } from "../runs/options.ts";
import type { Run } from "../runs/run.ts";
import type { Runs } from "../runs/runs.ts";
import { AssignmentSource } from "./assignment_source.ts";
import { FailureCounts } from "./failure_counts.ts";
import type { RobotOptions } from "./robot_options.ts";

/**
 * Runs a script once per assignment of a queue, until the robot is stopped. First continues interrupted runs of
 * the same script and queue. Robots with a journal in PostgreSQL share the assignments.
 */
export async function workOnQueue(
  runs: Runs,
  caller: CallerOptions,
  options: RobotOptions,
): Promise<void> {
  await checkOptions(caller, options);
  const shared = runs.sharedJournal;
  if (shared !== undefined) {
    const { workOnSharedQueue } = await import("./shared_robot.ts");
    return await workOnSharedQueue(shared, caller, options);
  }
  const { start: { script }, queue, drain, untilEmpty, maxAttempts } = options;
  const path = toAbsolutePath(script);
  const failures = new FailureCounts(maxAttempts);
  for await (const input of runs.queueInputs(path, queue)) failures.addRecord(input);
  const resumed = new Set<string>();
  for (;;) {
    const interrupted = await findInterrupted(runs, path, queue, resumed);
    const count = await workOnRun(runs, interrupted?.id, options, failures, resumed);
    if (drain.aborted || (untilEmpty && interrupted === undefined && count === 0)) return;
  }
}

async function findInterrupted(
  runs: Runs,
  script: string,
  queue: string,
  resumed: ReadonlySet<string>,
): Promise<RunDescription | undefined> {
  for (const run of await runs.list({ state: "interrupted" })) {
    if (run.queue === queue && !resumed.has(run.id) && await isSameFile(run.script, script)) return run;
  }
  return undefined;
}

/** Continues a run, or works on a new one. Returns the number of its inputs. */
async function workOnRun(
  runs: Runs,
  interrupted: string | undefined,
  options: RobotOptions,
  failures: FailureCounts,
  resumed: Set<string>,
): Promise<number> {
  const { start, queue, log } = options;
  const work = createWork(options, failures);
  if (interrupted !== undefined) log(`Resuming run ${interrupted}.`);
  let id: string;
  let count: number;
  {
    await using run = interrupted === undefined
      ? await runs.start({ ...start, ...work, queue })
      : await runs.resume(interrupted, { ...start, ...work });
    id = run.id;
    resumed.add(id); // An input may need a decision of the user: the run stays open.
    count = await finish(run, options);
  }
  if (count === 0 && interrupted === undefined) await runs.delete(id);
  return count;
}

/** Checks that the operator works on the queue. */
async function checkOptions(caller: CallerOptions, { queue, maxAttempts }: RobotOptions): Promise<void> {
  if (maxAttempts < 1) {
    throw new SvcError("INVALID_ARGS", `The maximum number of attempts must be 1 or more, not ${maxAttempts}.`);
  }
  const { ID, queues } = await createClient(caller).work.getOperator();
  const names = queues.map((one) => one.ID);
  if (names.includes(queue)) return;
  throw new SvcError("INVALID_ARGS", `${ID} does not work on a queue ${JSON.stringify(queue)}.`, {
    hint: didYouMean(queue, names, (name) => name) +
      (names.length === 0 ? "Use a client of another operator." : `The queues are ${names.join(", ")}.`),
  });
}

function createWork(options: RobotOptions, failures: FailureCounts): Pick<WorkOptions, "source"> {
  return { source: (calls, recorded) => new AssignmentSource(calls, recorded, failures, options) };
}

/** Passes on the results of a run, and returns their number. A failed assignment was given back or parked, so it is not an error. */
async function finish(run: Run, { onResult }: RobotOptions): Promise<number> {
  let count = 0;
  for await (const result of run.results) {
    await onResult(result);
    count++;
  }
  await run.finish();
  return count;
}
