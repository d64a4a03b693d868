/** Why a sandbox ended before its run did, as an error for the person who started it. */
import { SvcError } from "../../../lib/errors.ts";
import { escapeToOneLine } from "../../../utils/text/control_characters.ts";
import type { Limits } from "../../runs/limits.ts";

/** What engine and runtime write when memory has run out. */
const OUT_OF_MEMORY =
  /out of memory|memory allocation of \d+ bytes failed|Cannot allocate memory|allocation failed|failed to (reserve|allocate)/i;

/** Signals with which the engine ends its process itself. */
const ENGINE_SIGNALS: readonly (Deno.Signal | null)[] = ["SIGABRT", "SIGTRAP", "SIGILL", "SIGSEGV", "SIGBUS"];

/** Signals that neither we nor the engine send: somebody else has ended the process, or the machine has no memory left. */
const OUTSIDE_SIGNALS: readonly (Deno.Signal | null)[] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

/** What Windows, which has no signals, says of a process that Ctrl-C has ended: `STATUS_CONTROL_C_EXIT`. */
const ENDED_BY_CTRL_C = 0xc000013a | 0;

/** The cause of an error that is none of the script's. */
export class KilledFromOutside extends Error {}

/** The error of a sandbox that ended although nobody ended it. */
export function explainExit(status: Deno.CommandStatus, stderr: string, limits: Limits): SvcError {
  if (OUT_OF_MEMORY.test(stderr)) return outOfMemory(limits);
  const isFromOutside = status.code === ENDED_BY_CTRL_C || OUTSIDE_SIGNALS.includes(status.signal);
  if (isFromOutside || status.signal === "SIGXCPU") {
    return new SvcError(
      "WORKFLOW_FAILED",
      "The operating system ended the workflow: it used too much of the machine.",
      {
        cause: isFromOutside ? new KilledFromOutside() : undefined,
        hint: "Look at --max-memory and --timeout, and at the memory that the machine has.",
      },
    );
  }
  if (ENGINE_SIGNALS.includes(status.signal)) {
    return new SvcError("WORKFLOW_FAILED", `The workflow's process crashed (${status.signal}).`, {
      hint: `Most often memory has run out: it may use ${limits.maxMemoryMiB} MiB; --max-memory changes that.`,
    });
  }
  const said = firstLine(stderr);
  return new SvcError(
    "WORKFLOW_FAILED",
    `The script ended its process (exit code ${status.code}) before it gave a result${said}.`,
    {
      hint: "A workflow ends by returning its result, or by throwing; it must not call Deno.exit.",
    },
  );
}

/** The error of a run that took too long. */
export function outOfTime(limits: Limits): SvcError {
  return new SvcError("TIMEOUT", `The workflow did not end within ${limits.timeoutSeconds} s and was stopped.`, {
    hint: "Add --timeout with more seconds if it needs longer.",
  });
}

/** The error of a sandbox that said what no sandbox of ours says. */
export function broken(what: string): SvcError {
  return sent(what, "Only svc may write to the standard output of its process; print with console or log.");
}

/** The error of a run that said what a sandbox of ours does say, but not without end. */
export function tooMuch(what: string): SvcError {
  return sent(what, "There is a limit to what one input may print, ask for and return: do less in one.");
}

function sent(what: string, hint: string): SvcError {
  return new SvcError("WORKFLOW_FAILED", `The workflow was stopped: it sent ${what}.`, { hint });
}

function outOfMemory({ maxMemoryMiB }: Limits): SvcError {
  return new SvcError(
    "WORKFLOW_FAILED",
    `The workflow needed more than ${maxMemoryMiB} MiB of memory and was stopped.`,
    {
      hint: "Raise --max-memory if it needs more.",
    },
  );
}

function firstLine(stderr: string): string {
  const line = stderr.split("\n").find((one) => one.trim() !== "")?.trim().slice(0, 300);
  return line === undefined ? "" : `: ${escapeToOneLine(line.replace(/\.$/, ""))}`; // The script may have written it.
}
