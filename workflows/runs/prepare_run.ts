import { SvcError } from "../../lib/errors.ts";
import type { Fingerprint } from "../inputs/fingerprint.ts";
import type { InputRecord, Journal, RunRecord, RunSettings } from "../journal/journal.ts";
import type { OpenWorkflow } from "../scripts/open_workflow.ts";
import { findDivergence } from "../check/find_divergence.ts";
import { proveGrants } from "./grant_proof.ts";
import { readReopened, reopenFailed } from "../engine/reopen.ts";

/** A run to prepare. */
export interface Preparation {
  /** Identifier of the run. */
  readonly id: string;
  /** Journal of the run. */
  readonly journal: Journal;
  /** Settings to continue with. */
  readonly settings: RunSettings;
  /** Address and operator of the service; undefined if none is configured. */
  readonly service?: string;
  /** Directory of the key that proves the grants. Default: that of the environment. */
  readonly configDirectory?: string;
  /** Current fingerprint of the file of the inputs. */
  readonly file?: Fingerprint;
  /** True opens the failed inputs again. */
  readonly retries: boolean;
  /** True continues with another service, or with a script that leaves its history. */
  readonly force: boolean;
}

/**
 * Records a new run. For an existing run, checks the service and an edited script, records the settings, and opens failed
 * inputs for a retry. A run that cannot continue is not changed. Returns the number of opened inputs.
 */
export async function prepareRun(workflow: OpenWorkflow, preparation: Preparation): Promise<number> {
  const { id, journal, settings, service, file, retries, force, configDirectory } = preparation;
  const { name, digest } = workflow;
  const grants = [...workflow.grants];
  const run = await journal.findRun(id);
  if (run === undefined) {
    const newSettings = { ...settings, grants, service, file, nonce: createNonce() };
    const proof = await proveGrants({ id, digest, settings: newSettings }, configDirectory);
    const recorded = { ...newSettings, proof };
    await journal.createRun({ id, name, digest, settings: recorded, state: "open", startedAt: Date.now() });
    return 0;
  }
  if (isOtherService(run, service) && !force) throw otherService(run, service);
  if (run.digest !== digest && !force) await checkEdited(workflow, preparation);
  const { limits, concurrency, rate, callRate, maxFailures, maxOutageSeconds, keep, profile } = settings;
  const pace = { limits, concurrency, rate, callRate, maxFailures, maxOutageSeconds, keep };
  const { script, root, each, eachLink } = settings; // The files may have moved.
  const files = { script, root, each, eachLink, ...recordFile(run.settings, file) };
  const changed = { ...run.settings, ...files, grants, ...pace, profile, service };
  const proof = await proveGrants({ id, digest, settings: changed }, configDirectory);
  await journal.changeRun(id, { digest, settings: { ...changed, proof } });
  const { inputs, succeeded, failed } = await journal.countInputs(id);
  const isUnfinished = inputs > succeeded + (retries ? 0 : failed);
  // Open the run first: if this process ends now, the run must not count as ended.
  if (isUnfinished) await journal.setState(id, "open");
  return retries ? await reopenFailed(journal, id, force) : 0;
}

/** Keeps the fingerprint of a file that is not read again, and the digests of earlier contents. */
function recordFile(
  { file: before, earlierFiles = [] }: RunSettings,
  file: Fingerprint | undefined,
): Pick<RunSettings, "file" | "earlierFiles"> {
  if (file === undefined || before === undefined || file.sha256 === before.sha256) {
    return { file: file ?? before, earlierFiles };
  }
  return { file, earlierFiles: [...earlierFiles, before.sha256] };
}

/** Creates ten random letters and digits. */
export function createNonce(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 10);
}

/** Reports whether the service differs. A run that was started without a service has not sent anything. */
function isOtherService({ settings }: RunRecord, service: string | undefined): boolean {
  return settings.service !== undefined && settings.service !== service;
}

/** Creates the error for another service, which knows neither the cases nor the idempotency keys of the run. */
function otherService({ id, settings }: RunRecord, service = "no service"): SvcError {
  return new SvcError("INVALID_CONFIG", `Run ${id} was started with ${settings.service}, not with ${service}.`, {
    hint: "Use the profile or the environment that it was started with. If it is the same service, add --force.",
  });
}

/**
 * Throws if an edited script leaves the history of the first input that continues. Sends and records nothing. The other
 * inputs are checked when they run: an input whose history the script leaves stops there.
 */
async function checkEdited(workflow: OpenWorkflow, { id, journal, retries }: Preparation): Promise<void> {
  for await (const input of journal.inputs(id)) {
    if (!isContinued(input, retries)) continue;
    const events = retries ? await readReopened(journal, id, input) : await journal.events(id, input.number);
    const error = await findDivergence(workflow, input, events);
    // The user wants to run the script, so any other failure is not a reason to reject it.
    if (error?.code === "WORKFLOW_DIVERGED") throw error;
    return;
  }
}

function isContinued({ end }: InputRecord, retries: boolean): boolean {
  return end === undefined || (retries && end.state === "failed");
}
