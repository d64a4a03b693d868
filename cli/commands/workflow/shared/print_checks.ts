/** Prints the results of `svc workflow check`: as data, or as a page at a terminal. */
import { SvcError } from "../../../../lib/errors.ts";
import { pluralize } from "../../../../utils/text/wording.ts";
import type { InputCheck } from "../../../../workflows/check/check_script.ts";
import { writeResult } from "../../../context.ts";
import { layOutPage } from "../../../view/page.ts";
import type { CommandContext } from "../../command.ts";

/** Prints the inputs that diverge. Throws `WORKFLOW_DIVERGED` if there are any. */
export async function printChecks(context: CommandContext, checks: AsyncIterable<InputCheck>): Promise<void> {
  const { globals, io: { stdout }, note, print } = context;
  const runs = new Set<string>();
  const failed: Required<InputCheck>[] = [];
  let count = 0;
  for await (const { error, ...input } of checks) {
    count++;
    runs.add(input.run);
    if (error !== undefined) failed.push({ ...input, error });
  }
  if (globals.isDataRequested || !stdout.isTerminal()) {
    await print(failed.map(({ error, ...input }) => ({ ...input, error: { ...error.toJSON() } })));
  } else await writeResult(context, formatPage(failed, stdout.columns()));
  const checked = `${pluralize(count, "input")} of ${pluralize(runs.size, "run")}`;
  if (count === 0) return note("There is no open or failed input to check.");
  if (failed.length === 0) return note(`Checked ${checked}. None diverges.`);
  throw new SvcError("WORKFLOW_DIVERGED", `The script cannot continue ${failed.length} of ${checked}.`, {
    hint:
      "Let the script make the recorded calls of these inputs, for example with patched, or finish their runs with the " +
      "script that started them.",
  });
}

function formatPage(failed: readonly Required<InputCheck>[], columns: number | undefined): string {
  const sections = failed.map(({ run, input, error }) => ({
    heading: `${run}, ${input}`,
    rows: [{ label: error.code, value: error.message }],
  }));
  return layOutPage(sections, { columns, color: false });
}
