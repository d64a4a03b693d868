import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** `svc workflow delete`. */
export const deleteCommand: LocalCommand = localCommand({
  summary: "Delete a run and its history",
  args: [runId],
  flags: journal,
  example: "20261121-1405-k7wqh2",
  async run(context, { run, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    await runs.delete(run);
    await context.print({ id: run, deleted: true });
  },
});
