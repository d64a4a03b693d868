import { type Caller, type CallerOptions, createCaller } from "../../lib/client/caller.ts";
import { retrying } from "../../lib/client/retry.ts";
import { SvcError, toSvcError } from "../../lib/errors.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { interrupted } from "../sandbox/host/interruption.ts";
import { type OpenWorkflow, openWorkflow } from "../scripts/open_workflow.ts";
import type { GrantOptions } from "../scripts/permissions.ts";
import type { Limits } from "../sandbox/host/limits.ts";
import type { Plan, PlannedStep } from "./plan.ts";
import { PlanRun } from "./plan_run.ts";

/** Options of `Runs.plan`. */
export interface PlanOptions extends GrantOptions {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the files that the script may import. Default: the folder of the script. */
  readonly root?: string;
  /** Input. */
  readonly input?: JsonValue;
  /** Limits of the input. Default: 300 seconds and 256 MiB. */
  readonly limits?: Partial<Limits>;
  /** Called with each line that the script prints. */
  readonly onLog?: (text: string) => void;
  /** Aborts the plan. */
  readonly signal?: AbortSignal;
}

/** Options of `makePlan`. */
export interface MakePlanOptions {
  /** Makes the reads. */
  readonly caller: Caller;
  /** Receives the lines that the script prints. */
  readonly onLog: (text: string) => void;
  /** Aborts the plan. */
  readonly signal: AbortSignal;
}

/** A plan, and the error of a script that fails. */
export interface PlanResult {
  /** Plan as far as it is known. */
  readonly plan: Plan;
  /** Error that the run would fail with, too. */
  readonly failure?: SvcError;
}

/** Plans the run of a script on an input. */
export async function planScript(options: PlanOptions, service: CallerOptions): Promise<PlanResult> {
  await using workflow = await openWorkflow(options);
  return await makePlan(workflow, options.input, {
    caller: retrying(createCaller(service)),
    onLog: options.onLog ?? (() => {}),
    signal: options.signal ?? new AbortController().signal,
  });
}

/** Runs a script on an input without changes, and returns the plan of its run. */
export async function makePlan(
  workflow: OpenWorkflow,
  input: JsonValue | undefined,
  { caller, onLog, signal }: MakePlanOptions,
): Promise<PlanResult> {
  if (signal.aborted) throw interrupted();
  let run: PlanRun | undefined;
  let stop = (_reason: SvcError) => {};
  using _listening = onAbort(signal, () => stop(new SvcError("INTERRUPTED", "The plan was interrupted.")));
  try {
    const result = await workflow.run(input, { startedAt: Date.now(), randomness: [] }, (end, whenIdle) => {
      stop = end;
      const { operations, grants } = workflow;
      return run = new PlanRun({ caller, operations, grants, onLog, stop, whenIdle });
    });
    await run?.settle();
    return { plan: toCompletePlan(run, result) };
  } catch (thrown) {
    if (run === undefined || signal.aborted) throw thrown;
    await run.settle();
    return toIncompletePlan(run, toSvcError(thrown));
  }
}

function toCompletePlan(run: PlanRun | undefined, result: JsonValue | undefined): Plan {
  const steps = run?.steps ?? [];
  const sentence = `The plan is complete: ${countSteps(steps)}. Nothing was changed.`;
  return {
    steps,
    end: { isComplete: true, sentence },
    result: result === undefined ? result : run?.placeholders.describeValue(result),
  };
}

function toIncompletePlan(run: PlanRun, failure: SvcError): PlanResult {
  const { steps, placeholders } = run;
  const [first, second] = failure.details ?? [];
  const [needed] = placeholders.find(first?.placeholder);
  if (needed !== undefined) run.endAtPlaceholder(needed, formatPosition(second));
  if (run.ended !== undefined) return { plan: { steps, end: { isComplete: false, sentence: run.ended } } };
  const sentence = `The plan ends ${run.place}: the script fails.`;
  return {
    plan: { steps, end: { isComplete: false, sentence } },
    failure: failure.with({}, placeholders.describe(failure.message)),
  };
}

function formatPosition({ file, line }: JsonObject = {}): string {
  return typeof file === "string" ? `the script (${file}:${line})` : "the script";
}

function countSteps(steps: readonly PlannedStep[]): string {
  const changes = steps.filter(({ kind }) => kind === "change").length;
  return `${pluralize(steps.length, "step")}, ${pluralize(changes, "change")}`;
}
