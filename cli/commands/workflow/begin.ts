/** `svc workflow run`, `resume` and `retry`: which run is worked on, and how. */
import type { Journal, OnUnknown, RunRecord, RunSettings } from "../../../workflows/journal/journal.ts";
import { checkRunId, newRunId } from "../../../workflows/journal/run_id.ts";
import { STDIN } from "../../../workflows/inputs/open_inputs.ts";
import { readMaxFailures, readRate } from "../../../workflows/runs/rate.ts";
import { SvcError } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { describeReadError } from "../../../utils/fs/describe_error.ts";
import { sha256Text } from "../../../utils/text/sha256.ts";
import type { CommandContext } from "../command.ts";
import { checkOneSource } from "./batch.ts";
import { listCommand, runCommand } from "../../render/next_command.ts";
import { execute } from "./execute.ts";
import { claim, existingJournal, journalAt, NO_JOURNAL } from "./journal.ts";
import { findRun } from "./manage.ts";

/** Inputs that can be worked on at a time. */
const MAX_CONCURRENCY = 256;

/** Which script is run, and what an input of it may use. */
export interface ScriptFlags {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the script's files. */
  readonly root?: string;
  /** Seconds per input. */
  readonly timeout: number;
  /** MiB per input. */
  readonly maxMemory: number;
}

/** What is granted. */
export interface GrantFlags {
  /** Operations to grant. */
  readonly allow?: readonly string[];
  /** Grants what the script asks for. */
  readonly allowDeclared?: boolean;
}

/** How fast a batch goes, and when it has failed enough. */
interface PaceFlags {
  /** Inputs at a time. */
  readonly concurrency?: number;
  /** Inputs per second. */
  readonly rate?: string;
  /** Failures that are enough. */
  readonly maxFailures?: string;
}

/** What `svc workflow run` may be given. */
export interface RunFlags extends ScriptFlags, GrantFlags, PaceFlags {
  /** Its one input. */
  readonly input?: JsonValue;
  /** File of its inputs. */
  readonly each?: string;
  /** Inputs at a time. */
  readonly concurrency: number;
  /** Identifier of the run. */
  readonly runId?: string;
  /** Goes on with the latest unfinished run. */
  readonly resume?: boolean;
  /** File of the journal. */
  readonly journal?: string;
  /** What to do with a call of unknown outcome. */
  readonly onUnknown?: OnUnknown;
}

/** What may be said of a run that goes on. What was granted stays granted. */
export interface GoOnFlags extends GrantFlags, PaceFlags, Partial<Pick<ScriptFlags, "timeout" | "maxMemory">> {
  /** File of the journal. */
  readonly journal?: string;
  /** What to do with a call of unknown outcome. */
  readonly onUnknown?: OnUnknown;
  /** Goes on where the script does something else than it did. */
  readonly force?: boolean;
}

/** Begins a run, or goes on with the one that is named. */
export async function begin(context: CommandContext, flags: RunFlags): Promise<void> {
  checkFlags(flags);
  const settings = await settingsOf(context, flags);
  const { allow, allowDeclared } = flags;
  if (flags.journal === NO_JOURNAL) {
    return await execute(context, { settings, id: newRunId(), allow, allowDeclared });
  }
  await using journal = await journalAt(flags.journal, context);
  const find = () => earlierRun(journal, settings, flags);
  let before = await find();
  await using alone = before === undefined && flags.resume
    ? await beginAlone(journal, settings, flags.journal)
    : undefined;
  if (alone !== undefined) before = await find(); // Since the first look somebody may have begun it, and been killed.
  if (before !== undefined) return await goOn(context, journal, before, flags, settings);
  const id = flags.runId === undefined ? newRunId() : checkRunId(flags.runId);
  await execute(context, { settings, id, journal, journalPath: flags.journal, allow, allowDeclared });
}

/** Goes on with a run. */
export async function resume(context: CommandContext, id: string, flags: GoOnFlags): Promise<void> {
  await goOnAsBegun(context, id, flags, false);
}

/** Opens the failed inputs of a run anew and goes on with it. */
export async function retry(context: CommandContext, id: string, flags: GoOnFlags): Promise<void> {
  await goOnAsBegun(context, id, flags, true);
}

async function goOnAsBegun(context: CommandContext, id: string, flags: GoOnFlags, retries: boolean): Promise<void> {
  await using journal = await existingJournal(flags.journal, context);
  const run = await findRun(journal, id, flags.journal);
  await goOn(context, journal, run, flags, run.settings, retries);
}

