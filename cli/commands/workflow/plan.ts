import { type LocalCommand, localCommand } from "../local_command.ts";
import { grants, input, sandbox, script } from "./shared/flags.ts";

/** `svc workflow plan`. */
export const planCommand: LocalCommand = localCommand({
  summary: "Show what a script would do, without doing it",
  dryRun: true,
  details:
    "The script runs: its reads are sent, and its changes are only listed. The plan ends where the script needs a " +
    "value that only a change returns. Operations without a grant are not called. " +
    "'svc workflow run --dry-run' does the same.",
  args: [script],
  flags: {
    ...input,
    ...grants,
    ...sandbox,
    each: {
      help: "Take the input from an NDJSON or CSV file; '-' reads NDJSON from standard input",
      type: "path",
      placeholder: "file",
      excludes: ["input"],
    },
    inputLine: { help: "Line of --each to use (default: the first input)", type: "integer" },
  },
  reads: true,
  example: `intake.ts --input '{"Applicant":"Ada","Address":"Main St 1"}' --allow-declared`,
  async run(context, flags) {
    const { printPlan } = await import("./shared/print_plan.ts");
    await printPlan(context, flags);
  },
});
