/** A run for people: a line about it, one per input, and below each why it failed and its calls with their durations. */
import type { ErrorRecord } from "../../lib/errors.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import { pluralize, truncate } from "../../utils/text/wording.ts";
import { callsOf, faultOf, findingsOf, type KnownCall, type RunDescription } from "../runs/describe_run.ts";
import type { InputRecord, Journal } from "./journal.ts";

/** Characters of a call's values that a line shows. */
const SHOWN = 80;

/** The lines, made as they are asked for; nothing that a script said makes another line. */
export function* timeline(
  journal: Journal,
  run: RunDescription,
  inputs: Iterable<InputRecord>,
): Generator<string> {
  const { id, name, state, startedAt, succeeded, failed } = run;
  const inputCount = pluralize(run.inputs, "input");
  yield escapeToOneLine(
    `Run ${id} of ${name}: ${state}, begun ${startedAt}, ${inputCount}, ${succeeded} succeeded, ${failed} failed`,
  );
  for (const input of inputs) {
    yield "";
    const fault = faultOf(input);
    yield headOf(input, fault);
    for (const finding of fault ? findingsOf(fault) : []) yield escapeToOneLine(`    - ${finding}`);
    for (const call of callsOf(journal, id, input.number)) yield escapeToOneLine(lineOf(call, input.startedAt));
  }
}

function headOf({ place, startedAt, endedAt, end }: InputRecord, fault: ErrorRecord | undefined): string {
  const took = endedAt === undefined ? "" : `, ${duration(endedAt - startedAt)}`;
  const reason = fault === undefined ? "" : `: ${fault.code} ${fault.message}`;
  return escapeToOneLine(`${place} ${end?.state ?? "open"}${took}${reason}`);
}

function lineOf({ position, operation, values, at, milliseconds, outcome }: KnownCall, start: number): string {
  const took = milliseconds === undefined ? "open" : duration(milliseconds);
  const shown = truncate(JSON.stringify(values), SHOWN);
  const failure = outcome && "error" in outcome ? `  ${outcome.error.code}` : "";
  return `  ${String(position).padStart(3)}  +${duration(Math.max(0, at - start)).padEnd(8)} ${took.padStart(8)}  ` +
    `${operation} ${shown}${failure}`;
}

/** A duration, e.g. `35 ms`, `2.1 s` or `3.5 h`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 120_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds < 7_200_000) return `${Math.round(milliseconds / 60_000)} min`;
  return `${(milliseconds / 3_600_000).toFixed(1)} h`;
}
