import { SvcError } from "../../../lib/errors.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { OUTPUT } from "../operations.ts";
import { journal, runId } from "./shared/flags.ts";

/** `svc workflow report`. */
export const reportCommand: LocalCommand = localCommand({
  summary: "Write a web page about the throughput and the failures of a run",
  details: "The page is one file and works offline. An existing file is replaced.",
  args: [runId],
  flags: { output: OUTPUT, ...journal },
  example: "20261121-1405-k7wqh2 -o report.html",
  async run(context, { run, output, ...flags }) {
    const { checkOutput, deliver, STDOUT } = await import("../../render/download.ts");
    if ((output ?? STDOUT) === STDOUT && context.io.stdout.isTerminal()) {
      throw new SvcError("INVALID_ARGS", "The report is a web page: a terminal cannot show it.", {
        hint: "Write it to a file: -o report.html",
      });
    }
    await checkOutput(output);
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    const page = new Blob([await runs.report(run)]);
    await deliver(context, { type: "text/html", size: page.size, stream: page.stream() }, output);
  },
});
