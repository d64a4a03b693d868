/** Gives the inputs of a run back to its workers. */
import { SvcError } from "../../lib/errors.ts";
import { exists } from "../../utils/fs/exists.ts";
import { STDIN } from "../inputs/open_inputs.ts";
import type { RunRecord, RunSettings } from "../journal/journal.ts";
import type { PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import type { ContinueCommand, JournalLocation } from "../runs/hints.ts";
import type { ResumeRunOptions } from "../runs/options.ts";
import { reopenFailed } from "../engine/reopen.ts";
import type { Run } from "../runs/run.ts";
import { openWorkflow } from "../scripts/open_workflow.ts";
import { expandPatterns, loadOperations } from "../scripts/permissions.ts";
import { packScript } from "./pack_script.ts";
import { numberInputs, SubmittedRun } from "./submit_run.ts";
import type { QueuedInput } from "./record_run.ts";
import { WorkQueue } from "./work_queue.ts";

/** A run to continue. */
export interface Continuation {
  /** The run. */
  readonly run: RunRecord;
  /** Settings to continue with. */
  readonly settings: RunSettings;
  /** `retry` gives back failed inputs, too. */
  readonly mode: ContinueCommand;
  /** Options of the caller. */
  readonly options: ResumeRunOptions;
  /** Location of the journal. */
  readonly location: JournalLocation;
}

/**
 * Continues a run that workers process: gives its stopped inputs, and for a retry its failed inputs, back to them. Returns
 * undefined if workers do not process the run.
 */
export async function continueRun(journal: PostgresJournal, continuation: Continuation): Promise<Run | undefined> {
  const { run: { id, name }, mode, options, location } = continuation;
  const queue = new WorkQueue(journal);
  const before = await queue.readProgress(id);
  if (before?.isOfWorkers !== true) return undefined;
  const { each } = continuation.settings;
  const inputs = before.isComplete ? numberInputs({ inputs: [] }) : await readRest(continuation);
  const { settings, ...script } = await chooseScript(continuation);
  const isUnfinished = before.succeeded + (mode === "retry" ? 0 : before.failed) < before.total;
  // The run counts as incomplete until its inputs are open, so that no worker ends it in between.
  if (isUnfinished || !before.isComplete) await queue.beginChange(id);
  const omitted = new Set(mode === "retry" ? await queue.listSucceeded(id) : []);
  const reopened = mode === "retry" ? await reopen(journal, queue, continuation) : 0;
  const { succeeded = 0, failed = 0 } = await queue.readProgress(id) ?? {};
  const { rate, maxFailures } = settings;
  const { concurrency } = options;
  const earlier = { done: succeeded + failed, failed };
  await queue.change(id, { ...script, settings: { ...settings, earlier }, concurrency, rate });
  return new SubmittedRun({
    id,
    name,
    journal,
    queue,
    reopened,
    omitted,
    inputs,
    options: { ...options, workers: location.path, password: location.password, each, maxFailures },
    resources: new AsyncDisposableStack(),
  });
}

/** Returns the inputs of a run whose command was interrupted before it had recorded them all. */
async function readRest(
  { run: { id }, settings: { input, each, eachLink }, options }: Continuation,
): Promise<AsyncIterable<QueuedInput>> {
  if (options.inputs !== undefined) return numberInputs({ inputs: options.inputs });
  if (each === undefined) return numberInputs({ input });
  if (each !== STDIN && await exists(each)) return numberInputs({ each, eachLink });
  throw new SvcError("INVALID_ARGS", `Not all inputs of run ${id} are recorded.`, {
    hint: `Repeat the command that has started the run, with --run-id ${id}.`,
  });
}

/** Returns the settings with their grants, and with `force` the script that is in the file now. */
async function chooseScript({ settings, options }: Continuation): Promise<
  { readonly settings: RunSettings; readonly digest?: string; readonly script?: string }
> {
  const { script, root, limits } = settings;
  const { allow = [], force = false } = options;
  if (!force) {
    const grants = new Set([...settings.grants, ...expandPatterns(allow, await loadOperations())]);
    return { settings: { ...settings, grants: [...grants] } };
  }
  await using workflow = await openWorkflow({
    ...options,
    script,
    root,
    limits,
    allow: [...settings.grants, ...allow],
  });
  const grants = [...workflow.grants];
  return { settings: { ...settings, grants }, digest: workflow.digest, script: await packScript(workflow) };
}

/** Opens the failed inputs, with their values in the file if it can be read. Lines that are still invalid stay failed. */
async function reopen(
  journal: PostgresJournal,
  queue: WorkQueue,
  { run: { id }, settings: { each, eachLink }, options: { force } }: Continuation,
): Promise<number> {
  const failed = await queue.listFailed(id);
  if (failed.size > 0 && each !== undefined && each !== STDIN && await exists(each)) {
    const corrected: QueuedInput[] = [];
    for await (const input of numberInputs({ each, eachLink })) {
      if (failed.has(input.number) && input.error === undefined) corrected.push(input);
    }
    await queue.replaceValues(id, corrected);
    for (const { number } of corrected) failed.set(number, { isInvalid: false });
  }
  return await reopenFailed(journal, id, force, ({ number }) => failed.get(number)?.isInvalid === false);
}
