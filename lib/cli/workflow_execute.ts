/** Works on a run of `svc workflow`, a new one or one that goes on: script, journal, inputs, and what is printed. */
import { openJournal } from "../../workflows/journal/sqlite_journal.ts";
import type { Journal, RunSettings } from "../../workflows/journal/journal.ts";
import { GrantedCalls } from "../../workflows/durable/live_calls.ts";
import { Runner } from "../../workflows/durable/runner.ts";
import { interrupted } from "../../workflows/left_open.ts";
import { checkInputs } from "../../workflows/inputs.ts";
import { type OpenWorkflow, openWorkflow } from "../../workflows/run.ts";
import { configDirectory } from "../auth/config.ts";
import { readSettings, type SessionOptions } from "../auth/settings.ts";
import { createCaller } from "../client/caller.ts";
import { retrying } from "../client/retry.ts";
import { waitFor } from "../client/retry_wait.ts";
import { SvcError } from "../errors.ts";
import { exists } from "../exists.ts";
import { toKebab } from "../names.ts";
import { plural } from "../wording.ts";
import type { CommandContext } from "./command.ts";
import { evenUnread, OutputClosed } from "./io.ts";
import { callerOptions } from "./service_access.ts";
import { shellWord } from "./shell_word.ts";
import { checkFields, checkNotTyped, runEach } from "./workflow_batch.ts";
import { prepareRun } from "./workflow_prepare.ts";
import { goingOn } from "./workflow_runs.ts";

/** Milliseconds between two looks whether somebody has cancelled the run. */
const LOOK_MILLISECONDS = 1000;

/** Attempts of a call that cannot do anything twice: a service that is started anew is back by then. */
const ATTEMPTS = 6;

/** How often, and after how many milliseconds, it is looked whether a run can be claimed. */
const CLAIM_LOOKS = 8;
const CLAIM_PAUSE = 25;

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
  /** File of the journal, where it was named. */
  readonly journalPath?: string;
  /** Runs its failed inputs again. */
  readonly retries?: boolean;
  /** Goes on with a run, and does not begin one. */
  readonly goesOn?: boolean;
  /** Goes on where the script does something else than it did. */
  readonly force?: boolean;
  /** Grants what the script asks for. */
  readonly allowDeclared?: boolean;
  /** Operations to grant; undefined where nobody has said. */
  readonly allow?: readonly string[];
}

/** How a run ended that nobody interrupted. */
export interface EndOfRun {
  /** Why it failed. */
  readonly failure?: SvcError;
  /** What goes on with it then. */
  readonly ways?: readonly Way[];
  /** Whether inputs are left that were not begun. */
  readonly isCut?: boolean;
  /** Inputs of a batch. */
  readonly inputs?: number;
}

/** Opens the journal: the one that was named, or the one beside the profiles. */
export async function journalAt(path: string | undefined): Promise<Journal> {
  if (path !== undefined) return await openJournal(path);
  return await openJournal(defaultJournal(), { makeFolder: true });
}

/** Path of the journal beside the profiles. */
export function defaultJournal(): string {
  return `${configDirectory()}/workflows.db`;
}

/** Opens the journal for a command that only makes sense where there is one. */
export async function existingJournal(path: string | undefined): Promise<Journal> {
  const isThere = path === undefined || (path !== NO_JOURNAL && await mayExist(path));
  if (isThere) return await journalAt(path);
  throw new SvcError("INVALID_ARGS", `There is no journal ${path}.`, {
    hint: "Name the file that the run was begun with, or leave out --journal.",
  });
}

/** Whether a journal is there, or that cannot be told: opening it will say why. */
async function mayExist(path: string): Promise<boolean> {
  return await exists(path).catch((error) => {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return true;
  });
}

