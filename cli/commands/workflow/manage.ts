/** `svc workflow list`, `show`, `logs`, `cancel` and `delete`. */
import { printedLines } from "../../../workflows/engine/recording.ts";
import type { InputRecord, Journal, RunRecord, ShownState } from "../../../workflows/journal/journal.ts";
import { describeInput, describeRun, faultOf } from "../../../workflows/runs/describe_run.ts";
import { SvcError } from "../../../lib/errors.ts";
import { exists } from "../../../utils/fs/exists.ts";
import type { JsonObject } from "../../../utils/json.ts";
import { renderLong } from "../../../lib/output/render_long.ts";
import { didYouMean } from "../../../utils/text/did_you_mean.ts";
import type { CommandContext, Suggestion } from "../command.ts";
import { listCommand, runCommand } from "../../render/next_command.ts";
import { claim, defaultJournal, existingJournal } from "./journal.ts";
import { formatTimeline } from "./timeline.ts";
import { prefixLines } from "../../../utils/text/control_characters.ts";

/** Letters in which a mistyped run may differ: those of one day are alike in most. */
const SLIP = 2;

/** Prints all runs, or those of one state. */
export async function list(
  context: CommandContext,
  { journal: path, state }: { readonly journal?: string; readonly state?: ShownState },
): Promise<void> {
  await using journal = await existingJournal(path, context);
  const runs = await Promise.all((await journal.listRuns()).map((run) => describeRun(journal, run)));
  await context.print(runs.filter((run) => state === undefined || run.state === state));
}

/** Prints what a run did. */
export async function show(
  context: CommandContext,
  id: string,
  { journal: path, failed = false }: { readonly journal?: string; readonly failed?: boolean },
): Promise<void> {
  await using journal = await existingJournal(path, context);
  const run = await findRun(journal, id, path);
  const description = await describeRun(journal, run);
  const inputs = selectInputs(journal, id, failed);
  if (context.globals.isDataRequested) {
    const { inputs: _count, ...head } = description;
    return await showData(context, head, describeInputs(journal, id, inputs));
  }
  for await (const line of formatTimeline(journal, description, inputs)) context.io.stdout.write(line + "\n");
}

async function* selectInputs(journal: Journal, id: string, failed: boolean): AsyncGenerator<InputRecord> {
  for await (const input of journal.inputs(id)) if (!failed || faultOf(input) !== undefined) yield input;
}

async function* describeInputs(
  journal: Journal,
  id: string,
  inputs: AsyncIterable<InputRecord>,
): AsyncGenerator<JsonObject> {
  for await (const input of inputs) yield await describeInput(journal, id, input);
}

async function takeFirst<T>(items: AsyncIterable<T>): Promise<T[]> {
  for await (const item of items) return [item];
  return [];
}

/** Prints all that the journal has of a run, or some fields of it. All of it may be longer than memory. */
async function showData(
  { globals: { format, fields }, io, print }: CommandContext,
  head: JsonObject,
  inputs: AsyncIterable<JsonObject>,
): Promise<void> {
  if (fields !== undefined) {
    return await print({ ...head, inputs: fields.includes("inputs") ? await Array.fromAsync(inputs) : [] });
  }
  if (format === "table") return await print({ ...head, inputs: await takeFirst(inputs) }); // A table only names them.
  for await (const piece of renderLong(format, head, "inputs", inputs)) io.stdout.write(piece);
}

/** Prints what the script printed. */
export async function logs(context: CommandContext, id: string, path: string | undefined): Promise<void> {
  await using journal = await existingJournal(path, context);
  const { settings } = await findRun(journal, id, path);
  for await (const { number, place } of journal.inputs(id)) {
    const prefix = settings.each === undefined ? "" : `${place}: `;
    for (const { content } of printedLines(await journal.printed(id, number))) {
      context.io.stdout.write(prefixLines(content, prefix));
    }
  }
}

/** Ends a run for good. */
export async function cancel(context: CommandContext, id: string, path: string | undefined): Promise<void> {
  await using journal = await existingJournal(path, context);
  const { state } = await existingRun(journal, id, path);
  if (state !== "open") {
    throw new SvcError("INVALID_ARGS", `Run ${id} has ended already (${state}).`);
  }
  await journal.setState(id, "cancelled");
  await context.print({ id, state: "cancelled" });
}

/** Forgets a run. */
export async function forget(context: CommandContext, id: string, path: string | undefined): Promise<void> {
  await using journal = await existingJournal(path, context);
  await existingRun(journal, id, path);
  await using claimed = await claim(journal, id);
  if (claimed === undefined) {
    throw new SvcError("INVALID_ARGS", `A process works on run ${id}.`, {
      hint: { commands: [runCommand("cancel", { id, journalPath: path }, "to cancel it first")] },
    });
  }
  await journal.deleteRun(id);
  await context.print({ id, deleted: true });
}

/** The runs of the journal beside the profiles, if there is one. */
export async function suggestRuns(): Promise<Suggestion[]> {
  if (!await exists(defaultJournal())) return [];
  await using journal = await existingJournal(undefined);
  return (await journal.listRuns()).map(({ id, name, state }) => ({
    word: id,
    about: `${name}, ${state === "open" ? "not ended" : state}`,
  }));
}

/** A run of the journal; where there is none, the error names those that were probably meant. */
export async function findRun(journal: Journal, id: string, path: string | undefined): Promise<RunRecord> {
  return await existingRun(journal, id, path, (ids) => didYouMean(id, ids, (one) => one, SLIP));
}

/** A run of the journal. `cancel` and `delete` suggest no other: the run that was meant may be gone already. */
async function existingRun(
  journal: Journal,
  id: string,
  path: string | undefined,
  suggest: (ids: string[]) => string = () => "",
): Promise<RunRecord> {
  const run = await journal.findRun(id);
  if (run !== undefined) return run;
  const suggestion = suggest((await journal.listRuns()).map((one) => one.id));
  throw new SvcError("INVALID_ARGS", `The journal has no run ${JSON.stringify(id)}.`, {
    hint: { text: suggestion.trimEnd(), commands: [listCommand(path, "to list the runs")] },
  });
}
