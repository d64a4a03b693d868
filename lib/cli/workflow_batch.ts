/** `svc workflow run --each`: one line on stdout per input, one line of progress on a terminal. */
import { failureOf, runBatch } from "../../workflows/batch.ts";
import { countInputs, openInputs } from "../../workflows/inputs.ts";
import type { OpenWorkflow } from "../../workflows/run.ts";
import { escapeControls } from "../output/control_characters.ts";
import type { CommandContext } from "./command.ts";
import { describeProgress, ProgressBar } from "./progress.ts";

/** Runs a workflow on each line of a file; ends with an error that names the lines that failed. */
export async function runEach(
  { globals, io, signal, note }: CommandContext,
  workflow: OpenWorkflow,
  path: string,
  concurrency: number,
): Promise<void> {
  const inputs = await openInputs(path);
  const total = !globals.quiet && io.stderr.isTerminal() ? await countInputs(path) : undefined;
  const bar = total === undefined
    ? undefined
    : new ProgressBar(io.stderr, (progress) => describeProgress(progress, total));
  try {
    const summary = await runBatch(workflow, inputs, {
      concurrency,
      signal,
      onProgress: (progress) => bar?.show(progress),
      onResult: (result) => {
        if (io.stdout.isTerminal()) bar?.clear();
        io.stdout.write(escapeControls(JSON.stringify(result)) + "\n");
      },
      onLog: (text, input) => {
        bar?.clear();
        io.stderr.write(text.split("\n").map((line) => `${input}: ${line}\n`).join(""));
      },
    });
    bar?.clear();
    note(`${summary.inputs} inputs: ${summary.succeeded} succeeded, ${summary.failed} failed.`);
    const failure = failureOf(summary);
    if (failure !== undefined) throw failure;
  } finally {
    bar?.clear();
  }
}
