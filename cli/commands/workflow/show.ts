import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** `svc workflow show`. */
export const showCommand: LocalCommand = localCommand({
  summary: "Show the inputs of a run and a timeline of their calls",
  details: "--format prints everything that the journal records about the run, and --fields selects a part of it.",
  args: [runId],
  flags: { failed: { help: "Only inputs that failed or stopped", type: "boolean" }, ...journal },
  reads: true,
  example: "20261121-1405-k7wqh2",
  async run(context, { run: id, failed, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    const run = await runs.show(id);
    const inputs = runs.inputs(id, { failed });
    const { formatTimeline, printRun } = await import("./shared/print_run.ts");
    if (context.globals.isDataRequested) return await printRun(context, run, inputs);
    for await (const line of formatTimeline(run, inputs)) context.io.stdout.write(line + "\n");
  },
});
