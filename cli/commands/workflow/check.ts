import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId, sandbox, script, toWorkOptions } from "./shared/flags.ts";

/** Value of `--against` that selects all open runs. */
const ALL_OPEN = "all-open";

/** `svc workflow check`. */
export const checkCommand: LocalCommand = localCommand({
  summary: "Check whether an edited script can continue open and failed inputs",
  details:
    "Replays the history of each open or failed input of a run with the script, offline. It sends nothing and does not " +
    `change the journal. '${ALL_OPEN}' selects the open inputs of all open runs of the workflow whose name the script ` +
    `declares. The command prints the first ` +
    "difference of each input that diverges, and exits with code 1 if there are any.",
  args: [script],
  flags: {
    against: {
      help: `Run whose open and failed inputs to check, or '${ALL_OPEN}'`,
      type: "string",
      placeholder: `run|${ALL_OPEN}`,
      required: true,
      suggest: async () => [
        { word: ALL_OPEN, about: "All open runs of the workflow" },
        ...await runId.suggest(),
      ],
    },
    ...sandbox,
    ...journal,
  },
  reads: true,
  example: ["intake.ts --against 20261121-1405-k7wqh2", `intake.ts --against ${ALL_OPEN}`],
  async run(context, { against, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    const { printChecks } = await import("./shared/print_checks.ts");
    await using runs = openRunsFor(context, flags);
    const run = against === ALL_OPEN ? undefined : against;
    await printChecks(context, runs.check({ ...flags, ...toWorkOptions(flags), run, signal: context.signal }));
  },
});
