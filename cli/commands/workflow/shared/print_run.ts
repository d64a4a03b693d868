/** Prints runs: as data, or as a timeline. */
import type { ErrorRecord } from "../../../../lib/errors.ts";
import { hasField } from "../../../../lib/output/field_path.ts";
import { renderLong } from "../../../../lib/output/render_long.ts";
import type { JsonObject } from "../../../../utils/json.ts";
import { escapeToOneLine } from "../../../../utils/text/control_characters.ts";
import { pluralize, truncate } from "../../../../utils/text/wording.ts";
import { formatDuration } from "../../../../utils/time/format_duration.ts";
import {
  type CallDescription,
  type InputDescription,
  listIssues,
  type RunDescription,
} from "../../../../workflows/runs/describe_run.ts";
import type { CommandContext } from "../../command.ts";

/** Longest arguments of a call that are shown, in characters. */
const MAX_ARGUMENTS = 80;

/** Prints a run with its inputs in the chosen format. The inputs may not fit into memory, so they are printed one by one. */
export async function printRun(
  { globals: { format, fields }, io, print }: CommandContext,
  { inputs: _count, ...head }: RunDescription,
  descriptions: AsyncIterable<InputDescription>,
): Promise<void> {
  const inputs = toJson(descriptions);
  if (fields !== undefined) {
    const isAboutRun = fields.names.every((name) => hasField(head, name));
    return await print({ ...head, inputs: isAboutRun ? [] : await Array.fromAsync(inputs) });
  }
  if (format === "table" || format === "view") return await print({ ...head, inputs: await takeFirst(inputs) }); // Only names the member.
  for await (const piece of renderLong(format, head, "inputs", inputs)) io.stdout.write(piece);
}

async function* toJson(inputs: AsyncIterable<InputDescription>): AsyncGenerator<JsonObject> {
  for await (const { error, calls, ...input } of inputs) {
    yield { ...input, ...(error && { error: { ...error } }), calls: [...calls] };
  }
}

async function takeFirst<T>(items: AsyncIterable<T>): Promise<T[]> {
  for await (const item of items) return [item];
  return [];
}

/** Formats a run as lines: the run, its inputs, and below each input its error and its calls with their durations. */
export async function* formatTimeline(
  run: RunDescription,
  inputs: AsyncIterable<InputDescription>,
): AsyncGenerator<string> {
  const { id, name, state, startedAt, succeeded, failed } = run;
  const inputCount = pluralize(run.inputs, "input");
  yield escapeToOneLine(
    `Run ${id} (${name}) ${state}. Started ${startedAt}. ${inputCount}: ${succeeded} succeeded, ${failed} failed`,
  );
  for await (const input of inputs) {
    const { error, startedAt, calls } = input;
    yield "";
    yield formatInput(input, error);
    for (const issue of error ? listIssues(error) : []) yield escapeToOneLine(`    - ${issue}`);
    for (const call of calls) yield escapeToOneLine(formatCall(call, startedAt));
  }
}

function formatInput(
  { place, startedAt, endedAt, state, pruned }: InputDescription,
  error: ErrorRecord | undefined,
): string {
  const took = endedAt === undefined ? "" : `, ${formatDuration(elapsed(startedAt, endedAt))}`;
  const reason = error === undefined ? "" : `: ${error.code} ${error.message}`;
  const deleted = pruned ? ", history deleted" : "";
  return escapeToOneLine(`${place} ${state}${took}${deleted}${reason}`);
}

function formatCall(call: CallDescription, inputStartedAt: string): string {
  const { position, operation, values, at, milliseconds, error } = call;
  const start = formatDuration(Math.max(0, elapsed(inputStartedAt, at))).padEnd(8);
  const took = (milliseconds === undefined ? "open" : formatDuration(milliseconds)).padStart(8);
  const args = truncate(JSON.stringify(values), MAX_ARGUMENTS);
  const failure = error === undefined ? "" : `  ${error.code}`;
  return `  ${String(position).padStart(3)}  +${start} ${took}  ${operation} ${args}${failure}`;
}

function elapsed(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}
