/** `svc workflow run --each`: one line on stdout per input, one line of progress on a terminal. */
import { failureOf, runBatch } from "../../../workflows/runs/batch.ts";
import { countInputs, hasMoreInputs, openInputs, STDIN } from "../../../workflows/inputs/open_inputs.ts";
import type { Runner } from "../../../workflows/runs/runner.ts";
import type { RunSettings } from "../../../workflows/journal/journal.ts";
import { readMaxFailures } from "../../../workflows/runs/rate.ts";
import { SvcError } from "../../../lib/errors.ts";
import { type JsonValue, parseJsonObject } from "../../../utils/json.ts";
import { escapeControlCharacters, prefixLines } from "../../../utils/text/control_characters.ts";
import { pick } from "../../../lib/output/fields.ts";
import { pluralize } from "../../../utils/text/wording.ts";
import type { CommandContext } from "../command.ts";
import type { Io } from "../../io/io.ts";
import type { EndOfRun } from "./execution.ts";
import { describeProgress, ProgressBar } from "../../render/progress.ts";

/** What a line on stdout has. */
const MEMBERS: readonly string[] = ["input", "result", "error"];

/** Refuses `--fields` that no line has. */
export function checkFields(fields: readonly string[] = []): void {
  const unknown = fields.filter((field) => !MEMBERS.includes(field));
  if (unknown.length === 0) return;
  throw new SvcError("INVALID_ARGS", `With --each a line has no field ${unknown.join(", ")}.`, {
    hint: `It has ${MEMBERS.join(", ")}.`,
  });
}

/** Refuses an input beside a file of inputs. */
export function checkOneSource({ input, each }: { readonly input?: JsonValue; readonly each?: string }): void {
  if (input === undefined || each === undefined) return;
  throw new SvcError("INVALID_ARGS", "--input and --each are mutually exclusive.", { hint: "Give one of them." });
}

/** Refuses to wait for a person who types inputs. */
export function checkNotTyped(each: string, { stdin }: Io): void {
  if (each !== STDIN || !stdin.isTerminal()) return;
  throw new SvcError("INVALID_ARGS", "--each - reads standard input, which is the terminal.", {
    hint: "Pipe the inputs in, one JSON value per line, or name a file.",
  });
}

/** Runs a workflow on each line of a file; its error names the lines that failed. */
export async function runEach(
  { globals, io, note }: CommandContext,
  runner: Runner,
  path: string,
  { concurrency, rate, maxFailures }: RunSettings,
): Promise<EndOfRun> {
  const hasBar = !globals.quiet && io.stderr.isTerminal();
  const total = hasBar ? await countInputs(path) : undefined;
  const bar = hasBar ? new ProgressBar(io.stderr) : undefined;
  const inputs = await openInputs(path);
  try {
    const summary = await runBatch(runner, inputs, {
      concurrency,
      rate,
      isEnough: maxFailures === undefined ? undefined : readMaxFailures(maxFailures),
      onProgress: (progress) => bar?.show(() => describeProgress(progress, total)),
      onResult: (result) => {
        if (io.stdout.isTerminal()) bar?.clear();
        io.stdout.write(lineOf(result, globals.fields));
      },
      onLog: (text, input) => {
        bar?.clear();
        io.stderr.write(prefixLines(text, `${input}: `));
      },
    });
    bar?.clear();
    const isCut = summary.stopped && (summary.read > summary.inputs || await hasMoreInputs(path, summary.read));
    const cut = isCut ? ` No further input was begun: --max-failures ${maxFailures}.` : "";
    const { succeeded, failed, open } = summary;
    const stopped = open === 0 ? "" : `, ${open} stopped`;
    note(`${pluralize(summary.inputs, "input")}: ${succeeded} succeeded, ${failed} failed${stopped}.${cut}`);
    const ways = [...(isCut || open > 0 ? ["resume" as const] : []), ...(failed > 0 ? ["retry" as const] : [])];
    return { failure: failureOf(summary), ways, isCut, inputs: summary.inputs };
  } finally {
    bar?.clear();
  }
}

function lineOf(result: string, fields?: readonly string[]): string {
  const text = fields === undefined ? result : JSON.stringify(pick(parseJsonObject(result) ?? {}, fields));
  return escapeControlCharacters(text) + "\n";
}
