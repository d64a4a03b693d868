import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** `svc workflow status`. */
export const statusCommand: LocalCommand = localCommand({
  summary: "Show the progress, speed and limits of a run, and its failures by cause",
  details: "With --journal postgres://…, it works from any machine.",
  args: [runId],
  flags: journal,
  reads: true,
  example: "20261121-1405-k7wqh2",
  seeAlso: ["workflow watch --help", "workflow show --help"],
  async run(context, { run, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    await context.print(await runs.status(run));
  },
});
