import { SvcError } from "../../../lib/errors.ts";
import { pluralize } from "../../../utils/text/wording.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** `svc workflow verify`. */
export const verifyCommand: LocalCommand = localCommand({
  summary: "Check the journal for damaged records",
  details: "Every record has a checksum. The command reads all of them, checks the structure of the file, and prints " +
    "the damaged parts. It exits with 1 if there are any.",
  args: [{
    name: "run",
    help: "Run to check (default: all runs)",
    type: "string",
    optional: true,
    suggest: runId.suggest,
  }],
  flags: journal,
  reads: true,
  example: ["", "20261121-1405-k7wqh2 --format table"],
  async run(context, { run, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    const { runs: count, inputs, events, damaged } = await runs.verify(run);
    await context.print([...damaged]);
    const checked = [pluralize(count, "run"), pluralize(inputs, "input"), pluralize(events, "event")].join(", ");
    if (damaged.length === 0) return context.note(`Checked ${checked}. Nothing is damaged.`);
    throw new SvcError("JOURNAL_DAMAGED", `The journal is damaged in ${pluralize(damaged.length, "place")}.`, {
      hint: "Restore the file from a copy. Damaged inputs do not continue, and other inputs are not affected.",
    });
  },
});
