/** `svc workflow report`. */
import { renderReport } from "../../../workflows/report/render_report.ts";
import { SvcError } from "../../../lib/errors.ts";
import type { CommandContext } from "../command.ts";
import { checkOutput, deliver, STDOUT } from "../../render/download.ts";
import { formatRunCommand } from "../../render/next_command.ts";
import { existingJournal } from "./journal.ts";
import { findRun } from "./manage.ts";

/** Writes a page about a run. */
export async function report(
  context: CommandContext,
  id: string,
  { journal: path, output = STDOUT }: { readonly journal?: string; readonly output?: string },
): Promise<void> {
  if (output === STDOUT && context.io.stdout.isTerminal()) {
    throw new SvcError("INVALID_ARGS", "The report is a web page: a terminal cannot show it.", {
      hint: "Write it to a file: -o report.html",
    });
  }
  await checkOutput(output);
  await using journal = await existingJournal(path, context);
  const html = await renderReport(
    journal,
    await findRun(journal, id, path),
    (verb) => formatRunCommand(verb, { id, journalPath: path }),
  );
  const page = new Blob([html]);
  await deliver(context, { type: "text/html", size: page.size, stream: page.stream() }, output);
}