/** Goes on with a run by what is said now; what was granted stays granted. */
async function goOn(
  context: CommandContext,
  journal: Journal,
  before: RunRecord,
  flags: GoOnFlags,
  current: RunSettings,
  retries = false,
): Promise<void> {
  checkNotCancelled(before, flags.journal);
  const { onUnknown, force, journal: journalPath, allow, allowDeclared, timeout, maxMemory } = flags;
  const { id, settings: { grants, service, profile } } = before;
  const limits = {
    timeoutSeconds: timeout ?? current.limits.timeoutSeconds,
    maxMemoryMiB: maxMemory ?? current.limits.maxMemoryMiB,
  };
  const settings = {
    ...current,
    ...paceOf(flags, current),
    limits,
    grants,
    service,
    profile: context.globals.profile ?? profile,
    onUnknown: onUnknown ?? before.settings.onUnknown,
  };
  const allowed = [...grants, ...(allow ?? [])];
  const goingOn = { journal, journalPath, goesOn: true, retries, force };
  await execute(context, { settings, id, ...goingOn, allow: allowed, allowDeclared });
}

/** Keeps others from beginning the same: of two that start at the same time and find no run, both would begin one. */
async function beginAlone(
  journal: Journal,
  { script, each, input }: RunSettings,
  path: string | undefined,
): Promise<AsyncDisposable> {
  const digest = await sha256Text(JSON.stringify([script, each, input]));
  const claimed = await claim(journal, `resume-${digest.toHex().slice(0, 16)}`);
  if (claimed !== undefined) return claimed;
  throw new SvcError("INVALID_ARGS", "Another process has just begun a run of this script and input.", {
    hint: { commands: [listCommand(path, "to see its progress")] },
  });
}

/** The run that the flags say to go on with; undefined where they say none, or there is none. */
async function earlierRun(
  journal: Journal,
  settings: RunSettings,
  { runId, resume, journal: path }: RunFlags,
): Promise<RunRecord | undefined> {
  if (runId === undefined && !resume) return undefined;
  const { resolve } = await import("node:path"); // Only here: it takes milliseconds to load.
  const { script, each, input } = settings;
  const inputText = JSON.stringify(input);
  // A file that has vanished has no real path any more: who opens it says so.
  const isPath = (before: string | undefined, path: string | undefined) =>
    before === path || (path !== undefined && before === resolve(path));
  const isSame = ({ settings }: RunRecord) =>
    isPath(settings.script, script) && isPath(settings.each, each) && JSON.stringify(settings.input) === inputText;
  if (runId === undefined) return (await journal.listRuns()).find((run) => run.state === "open" && isSame(run));
  const run = await journal.findRun(checkRunId(runId));
  if (run === undefined || isSame(run)) return run;
  throw new SvcError(
    "INVALID_ARGS",
    `Run ${runId} is one of another script, another input or another file of inputs.`,
    {
      hint: {
        text: "Choose another --run-id.",
        commands: [runCommand("show", { id: run.id, journalPath: path }, "to see the existing run")],
      },
    },
  );
}

async function settingsOf({ globals }: CommandContext, flags: RunFlags): Promise<RunSettings> {
  const { script, root, input, each, concurrency, timeout, maxMemory, onUnknown } = flags;
  return {
    script: await absolute(script),
    root: root && await absolute(root),
    input,
    each: each === undefined || each === STDIN ? each : await absolute(each),
    ...paceOf(flags, { concurrency }),
    limits: { timeoutSeconds: timeout, maxMemoryMiB: maxMemory },
    grants: [],
    profile: globals.profile,
    onUnknown: onUnknown ?? "stop",
  };
}

/** The path by which another process, started elsewhere, finds the file too. */
async function absolute(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (describeReadError(error) !== undefined) return path; // Opening it will say what is wrong.
    throw error;
  }
}

/** The pace that is said now, or else that of before. */
function paceOf(
  { concurrency, rate, maxFailures }: PaceFlags,
  before: Pick<RunSettings, "concurrency" | "rate" | "maxFailures">,
): Pick<RunSettings, "concurrency" | "rate" | "maxFailures"> {
  if (concurrency !== undefined && (concurrency < 1 || concurrency > MAX_CONCURRENCY)) {
    throw new SvcError("INVALID_ARGS", `--concurrency must be 1 to ${MAX_CONCURRENCY}.`, {
      hint: "Each input that is worked on has a process of its own.",
    });
  }
  if (maxFailures !== undefined) readMaxFailures(maxFailures);
  return {
    concurrency: concurrency ?? before.concurrency,
    rate: rate === undefined ? before.rate : readRate(rate),
    maxFailures: maxFailures ?? before.maxFailures,
  };
}

function checkFlags({ input, each, runId, resume, journal }: RunFlags): void {
  checkOneSource({ input, each });
  if (runId !== undefined && resume) {
    throw new SvcError("INVALID_ARGS", "--run-id and --resume are mutually exclusive.", { hint: "Give one of them." });
  }
  if (journal === NO_JOURNAL && (runId !== undefined || resume)) {
    throw new SvcError("INVALID_ARGS", "Without a journal there is no run to go on with.", {
      hint: "Leave out --journal none.",
    });
  }
}

function checkNotCancelled({ id, state }: RunRecord, journalPath: string | undefined): void {
  if (state !== "cancelled") return;
  throw new SvcError("INVALID_ARGS", `Run ${id} was cancelled.`, {
    hint: {
      text: "Start a new run with another identifier.",
      commands: [runCommand("delete", { id, journalPath }, "to delete this one")],
    },
  });
}
