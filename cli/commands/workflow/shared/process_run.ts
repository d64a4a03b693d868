/** Processes a run and prints its results: on stdout a result, or for a batch a line of JSON per input. */
import { splitPath } from "../../../../lib/output/field_path.ts";
import { pick } from "../../../../lib/output/fields.ts";
import { formatCommandLine, SvcError } from "../../../../lib/errors.ts";
import { escapeControlCharacters, prefixLines } from "../../../../utils/text/control_characters.ts";
import { getFileName } from "../../../../utils/fs/file_name.ts";
import { pluralize, truncate } from "../../../../utils/text/wording.ts";
import { formatDuration } from "../../../../utils/time/format_duration.ts";
import { STDIN } from "../../../../workflows/inputs/open_inputs.ts";
import type { InputResult } from "../../../../workflows/runs/batch.ts";
import type { RunDescription } from "../../../../workflows/runs/describe_run.ts";
import { listJournalArguments } from "../../../../workflows/runs/hints.ts";
import type { InputCounts, RunEvents, RunOutage } from "../../../../workflows/runs/options.ts";
import type { Run } from "../../../../workflows/runs/run.ts";
import type { Ask } from "../../../../workflows/scripts/permissions.ts";
import { canPrompt } from "../../../context.ts";
import { evenUnread, type Io, OutputClosed } from "../../../io/io.ts";
import { ResultOutput } from "../../../io/result_output.ts";
import { describeProgress, ProgressBar } from "../../../render/progress.ts";
import type { CommandContext } from "../../command.ts";

/** Members of a line of a batch. */
const MEMBERS: readonly string[] = ["input", "result", "error"];

/** Longest name of a workflow in a question, in characters. */
const MAX_NAME = 40;

/** Options that every run of a command has. */
export type RunContext = RunEvents & { readonly signal: AbortSignal; readonly ask?: Ask };

/** Opens a run, prints its results, and throws the error of a failed run. */
export async function processRun(
  context: CommandContext,
  { each, open }: { readonly each?: string; readonly open: (options: RunContext) => Promise<Run> },
): Promise<void> {
  const { globals, io, note } = context;
  if (each !== undefined) {
    checkFields(globals.fields?.names);
    checkNotTerminal(each, context);
  }
  const bar = each !== undefined && !globals.quiet && io.stderr.isTerminal() ? new ProgressBar(io.stderr) : undefined;
  await using run = await open({
    signal: context.signal,
    ask: createAsk(io),
    onProgress: bar && ((progress) => bar.show(() => describeProgress(progress, progress.total))),
    onFailure: bar && !io.stdout.isTerminal()
      ? ({ input, error: { code, message } }) => {
        bar.clear();
        io.stderr.write(escapeControlCharacters(`${input}: ${code} ${message}`) + "\n");
      }
      : undefined,
    onLog: (text, input) => {
      bar?.clear();
      io.stderr.write(each === undefined ? text + "\n" : prefixLines(text, `${input}: `));
    },
    onOutage: (outage) => {
      bar?.clear();
      note(describeOutage(outage));
    },
    onNoWorker: (location) => {
      bar?.clear();
      const command = formatCommandLine(["worker", "start", ...listJournalArguments(location, "--store")]);
      note(
        `No worker is running, so the run waits. Start one, with --allow for the operations of the script: ${command}`,
      );
    },
    onEnd: (counts) => {
      bar?.clear();
      note(describeEnd(counts));
    },
  });
  io.stderr.startQueue?.();
  if (run.ended?.failed === 0) note(describeEnded(run.ended));
  if (run.reopened > 0) note(`Running ${pluralize(run.reopened, "failed input")} of run ${run.id} again.`);
  try {
    await printResults(run, context, bar);
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error; // Otherwise `finish` reports the interrupted run.
  } finally {
    bar?.clear();
  }
  const { error } = await run.finish();
  if (error !== undefined) throw error;
}

