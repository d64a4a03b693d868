/** Starts a run that workers process. */
import { type SubmitOptions, submitRun } from "../../../../workflows/workers/submit_run.ts";
import { callerOptions } from "../../../context.ts";
import type { CommandContext } from "../../command.ts";
import { processRun } from "./process_run.ts";

/** Records a run and its inputs, and prints the results as the workers produce them, or the run with `detach`. */
export async function submitForWorkers(
  context: CommandContext,
  options: SubmitOptions,
  detach = false,
): Promise<void> {
  const open = (more: Partial<SubmitOptions>) => submitRun({ ...options, ...more }, callerOptions(context));
  if (!detach) return await processRun(context, { each: options.each, open });
  await using run = await open({ signal: context.signal });
  await run.recorded;
  await context.print({ id: run.id, name: run.name, workers: options.workers });
}
