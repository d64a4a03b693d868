import { type CallerOptions, createCaller } from "../../lib/client/caller.ts";
import { retrying } from "../../lib/client/retry.ts";
import type { JsonValue } from "../../utils/json.ts";
import { makePlan, type PlanResult } from "../plan/make_plan.ts";
import type { GrantOptions } from "../scripts/permissions.ts";
import type { Limits } from "./limits.ts";
import { openWorkflow } from "./open_workflow.ts";

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

/** Plans the run of a script on an input. */
export async function planScript(options: PlanOptions, service: CallerOptions): Promise<PlanResult> {
  await using workflow = await openWorkflow(options);
  return await makePlan(workflow, options.input, {
    caller: retrying(createCaller(service)),
    onLog: options.onLog ?? (() => {}),
    signal: options.signal ?? new AbortController().signal,
  });
}
