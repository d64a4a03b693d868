import { type LocalCommand, localCommand } from "../local_command.ts";
import { continuation, runId, toWorkOptions } from "./shared/flags.ts";

/** `svc workflow resume`. */
export const resumeCommand: LocalCommand = localCommand({
  summary: "Resume an interrupted run",
  details: "Recorded steps are replayed from the journal and not sent again. " +
    "A change whose outcome is unknown stops its input, unless --on-unknown decides: " +
    "'repeat' sends it again, 'skip' sends nothing and gives the script the error.",
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
      open: (options) => runs.resume(run, { ...flags, ...toWorkOptions(flags), ...options }),
    });
  },
});
