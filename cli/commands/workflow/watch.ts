import { delay } from "../../../utils/async/abort.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** Milliseconds between two checks of the run. */
const POLL_MILLISECONDS = 1000;

/** `svc workflow watch`. */
export const watchCommand: LocalCommand = localCommand({
  summary: "Wait until a run has ended, and show its progress",
  details: "The progress is shown on stderr if that is a terminal. The status of the ended run goes to stdout. " +
    "Ctrl-C ends the command, not the run.",
  args: [runId],
  flags: journal,
  example: "20261121-1405-k7wqh2",
  seeAlso: ["workflow status --help"],
  async run(context, { run, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    const { describeProgress, ProgressBar } = await import("../../render/progress.ts");
    const { globals, io, signal } = context;
    await using runs = openRunsFor(context, flags);
    const bar = !globals.quiet && io.stderr.isTerminal() ? new ProgressBar(io.stderr) : undefined;
    try {
      for (;;) {
        const status = await runs.status(run);
        if (status.state !== "running") {
          bar?.clear();
          return await context.print(status);
        }
        const { succeeded, failed, stopped, perSecond, total } = status;
        const progress = { done: succeeded + failed + stopped, failed: failed + stopped, perSecond };
        bar?.show(() => describeProgress(progress, total));
        await delay(POLL_MILLISECONDS, signal);
      }
    } finally {
      bar?.clear();
    }
  },
});
