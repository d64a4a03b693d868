import type { ErrorRecord } from "../../../lib/errors.ts";
import { escapeToOneLine } from "../../../utils/text/control_characters.ts";
import { pluralize, truncate } from "../../../utils/text/wording.ts";
import { formatDuration } from "../../../utils/time/format_duration.ts";
import type { InputRecord, Journal } from "../../../workflows/journal/journal.ts";
import {
  callsOf,
  faultOf,
  type KnownCall,
  listIssues,
  type RunDescription,
} from "../../../workflows/runs/describe_run.ts";

/** Longest arguments of a call that are shown, in characters. */
const MAX_ARGUMENTS = 80;

/** Formats a run as lines: the run, its inputs, and below each input its error and its calls with their durations. */
export async function* formatTimeline(
  journal: Journal,
  run: RunDescription,
  inputs: AsyncIterable<InputRecord>,
): AsyncGenerator<string> {
  const { id, name, state, startedAt, succeeded, failed } = run;
  const inputCount = pluralize(run.inputs, "input");
  yield escapeToOneLine(
    `Run ${id} (${name}) ${state}. Started ${startedAt}. ${inputCount}: ${succeeded} succeeded, ${failed} failed`,
  );
  for await (const input of inputs) {
    yield "";
    const fault = faultOf(input);
    yield formatInput(input, fault);
    for (const issue of fault ? listIssues(fault) : []) yield escapeToOneLine(`    - ${issue}`);
    for (const call of await callsOf(journal, id, input.number)) {
      yield escapeToOneLine(formatCall(call, input.startedAt));
    }
  }
}

function formatInput({ place, startedAt, endedAt, end }: InputRecord, fault: ErrorRecord | undefined): string {
  const took = endedAt === undefined ? "" : `, ${formatDuration(endedAt - startedAt)}`;
  const reason = fault === undefined ? "" : `: ${fault.code} ${fault.message}`;
  return escapeToOneLine(`${place} ${end?.state ?? "open"}${took}${reason}`);
}

function formatCall({ position, operation, values, at, milliseconds, outcome }: KnownCall, start: number): string {
  const took = milliseconds === undefined ? "open" : formatDuration(milliseconds);
  const shown = truncate(JSON.stringify(values), MAX_ARGUMENTS);
  const failure = outcome && "error" in outcome ? `  ${outcome.error.code}` : "";
  return `  ${String(position).padStart(3)}  +${formatDuration(Math.max(0, at - start)).padEnd(8)} ${
    took.padStart(8)
  }  ` +
    `${operation} ${shown}${failure}`;
}
