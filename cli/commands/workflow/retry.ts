import { type LocalCommand, localCommand } from "../local_command.ts";
import { continuation, runId, toWorkOptions } from "./shared/flags.ts";

/** `svc workflow retry`. */
export const retryCommand: LocalCommand = localCommand({
  summary: "Run the failed inputs of a run again, from the step that failed",
  details: "Earlier steps of an input are not repeated. You may correct failed lines in the file first. " +
    "Unfinished inputs are also resumed, as with 'svc workflow resume'. Inputs that have succeeded are not printed again.",
  args: [runId],
  flags: continuation,
  example: "20261121-1405-k7wqh2",
  async run(context, { run, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    const { processRun } = await import("./shared/process_run.ts");
    await using runs = openRunsFor(context, flags);
    const { each } = await runs.settings(run);
    await processRun(context, {
      each,
      open: (options) => runs.retry(run, { ...flags, ...toWorkOptions(flags), ...options }),
    });
  },
});
