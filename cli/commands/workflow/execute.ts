/** Works on a run of `svc workflow`, a new one or one that goes on: script, journal, inputs, and what is printed. */
import type { Journal } from "../../../workflows/journal/journal.ts";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { OTHER_FILE, Runner } from "../../../workflows/runs/runner.ts";
import { interrupted } from "../../../workflows/runs/interruption.ts";
import { checkInputs } from "../../../workflows/inputs/open_inputs.ts";
import { type OpenWorkflow, openWorkflow } from "../../../workflows/runs/open_workflow.ts";
import { readSettings, requireCredentials, type SessionOptions } from "../../../lib/auth/settings.ts";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { retrying } from "../../../lib/client/retry.ts";
import { SvcError, toSvcError } from "../../../lib/errors.ts";
import { onAbort } from "../../../utils/async/on_abort.ts";
import { pluralize, truncate } from "../../../utils/text/wording.ts";
import type { CommandContext } from "../command.ts";
import { evenUnread, OutputClosed } from "../../io/io.ts";
import { callerOptions } from "../../context.ts";
import { runCommand, withNextCommands } from "../../render/next_command.ts";
import { checkFields, checkNotTyped, runEach } from "./batch.ts";
import type { EndOfRun, Execution } from "./execution.ts";
import { claim } from "./journal.ts";
import { prepareRun } from "./prepare.ts";

/** Milliseconds between two looks whether somebody has cancelled the run. */
const LOOK_MILLISECONDS = 1000;

/** Characters of a workflow's name in a question. */
const MAX_NAME = 40;

/** Attempts of a call that cannot do anything twice: a service that is started anew is back by then. */
const ATTEMPTS = 6;

/** Works on a run until all of its inputs are ended, or somebody interrupts. */
export async function execute(context: CommandContext, execution: Execution): Promise<void> {
  const { settings } = execution;
  if (settings.each !== undefined) {
    checkFields(context.globals.fields);
    checkNotTyped(settings.each, context.io);
  }
  await using _claim = await claimRun(execution);
  await checkStanding(execution); // Only now: while this waited for the claim, somebody may have ended the run.
  const options = callerOptions({ ...context, globals: { ...context.globals, profile: settings.profile } });
  const service = serviceOf(options);
  await using workflow = await openWorkflow({
    script: settings.script,
    root: settings.root,
    limits: settings.limits,
    allow: execution.allow,
    allowDeclared: execution.allowDeclared,
    ask: canAsk(context) ? ask : undefined,
    signal: context.signal,
  });
  if (settings.each !== undefined) await checkInputs(settings.each);
  await prepare(context, execution, workflow, service);
  const runner = await createRunner(execution, workflow, retrying(createCaller(options), { attempts: ATTEMPTS }));
  using _watch = interruptOn(context, execution, runner);
  await conclude(runner, execution, await workOn(context, runner, execution));
}

/** Claims the run; nobody can claim one that is written nowhere. */
async function claimRun(execution: Execution): Promise<AsyncDisposable | undefined> {
  const { journal, id } = execution;
  if (journal === undefined) return undefined;
  const claimed = await claim(journal, id);
  if (claimed !== undefined) return claimed;
  throw new SvcError("INVALID_ARGS", `Another process works on run ${id}.`, {
    hint: {
      commands: [
        runCommand("show", execution, "to see its progress"),
        runCommand("cancel", execution, "to cancel it"),
      ],
    },
  });
}

/** Refuses a run that is over. */
async function checkStanding(execution: Execution): Promise<void> {
  const { journal, id, goesOn } = execution;
  const state = await journal?.readState(id);
  if (state === "cancelled") throw await interruptedRun(execution);
  if (!goesOn || state !== undefined) return;
  throw new SvcError("INVALID_ARGS", `Run ${id} was deleted just now.`, {
    hint: "What it did stays done. 'svc workflow run' begins another.",
  });
}

async function createRunner(
  { settings, journal, id, force }: Execution,
  workflow: OpenWorkflow,
  caller: Caller,
): Promise<Runner> {
  const live = new GrantedCalls(caller, workflow, settings.onUnknown);
  const run = await journal?.findRun(id);
  return new Runner({ workflow, live, journal, id, nonce: run?.settings.nonce, force });
}

