/** Works on a run of `svc workflow`, a new one or one that goes on: script, journal, inputs, and what is printed. */
import { openJournal } from "../../workflows/journal/sqlite_journal.ts";
import type { Journal, RunRecord, RunSettings } from "../../workflows/journal/journal.ts";
import { otherScript } from "../../workflows/durable/diverged.ts";
import { Runner } from "../../workflows/durable/runner.ts";
import { type OpenWorkflow, openWorkflow } from "../../workflows/run.ts";
import { configDirectory } from "../auth/config.ts";
import { createCaller } from "../client/caller.ts";
import { SvcError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { CommandContext } from "./command.ts";
import { callerOptions } from "./service_access.ts";
import { runEach } from "./workflow_batch.ts";

/** The word that keeps no journal. */
export const NO_JOURNAL = "none";

/** A run to work on. */
export interface Execution {
  /** How it was started. */
  readonly settings: RunSettings;
  /** Its identifier. */
  readonly id: string;
  /** Where it is written; nowhere without it. */
  readonly journal?: Journal;
  /** What the journal has of it. */
  readonly before?: RunRecord;
  /** Its one input, where it has no file of them. */
  readonly input?: JsonValue;
  /** Goes on where the script does something else than it did. */
  readonly force?: boolean;
  /** Grants what the script asks for. */
  readonly allowDeclared?: boolean;
  /** Operations to grant; undefined where nobody has said. */
  readonly allow?: readonly string[];
}

/** How a run ended that nobody interrupted. */
export interface EndOfRun {
  /** What it failed of. */
  readonly failure?: SvcError;
  /** Whether inputs are left that were not begun. */
  readonly isCut?: boolean;
}

/** Opens the journal: the one that was named, or the one beside the profiles. */
export async function journalAt(path: string | undefined): Promise<Journal> {
  return await openJournal(path ?? `${configDirectory()}/workflows.db`);
}

/** Works on a run until all of its inputs are ended, or somebody interrupts. */
export async function execute(context: CommandContext, execution: Execution): Promise<void> {
  const { settings, journal, id } = execution;
  await using workflow = await openWorkflow({
    script: settings.script,
    root: settings.root,
    limits: settings.limits,
    allow: execution.allow,
    allowDeclared: execution.allowDeclared,
    ask: canAsk(context) ? ask : undefined,
    signal: context.signal,
  });
  using _claim = journal && await claim(journal, id);
  await begin(execution, workflow);
  const globals = { ...context.globals, profile: context.globals.profile ?? settings.profile };
  const runner = new Runner({
    workflow,
    caller: createCaller(callerOptions({ ...context, globals })),
    journal,
    id,
    onUnknown: settings.onUnknown,
    force: execution.force,
  });
  const interrupt = () => void runner.interrupt();
  context.signal.addEventListener("abort", interrupt, { once: true });
  context.io.onTerminate?.(interrupt);
  const { failure, isCut = false } = settings.each === undefined
    ? await runSingle(context, runner, execution)
    : await runEach(context, runner, settings.each, settings);
  if (runner.isInterrupted) {
    await runner.interrupt();
    await journal?.durable();
    throw interrupted(execution);
  }
  if (!isCut) await settle(journal, id);
  if (failure !== undefined) throw journal === undefined ? failure : withWayOn(failure, id);
}

/** Writes a new run, or checks that the script is the one that the run began with. */
async function begin({ settings, journal, id, before, force }: Execution, workflow: OpenWorkflow): Promise<void> {
  const { name, digest } = workflow;
  if (journal === undefined) return;
  if (before === undefined) {
    const grants = [...workflow.grants];
    await journal.createRun({
      id,
      name,
      digest,
      settings: { ...settings, grants },
      state: "open",
      startedAt: Date.now(),
    });
  } else if (before.digest !== digest) {
    if (!force) throw otherScript(name, id);
    await journal.setDigest(id, digest);
  }
}

async function runSingle(
  { io, print }: CommandContext,
  runner: Runner,
  { journal, id, input }: Execution,
): Promise<EndOfRun> {
  const known = journal?.findInput(id, 1);
  const outcome = await runner.run(
    { number: 1, place: "input", value: known ? known.value : input },
    (text) => io.stderr.write(text + "\n"),
  );
  if ("failure" in outcome) return outcome;
  await print(outcome.result);
  return {};
}

/** Writes how the run has ended, unless inputs of it are still open. */
async function settle(journal: Journal | undefined, id: string): Promise<void> {
  if (journal === undefined) return;
  const { inputs, succeeded, failed } = journal.counts(id);
  if (succeeded + failed === inputs) await journal.setState(id, failed === 0 ? "done" : "failed");
}

async function claim(journal: Journal, id: string): Promise<Disposable> {
  const claimed = await journal.claim(id);
  if (claimed !== undefined) return claimed;
  throw new SvcError("INVALID_ARGS", `Another process works on run ${id}.`, {
    hint: `'svc workflow show ${id}' tells how far it is; 'svc workflow cancel ${id}' ends it.`,
  });
}

function interrupted({ id, journal }: Execution): SvcError {
  if (journal === undefined) return new SvcError("INTERRUPTED", "The workflow was interrupted.");
  return new SvcError("INTERRUPTED", `Run ${id} was interrupted; what it did is kept.`, {
    hint: `Go on with: svc workflow resume ${id}`,
  });
}

/** The failure, with what can be done about it. */
function withWayOn(failure: SvcError, id: string): SvcError {
  const { code, message, hint } = failure;
  const wayOn = code === "WORKFLOW_DIVERGED" || code === "OUTCOME_UNKNOWN"
    ? `Then: svc workflow resume ${id}`
    : `Then: svc workflow retry ${id}`;
  return new SvcError(code, message, {
    ...failure.toJSON(),
    cause: failure.cause,
    hint: hint === undefined ? `See 'svc workflow show ${id}'. ${wayOn}` : `${hint} ${wayOn}`,
  });
}

function canAsk({ io }: CommandContext): boolean {
  return io.stdin.isTerminal() && io.stderr.isTerminal();
}

async function ask(workflow: string, asked: readonly string[]): Promise<boolean> {
  const { promptsOfProcess } = await import("./prompts.ts");
  const prompts = await promptsOfProcess();
  return await prompts.confirm(`May the workflow ${workflow} call ${asked.join(", ")}?`, false);
}