/** Prints the results of a run. A failure to print interrupts the run, and is thrown instead of the interruption. */
async function printResults(run: Run, context: CommandContext, bar: ProgressBar | undefined): Promise<void> {
  const { globals, io: { stdout }, print, signal } = context;
  const lines = new ResultOutput(stdout, { signal, onFailure: () => void run.interrupt() });
  const printResult = async (result: InputResult) => {
    if (run.isBatch && stdout.isTerminal()) bar?.clear();
    if (run.isBatch) await lines.write(formatLine(result, globals.fields?.names));
    else if (!("error" in result)) await evenUnread(() => print(result.result));
  };
  const failToPrint = (error: unknown) => {
    throw error instanceof OutputClosed ? error : run.addResumeHint(error);
  };
  try {
    for await (const result of run.results) await printResult(result).catch(failToPrint);
  } finally {
    await lines.flush().catch(failToPrint);
  }
}

function checkFields(fields: readonly string[] = []): void {
  const unknown = fields.filter((field) => !MEMBERS.includes(splitPath(field)[0] ?? ""));
  if (unknown.length === 0) return;
  throw new SvcError("INVALID_ARGS", `With --each, the results have no field ${unknown.join(", ")}.`, {
    hint: `The fields are ${MEMBERS.join(", ")}.`,
  });
}

/** Rejects inputs that the user would have to type. */
export function checkNotTerminal(each: string, { io }: CommandContext): void {
  if (each !== STDIN || !io.stdin.isTerminal()) return;
  throw new SvcError("INVALID_ARGS", "--each - reads standard input, which is the terminal.", {
    hint: "Pipe the inputs, one JSON value per line, or name a file.",
  });
}

/** Formats the result of an input of a batch as a line of JSON. */
export function formatLine(result: InputResult, fields?: readonly string[]): string {
  const line = "error" in result ? { ...result, error: { ...result.error } } : { ...result };
  return escapeControlCharacters(JSON.stringify(fields === undefined ? line : pick(line, fields))) + "\n";
}

/** Describes the beginning or the end of an outage. */
export function describeOutage({ baseUrl, isOver, seconds, error, maxOutageSeconds }: RunOutage): string {
  if (isOver) return `The service at ${baseUrl} is available again after ${formatDuration(seconds * 1000)}.`;
  return `The service at ${baseUrl} is unavailable. Calls wait for up to ${formatDuration(maxOutageSeconds * 1000)}. ` +
    error.message;
}

function describeEnd({ inputs, succeeded, failed, stopped, reachedMaxFailures }: InputCounts): string {
  const stops = stopped === 0 ? "" : `, ${stopped} stopped`;
  const cut = reachedMaxFailures === undefined
    ? ""
    : ` No further input was started: --max-failures ${reachedMaxFailures}.`;
  return `${pluralize(inputs, "input")}: ${succeeded} succeeded, ${failed} failed${stops}.${cut}`;
}

function describeEnded({ id, each = "", endedAt, inputs }: RunDescription): string {
  return `Nothing to do: run ${id} has processed ${getFileName(each)} (${
    pluralize(inputs, "input")
  }, ended ${endedAt}).`;
}

/** Returns the function that asks for permission at a terminal. */
export function createAsk(io: Io): Ask | undefined {
  return canPrompt(io) ? (...request) => askForGrant(io, ...request) : undefined;
}

async function askForGrant(io: Io, workflow: string, requested: readonly string[]): Promise<boolean> {
  const { openPrompts } = await import("../../../prompts/open_prompts.ts");
  const prompts = await openPrompts(io);
  // The script chooses its name, which must not look like a part of the question.
  const name = JSON.stringify(truncate(workflow.replace(/\s+/g, " "), MAX_NAME));
  const operations = requested.map((pattern) => pattern === "*" ? "everything" : pattern).join(", ");
  return await prompts.confirm(`May the workflow ${name} call ${operations}?`, false);
}