/** Writes how the run has ended, and throws what it failed with. */
async function conclude(runner: Runner, execution: Execution, end: EndOfRun): Promise<void> {
  const { failure, ways = [], isCut = false, inputs } = end;
  const { isInterrupted } = runner;
  try {
    if (isInterrupted) await runner.interrupt();
    else if (!isCut) await settle(execution, inputs);
    await execution.journal?.durable();
  } catch (error) {
    throw resumable(error, execution);
  }
  if (isInterrupted) throw runner.stoppedBy ? resumable(runner.stoppedBy, execution) : await interruptedRun(execution);
  if (failure === undefined) return;
  throw execution.journal === undefined ? failure : withNextCommands(failure, execution, ways);
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
    context.note(`${pluralize(reopened, "failed input")} of run ${execution.id} to run again.`);
  } catch (error) {
    if (!(error instanceof SvcError) || !execution.goesOn) throw error; // A run that could not be begun is not there.
    throw withNextCommands(error, execution, [execution.retries ? "retry" : "resume"]);
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

/**
 * Where calls go and as whom; undefined where nothing says so: a script that calls nothing needs no service. A profile
 * that was named, and does not do for a call, is a mistyped one.
 */
function serviceOf(options: SessionOptions): string | undefined {
  const isNamed = options.profile !== undefined;
  try {
    const settings = readSettings({ ...options, warn: () => {} });
    const { target: { baseUrl, apiRoot }, clientId } = isNamed ? requireCredentials(settings) : settings;
    return `${baseUrl}${apiRoot}` + (clientId === undefined ? "" : ` as ${clientId}`);
  } catch (error) {
    if (error instanceof SvcError && !isNamed) return undefined; // The first call says what is missing.
    throw error;
  }
}

/** Interrupts when the person does, the process is to end, somebody cancels the run, or its journal cannot be read. */
function interruptOn({ signal }: CommandContext, { journal, id }: Execution, runner: Runner): Disposable {
  using stack = new DisposableStack();
  stack.use(onAbort(signal, () => void runner.interrupt()));
  if (journal !== undefined) {
    const look = setInterval(() => void interruptIfCancelled(journal, id, runner), LOOK_MILLISECONDS);
    stack.defer(() => clearInterval(look));
  }
  return stack.move();
}

async function interruptIfCancelled(journal: Journal, id: string, runner: Runner): Promise<void> {
  try {
    if (await journal.readState(id) === "cancelled") void runner.interrupt();
  } catch (error) {
    void runner.interrupt(toSvcError(error)); // Nobody waits for a timer: thrown, it would end the process.
  }
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
  const { inputs, succeeded, failed } = await journal.countInputs(id);
  if (found < inputs) {
    throw new SvcError("INVALID_ARGS", `The run has ${pluralize(inputs, "input")}, and its file has ${found} now.`, {
      hint: OTHER_FILE,
    });
  }
  if (succeeded + failed === inputs) await journal.setState(id, failed === 0 ? "done" : "failed");
}

async function interruptedRun(execution: Execution): Promise<SvcError> {
  const { id, journal } = execution;
  if (journal === undefined) return interrupted();
  if (await journal.readState(id) === "cancelled") return new SvcError("INTERRUPTED", `Run ${id} was cancelled.`);
  return new SvcError("INTERRUPTED", `Run ${id} was interrupted; what it did is kept.`, {
    hint: { commands: [runCommand("resume", execution, "to continue")] },
  });
}

/** What keeps a run from its end, and not its script: a full disk, or a file that has other inputs now. */
function resumable(error: unknown, execution: Execution): unknown {
  const isFault = execution.journal !== undefined && error instanceof SvcError;
  return isFault ? withNextCommands(error, execution, ["resume"]) : error;
}

function canAsk({ io }: CommandContext): boolean {
  return io.stdin.isTerminal() && io.stderr.isTerminal();
}

async function ask(workflow: string, asked: readonly string[]): Promise<boolean> {
  const { promptsOfProcess } = await import("../../prompts/prompts.ts");
  const prompts = await promptsOfProcess();
  // The script gives itself its name: it must not look like a part of the question.
  const name = JSON.stringify(truncate(workflow.replace(/\s+/g, " "), MAX_NAME));
  const what = asked.map((pattern) => pattern === "*" ? "everything" : pattern).join(", ");
  return await prompts.confirm(`May the workflow ${name} call ${what}?`, false);
}