/** Works on a run until all of its inputs are ended, or somebody interrupts. */
export async function execute(context: CommandContext, execution: Execution): Promise<void> {
  const { settings, journal, journalPath, id } = execution;
  if (settings.each !== undefined) {
    checkFields(context.globals.fields);
    checkNotTyped(settings.each, context.io);
  }
  using claimed = journal && await claim(journal, id);
  if (journal !== undefined && claimed === undefined) {
    throw new SvcError("INVALID_ARGS", `Another process works on run ${id}.`, {
      hint: `'${commandLine("show", id, journalPath)}' tells how far it is; ` +
        `'${commandLine("cancel", id, journalPath)}' ends it.`,
    });
  }
  const state = journal?.stateOf(id); // Only now: while this waited for the claim, somebody may have ended the run.
  if (state === "cancelled") throw interruptedRun(execution);
  if (execution.goesOn && state === undefined) {
    throw new SvcError("INVALID_ARGS", `Run ${id} was deleted just now.`, {
      hint: "What it did stays done. 'svc workflow run' begins another.",
    });
  }
  await using workflow = await openWorkflow({
    script: settings.script,
    root: settings.root,
    limits: settings.limits,
    allow: execution.allow,
    allowDeclared: execution.allowDeclared,
    ask: canAsk(context) ? ask : undefined,
    signal: context.signal,
  });
  const globals = { ...context.globals, profile: context.globals.profile ?? settings.profile };
  const options = callerOptions({ ...context, globals });
  if (settings.each !== undefined) await checkInputs(settings.each);
  await prepare(context, execution, workflow, serviceOf(options));
  const caller = retrying(createCaller(options), { attempts: ATTEMPTS });
  const runner = new Runner({
    workflow,
    live: new GrantedCalls(caller, workflow, settings.onUnknown),
    journal,
    id,
    nonce: journal?.findRun(id)?.settings.nonce,
    force: execution.force,
  });
  using _watch = interruptOn(context, execution, () => void runner.interrupt());
  const { failure, ways = [], isCut = false, inputs } = await workOn(context, runner, execution);
  const { isInterrupted } = runner;
  try {
    if (isInterrupted) await runner.interrupt();
    else if (!isCut) await settle(execution, inputs);
    await journal?.durable();
  } catch (error) {
    throw resumable(error, execution);
  }
  if (isInterrupted) throw runner.stoppedBy ? resumable(runner.stoppedBy, execution) : interruptedRun(execution);
  if (failure === undefined) return;
  if (journal === undefined) throw failure;
  throw withWayOn(failure, execution, ways);
}

/** Makes the run ready; what keeps it from going on can be mended, and then it goes on. */
async function prepare(
  context: CommandContext,
  execution: Execution,
  workflow: OpenWorkflow,
  service: string | undefined,
): Promise<void> {
  try {
    const reopened = await prepareRun(execution, workflow, service);
    if (reopened === undefined) return;
    context.note(`${plural(reopened, "failed input")} of run ${execution.id} to run again.`);
  } catch (error) {
    if (!(error instanceof SvcError) || !execution.goesOn) throw error; // A run that could not be begun is not there.
    throw withWayOn(error, execution, [execution.retries ? "retry" : "resume"]);
  }
}

/** Runs the inputs. A reader that stops reading the results of a batch, as in `svc … | head`, interrupts it. */
async function workOn(context: CommandContext, runner: Runner, execution: Execution): Promise<EndOfRun> {
  const { settings } = execution;
  try {
    if (settings.each === undefined) return await runSingle(context, runner, execution);
    return await runEach(context, runner, settings.each, settings);
  } catch (error) {
    await runner.interrupt();
    if (error instanceof OutputClosed) return {};
    throw resumable(error, execution);
  }
}

/** Where calls go and as whom; undefined where nothing says so: a script that calls nothing needs no service. */
function serviceOf(options: SessionOptions): string | undefined {
  try {
    const { target: { baseUrl, apiRoot }, clientId } = readSettings({ ...options, warn: () => {} });
    return `${baseUrl}${apiRoot}` + (clientId === undefined ? "" : ` as ${clientId}`);
  } catch (error) {
    if (error instanceof SvcError) return undefined; // The first call says what is missing.
    throw error;
  }
}

/** Calls back when the person interrupts, the process is to end, or somebody cancels the run. */
function interruptOn(
  { signal }: CommandContext,
  { journal, id }: Execution,
  interrupt: () => void,
): Disposable {
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt, { once: true });
  const look = setInterval(() => journal?.stateOf(id) === "cancelled" && interrupt(), LOOK_MILLISECONDS);
  return { [Symbol.dispose]: () => clearInterval(look) };
}

