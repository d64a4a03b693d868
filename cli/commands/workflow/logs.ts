import { prefixLines } from "../../../utils/text/control_characters.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** `svc workflow logs`. */
export const logsCommand: LocalCommand = localCommand({
  summary: "Print the output of the script of a run",
  args: [runId],
  flags: journal,
  example: "20261121-1405-k7wqh2",
  async run(context, { run, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    const { each } = await runs.settings(run);
    for await (const { input, text } of runs.logs(run)) {
      context.io.stdout.write(prefixLines(text, each === undefined ? "" : `${input}: `));
    }
  },
});
