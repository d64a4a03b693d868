/** Plans a run, and prints the plan. */
import { SvcError } from "../../../../lib/errors.ts";
import type { JsonValue } from "../../../../utils/json.ts";
import { escapeToOneLine } from "../../../../utils/text/control_characters.ts";
import { openInputs } from "../../../../workflows/inputs/open_inputs.ts";
import { type Plan, type PlannedStep, toPlanJson } from "../../../../workflows/plan/plan.ts";
import { resolveInputs } from "../../../../workflows/runs/options.ts";
import type { CommandContext } from "../../command.ts";
import { toWorkOptions } from "./flags.ts";
import { NO_JOURNAL, openRunsFor } from "./open_runs.ts";
import { checkNotTerminal } from "./process_run.ts";

/** Values of the flags of `svc workflow plan`. */
export interface PlanFlags {
  readonly script: string;
  readonly root?: string;
  readonly timeout: number;
  readonly maxMemory: number;
  readonly allow?: readonly string[];
  readonly allowDeclared?: boolean;
  readonly input?: JsonValue;
  readonly each?: string;
  readonly inputLine?: number;
}

/** Plans the run of an input, and prints the plan. Throws the error of a script that fails. */
export async function printPlan(context: CommandContext, flags: PlanFlags): Promise<void> {
  const { globals, io, note, print, signal } = context;
  const { script, root, allow = [], allowDeclared } = flags;
  const input = await readInput(context, flags);
  await using runs = openRunsFor(context, { journal: NO_JOURNAL });
  const onLog = (text: string) => io.stderr.write(text + "\n");
  const { limits } = toWorkOptions(flags);
  const { plan, failure } = await runs.plan({ script, root, allow, allowDeclared, limits, input, onLog, signal });
  if (globals.isDataRequested) await print(toPlanJson(plan));
  else for (const line of formatPlan(plan)) io.stdout.write(escapeToOneLine(line) + "\n");
  const missing = [...new Set(plan.steps.filter(({ isGranted }) => !isGranted).map(({ operation }) => operation))];
  if (missing.length > 0) note(`Not granted: ${missing.join(", ")}. To grant, add --allow ${missing.join(",")}.`);
  if (failure !== undefined) throw failure;
}

async function readInput(context: CommandContext, flags: PlanFlags): Promise<JsonValue | undefined> {
  const { input, each, inputLine } = flags;
  if (each === undefined) {
    if (inputLine === undefined) return input;
    throw new SvcError("INVALID_ARGS", "--input-line needs --each.", { hint: "Name the file of the inputs." });
  }
  checkNotTerminal(each, context);
  const { each: path, eachLink } = await resolveInputs({ each });
  for await (const { place, value, error } of await openInputs(path, eachLink)) {
    if (inputLine !== undefined && !place.endsWith(`:${inputLine}`)) continue;
    if (error !== undefined) throw error;
    return value;
  }
  const what = inputLine === undefined ? "no input" : `no input in line ${inputLine}`;
  throw new SvcError("INVALID_ARGS", `--each ${each} has ${what}.`, { hint: "Check the file." });
}

/** Formats a plan as lines of text. */
function* formatPlan({ steps, end, result }: Plan): Generator<string> {
  for (const step of steps) {
    yield* formatStep(step);
    yield "";
  }
  if (result !== undefined) yield* ["Result:", ...indent(result), ""];
  yield end.sentence;
}

function* formatStep(
  { step, operation, kind, isGranted, request, milliseconds, error }: PlannedStep,
): Generator<string> {
  if (kind === "sleep") return yield `Step ${step}: sleep ${Number(milliseconds) / 1000} s`;
  yield `Step ${step}: ${operation} (${kind}, ${isGranted ? "granted" : "NOT GRANTED"})`;
  if (request !== undefined) {
    const { method, path, ifMatch, tagFrom, body } = request;
    yield `  ${method} ${path}`;
    if (ifMatch !== undefined) yield `  If-Match: ${ifMatch}`;
    if (tagFrom !== undefined) yield `  If-Match: entity tag from GET ${tagFrom}`;
    if (body !== undefined) yield* indent(body);
  }
  if (error !== undefined) yield `  fails: ${error.code} ${error.message}`;
}

function indent(value: JsonValue): string[] {
  return JSON.stringify(value, null, 2).split("\n").map((line) => `  ${line}`);
}