async function runSingle(
  { io, print }: CommandContext,
  runner: Runner,
  { settings: { input } }: Execution,
): Promise<EndOfRun> {
  const outcome = await runner.run(
    { number: 1, place: "input", value: input },
    (text) => io.stderr.write(text + "\n"),
  );
  if ("failure" in outcome) return { failure: outcome.failure, ways: [outcome.isOpen ? "resume" : "retry"] };
  await evenUnread(() => print(outcome.result));
  return {};
}

/** Writes how the run has ended, unless inputs of it are still open; none of them may be missing now. */
async function settle({ journal, id }: Execution, found = 1): Promise<void> {
  if (journal === undefined) return;
  const { inputs, succeeded, failed } = journal.counts(id);
  if (found < inputs) {
    throw new SvcError("INVALID_ARGS", `The run has ${plural(inputs, "input")}, and its file has ${found} now.`, {
      hint: "Restore the file of the inputs.",
    });
  }
  if (succeeded + failed === inputs) await journal.setState(id, failed === 0 ? "done" : "failed");
}

/** Claims a run; nothing where another process works on it. */
export async function claim(journal: Journal, id: string): Promise<Disposable | undefined> {
  for (let look = 0; look < CLAIM_LOOKS; look++) {
    const claimed = await journal.claim(id);
    if (claimed !== undefined) return claimed;
    await waitFor(CLAIM_PAUSE); // 'svc workflow list' holds a claim for a moment to see whether it can be had.
  }
  return undefined;
}

function interruptedRun({ id, journal, journalPath }: Execution): SvcError {
  if (journal === undefined) return interrupted();
  if (journal.stateOf(id) === "cancelled") return new SvcError("INTERRUPTED", `Run ${id} was cancelled.`);
  return new SvcError("INTERRUPTED", `Run ${id} was interrupted; what it did is kept.`, {
    hint: `Go on with: ${commandLine("resume", id, journalPath)}`,
  });
}

/** What goes on with a run in its own way. */
const WAYS = { resume: "to go on", retry: "to run what failed again" } as const;

/** A command that goes on with a run. */
export type Way = keyof typeof WAYS;

/** Flags of both, which a hint may name; but for the journal: the command line below names the right one. */
const FLAGS = Object.keys(goingOn).filter((name) => name !== "journal").map((name) => `--${toKebab(name)}`);

/** The failure, with what can be done about it. */
function withWayOn(failure: SvcError, { id, journalPath }: Execution, ways: readonly Way[]): SvcError {
  const { hint = "" } = failure;
  const first = hint || `See '${commandLine("show", id, journalPath)}'.`;
  const lines = ways.map((way) => commandLine(way, id, journalPath) + (ways.length > 1 ? ` ${WAYS[way]}` : ""));
  const then = FLAGS.some((flag) => hint.includes(flag)) ? "Then, with that flag" : "Then";
  return failure.with({ hint: `${first} ${then}: ${lines.join(", or ")}` });
}

/** What keeps a run from its end, and not its script: a full disk, or a file that has other inputs now. */
function resumable(error: unknown, execution: Execution): unknown {
  const isFault = execution.journal !== undefined && error instanceof SvcError;
  return isFault ? withWayOn(error, execution, ["resume"]) : error;
}

/** The command line that does something with a run of this journal. */
export function commandLine(verb: string, id: string, journalPath: string | undefined): string {
  return `svc workflow ${verb} ${id}${journalFlag(journalPath)}`;
}

/** The command line that lists the runs of this journal. */
export function listLine(journalPath: string | undefined): string {
  return `svc workflow list${journalFlag(journalPath)}`;
}

function journalFlag(path: string | undefined): string {
  return path === undefined ? "" : ` --journal ${shellWord(path)}`;
}

function canAsk({ io }: CommandContext): boolean {
  return io.stdin.isTerminal() && io.stderr.isTerminal();
}

async function ask(workflow: string, asked: readonly string[]): Promise<boolean> {
  const { promptsOfProcess } = await import("./prompts.ts");
  const prompts = await promptsOfProcess();
  return await prompts.confirm(`May the workflow ${workflow} call ${asked.join(", ")}?`, false);
}
