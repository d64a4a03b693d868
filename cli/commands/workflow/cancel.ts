import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** `svc workflow cancel`. */
export const cancelCommand: LocalCommand = localCommand({
  summary: "Cancel a run; its process stops within a second",
  args: [runId],
  flags: journal,
  example: "20261121-1405-k7wqh2",
  async run(context, { run, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    await runs.cancel(run);
    await context.print({ id: run, state: "cancelled" });
  },
});
