/** What is done before a run begins or goes on: is it the same service and script, and what is granted now? */
import { otherScript } from "../../../workflows/engine/diverged.ts";
import { StopInput } from "../../../workflows/engine/live_call.ts";
import { asReopened, reopenFailed } from "../../../workflows/runs/reopen.ts";
import { Runner } from "../../../workflows/runs/runner.ts";
import type { InputRecord, Journal, RunRecord } from "../../../workflows/journal/journal.ts";
import { readOnly } from "../../../workflows/journal/sqlite/read_only.ts";
import type { OpenWorkflow } from "../../../workflows/runs/open_workflow.ts";
import { SvcError } from "../../../lib/errors.ts";
import type { Execution } from "./execution.ts";

/**
 * Writes a new run; or checks that service and script are those that the run began with, writes what it goes on with, and
 * opens its failed inputs, whose number it answers. A run that may not go on is left as it is.
 */
export async function prepareRun(
  { settings, journal, id, force = false, retries = false }: Execution,
  workflow: OpenWorkflow,
  service: string | undefined,
): Promise<number | undefined> {
  const { name, digest } = workflow;
  if (journal === undefined) return undefined;
  const grants = [...workflow.grants];
  const before = await journal.findRun(id);
  if (before === undefined) {
    const startedAt = Date.now();
    await journal.createRun({
      ...{ id, name, digest, startedAt },
      settings: { ...settings, grants, service, nonce: newNonce() },
      state: "open",
    });
    return undefined;
  }
  if (isOtherService(before, service) && !force) throw otherService(before, service);
  if (before.digest !== digest && !force) throw await divergenceOf(workflow, journal, id, retries);
  const { limits, concurrency, rate, maxFailures, profile } = settings;
  await journal.changeRun(id, {
    digest,
    settings: { ...before.settings, grants, limits, concurrency, rate, maxFailures, profile, service },
  });
  const { inputs, succeeded, failed } = await journal.countInputs(id);
  const isUnfinished = inputs > succeeded + (retries ? 0 : failed);
  if (isUnfinished) await journal.setState(id, "open"); // First: interrupted now, it must not pass for one that has ended.
  return retries ? await reopenFailed(journal, id, force) : undefined;
}

/** Ten letters and digits. */
function newNonce(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 10);
}

/** A run that began without any service has sent nothing. */
function isOtherService({ settings }: RunRecord, service: string | undefined): boolean {
  return settings.service !== undefined && settings.service !== service;
}

/** Another service has none of the run's cases and none of its keys: what is on its way would be done there once more. */
function otherService({ id, settings }: RunRecord, service = "no service"): SvcError {
  return new SvcError(
    "INVALID_CONFIG",
    `Run ${id} was begun with ${settings.service}; now it would go on with ${service}.`,
    {
      hint:
        "Give the profile or the environment that it began with. If it is the same service all the same, add --force.",
    },
  );
}

/** Where an edited script leaves the path that the run took: nothing is sent or written to find out. */
async function divergenceOf(
  workflow: OpenWorkflow,
  journal: Journal,
  id: string,
  retries: boolean,
): Promise<SvcError> {
  const edited = otherScript(workflow.name, id);
  const live = { call: () => Promise.reject(new StopInput(edited)) };
  const looked = retries ? asReopened(journal) : readOnly(journal);
  const runner = new Runner({ workflow, journal: looked, id, live, isTrial: true });
  for await (const input of journal.inputs(id)) {
    if (!isWorkedOn(input, retries)) continue;
    const outcome = await runner.run(input);
    const leavesPath = "failure" in outcome && outcome.failure.code === "WORKFLOW_DIVERGED";
    return leavesPath ? outcome.failure : edited; // What else it fails with, it is asked to be run for.
  }
  return edited;
}

function isWorkedOn({ end }: InputRecord, retries: boolean): boolean {
  return end === undefined || (retries && end.state === "failed");
}
