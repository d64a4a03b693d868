/** Makes a plan: runs a script so that nothing is changed. */
import type { Caller } from "../../lib/client/caller.ts";
import { SvcError, toSvcError } from "../../lib/errors.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { onAbort } from "../../utils/async/on_abort.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { interrupted } from "../runs/interruption.ts";
import type { OpenWorkflow } from "../runs/open_workflow.ts";
import type { Plan, PlannedStep } from "./plan.ts";
import { PlanRun } from "./plan_run.ts";

/** What a plan is made with. */
export interface PlanOptions {
  /** Makes the reads. */
  readonly caller: Caller;
  /** Takes what the script prints. */
  readonly onLog: (text: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** A plan, and what the script failed with, where it did. */
export interface MadePlan {
  /** What the script would do. */
  readonly plan: Plan;
  /** What it failed with, and would in the run. */
  readonly failure?: SvcError;
}

/** The plan of a script's run on an input. */
export async function makePlan(
  workflow: OpenWorkflow,
  input: JsonValue | undefined,
  { caller, onLog, signal }: PlanOptions,
): Promise<MadePlan> {
  if (signal.aborted) throw interrupted(); // There is nothing to stop yet.
  let run: PlanRun | undefined;
  let stop = (_reason: SvcError) => {};
  using _listening = onAbort(signal, () => stop(new SvcError("INTERRUPTED", "The plan was interrupted.")));
  try {
    const result = await workflow.run(input, { startedAt: Date.now(), randomness: [] }, (end, rested) => {
      stop = end;
      const { operations, grants } = workflow;
      return run = new PlanRun({ caller, operations, grants, onLog, stop, rested });
    });
    await run?.settled();
    return { plan: completePlan(run, result) };
  } catch (thrown) {
    if (run === undefined || signal.aborted) throw thrown;
    await run.settled();
    return cutPlan(run, toSvcError(thrown));
  }
}

function completePlan(run: PlanRun | undefined, result: JsonValue | undefined): Plan {
  const steps = run?.steps ?? [];
  const sentence = `The plan is complete: ${stepsIn(steps)}. Nothing was changed.`;
  return {
    steps,
    end: { isComplete: true, sentence },
    result: result === undefined ? result : run?.references.shown(result),
  };
}

function cutPlan(run: PlanRun, failure: SvcError): MadePlan {
  const { steps, references } = run;
  const [first, second] = failure.details ?? [];
  const [needed] = references.in(first?.standIn);
  if (needed !== undefined) run.needs(needed, placeOf(second));
  if (run.ended !== undefined) return { plan: { steps, end: { isComplete: false, sentence: run.ended } } };
  const sentence = `The plan ends ${run.place}: the script fails.`;
  return {
    plan: { steps, end: { isComplete: false, sentence } },
    failure: failure.with({}, references.readable(failure.message)),
  };
}

function placeOf({ file, line }: JsonObject = {}): string {
  return typeof file === "string" ? `the script (${file}:${line})` : "the script";
}

function stepsIn(steps: readonly PlannedStep[]): string {
  const changes = steps.filter(({ kind }) => kind === "change").length;
  return `${pluralize(steps.length, "step")}, ${pluralize(changes, "change")}`;
}
