import { SvcError } from "../../../lib/errors.ts";
import { delay } from "../../../utils/async/abort.ts";
import type { RunStatus } from "../../../workflows/workers/read_status.ts";
import { toPasswordSource } from "../store_password.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";
import type { JournalValues } from "./shared/open_runs.ts";

/** Milliseconds between two checks of the run. */
const POLL_MILLISECONDS = 1000;

/** `svc workflow watch`. */
export const watchCommand: LocalCommand = localCommand({
  summary: "Wait until a run has ended, and show its progress",
  details: "The progress is shown on stderr if that is a terminal. The status of the ended run goes to stdout. " +
    "Ctrl-C ends the command, not the run. The command exits with 1 if the run failed, was interrupted or is paused, " +
    "and with 130 if it was cancelled.",
  args: [runId],
  flags: journal,
  reads: true,
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
          await context.print(status);
          return await checkStatus(status, flags);
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

/** Throws an error if a run has not succeeded. */
async function checkStatus({ id, state }: RunStatus, { journal: path, ...password }: JournalValues): Promise<void> {
  if (state === "done") return;
  if (state === "cancelled") throw new SvcError("INTERRUPTED", `Run ${id} was cancelled.`);
  const { toRunCommand } = await import("../../../workflows/runs/hints.ts");
  const run = { id, location: path === undefined ? undefined : { path, password: toPasswordSource(password) } };
  const show = toRunCommand("show", run, "to see its inputs");
  const [verb, next] = state === "failed"
    ? ["failed", toRunCommand("retry", run, "to run the failed inputs again")]
    : [`is ${state}`, toRunCommand("resume", run, "to continue it")];
  throw new SvcError("WORKFLOW_FAILED", `Run ${id} ${verb}.`, { hint: { commands: [show, next] } });
}
