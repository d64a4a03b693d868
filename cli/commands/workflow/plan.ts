/** `svc workflow plan`, and `svc workflow run --dry-run`. */
import { type BatchInput, openInputs } from "../../../workflows/inputs/open_inputs.ts";
import { makePlan } from "../../../workflows/plan/make_plan.ts";
import { type Plan, type PlannedStep, toPlanJson } from "../../../workflows/plan/plan.ts";
import { openWorkflow } from "../../../workflows/runs/open_workflow.ts";
import { createCaller } from "../../../lib/client/caller.ts";
import { retrying } from "../../../lib/client/retry.ts";
import { SvcError } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { escapeToOneLine } from "../../../utils/text/control_characters.ts";
import type { CommandContext } from "../command.ts";
import type { Io } from "../../io/io.ts";
import { callerOptions } from "../../context.ts";
import { checkNotTyped, checkOneSource } from "./batch.ts";
import type { GrantFlags, ScriptFlags } from "./begin.ts";

/** What `svc workflow plan` may be given. */
export interface PlanFlags extends ScriptFlags, GrantFlags {
  /** Its input. */
  readonly input?: JsonValue;
  /** File of inputs, of which it takes one. */
  readonly each?: string;
  /** Which one: its line. */
  readonly inputLine?: number;
}

/** Prints what a script would do. */
export async function plan(context: CommandContext, flags: PlanFlags): Promise<void> {
  const input = await inputOf(flags, context.io);
  const { script, root, allow = [], allowDeclared, timeout, maxMemory } = flags;
  await using workflow = await openWorkflow({
    script,
    root,
    limits: { timeoutSeconds: timeout, maxMemoryMiB: maxMemory },
    allow,
    allowDeclared,
    signal: context.signal,
  });
  const { plan, failure } = await makePlan(workflow, input, {
    caller: retrying(createCaller(callerOptions(context))),
    onLog: (text) => context.io.stderr.write(text + "\n"),
    signal: context.signal,
  });
  await printPlan(context, plan);
  const missing = [...new Set(plan.steps.filter(({ isGranted }) => !isGranted).map(({ operation }) => operation))];
  if (missing.length > 0) {
    context.note(`Not granted: ${missing.join(", ")}. Grant it with --allow ${missing.join(",")}.`);
  }
  if (failure !== undefined) throw failure;
}

async function printPlan({ globals, io, print }: CommandContext, plan: Plan): Promise<void> {
  if (globals.isDataRequested) return await print(toPlanJson(plan));
  for (const line of formatPlan(plan)) io.stdout.write(escapeToOneLine(line) + "\n");
}

async function inputOf({ input, each, inputLine }: PlanFlags, io: Io): Promise<JsonValue | undefined> {
  if (each === undefined) {
    if (inputLine === undefined) return input;
    throw new SvcError("INVALID_ARGS", "--input-line needs --each.", { hint: "Name the file of the inputs." });
  }
  checkOneSource({ input, each });
  checkNotTyped(each, io);
  const { value, error } = await inputAt(each, inputLine);
  if (error !== undefined) throw error;
  return value;
}

async function inputAt(path: string, line: number | undefined): Promise<BatchInput> {
  for await (const input of await openInputs(path)) {
    if (line === undefined || input.place.endsWith(`:${line}`)) return input;
  }
  const what = line === undefined ? "no input" : `no input in line ${line}`;
  throw new SvcError("INVALID_ARGS", `--each ${path} has ${what}.`, { hint: "Check the file." });
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
