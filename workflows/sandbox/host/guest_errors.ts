/** Errors of guests that end before their run does. */
import { SvcError } from "../../../lib/errors.ts";
import { escapeToOneLine } from "../../../utils/text/control_characters.ts";
import type { Limits } from "./limits.ts";

/** Messages of V8 and Deno when memory is exhausted. */
const OUT_OF_MEMORY =
  /out of memory|memory allocation of \d+ bytes failed|Cannot allocate memory|allocation failed|failed to (reserve|allocate)/i;

/** Signals with which V8 ends its own process. */
const ENGINE_SIGNALS: readonly (Deno.Signal | null)[] = ["SIGABRT", "SIGTRAP", "SIGILL", "SIGSEGV", "SIGBUS"];

/** Signals that neither svc nor V8 sends. A user or the system sends them, for example when the machine runs out of memory. */
const OUTSIDE_SIGNALS: readonly (Deno.Signal | null)[] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

/** Exit code of a process that Ctrl-C ends on Windows, which has no signals: `STATUS_CONTROL_C_EXIT`. */
const ENDED_BY_CTRL_C = 0xc000013a | 0;

/** The cause of an error that the script did not cause. */
export class KilledFromOutside extends Error {}

/** Returns the error of a guest that svc did not end. */
export function explainExit(status: Deno.CommandStatus, stderr: string, limits: Limits): SvcError {
  if (OUT_OF_MEMORY.test(stderr)) return outOfMemory(limits);
  const isFromOutside = status.code === ENDED_BY_CTRL_C || OUTSIDE_SIGNALS.includes(status.signal);
  if (isFromOutside || status.signal === "SIGXCPU") {
    return new SvcError(
      "WORKFLOW_FAILED",
      "The operating system ended the workflow: it used too much memory or processor time.",
      {
        cause: isFromOutside ? new KilledFromOutside() : undefined,
        hint: "Check --max-memory, --timeout, and the memory of the machine.",
      },
    );
  }
  if (ENGINE_SIGNALS.includes(status.signal)) {
    return new SvcError("WORKFLOW_FAILED", `The workflow's process crashed (${status.signal}).`, {
      hint: `The usual reason is that it needs more than ${limits.maxMemoryMiB} MiB of memory. Raise --max-memory.`,
    });
  }
  return new SvcError(
    "WORKFLOW_FAILED",
    `The script ended its process (exit code ${status.code}) before it returned a result${findFirstLine(stderr)}.`,
    { hint: "A workflow ends when run returns or throws. It must not call Deno.exit." },
  );
}

/** Creates the error of a run that exceeds its time limit. */
export function outOfTime(limits: Limits): SvcError {
  return new SvcError("TIMEOUT", `The workflow did not end within ${limits.timeoutSeconds} s and was stopped.`, {
    hint: "Raise --timeout if it needs longer.",
  });
}

/** Creates the error of a guest that sends what the guest program never sends. */
export function brokenProtocol(what: string): SvcError {
  return stoppedFor(what, "Only svc may write to the standard output of its process. Print with console or log.");
}

/** Creates the error of a run that exceeds a limit of what a guest may send. */
export function tooMuch(what: string): SvcError {
  return stoppedFor(
    what,
    "An input can print, request and return a limited amount. Split the work over several inputs.",
  );
}

/** Creates the error of an input that records more than the journal may store. */
export function journalFull(maxJournalMiB: number): SvcError {
  return new SvcError("WORKFLOW_FAILED", `The journal stores more than ${maxJournalMiB} MiB about the input.`, {
    hint: "Raise --max-journal, or split the work over several inputs.",
  });
}

/** Creates the error of an input that waits too long. */
export function waitedTooLong(maxWaitSeconds: number): SvcError {
  return new SvcError("TIMEOUT", `The workflow was stopped: its total waiting time exceeds ${maxWaitSeconds} s.`, {
    hint: "Raise --max-wait if it needs to wait longer.",
  });
}

function stoppedFor(what: string, hint: string): SvcError {
  return new SvcError("WORKFLOW_FAILED", `The workflow was stopped: it sent ${what}.`, { hint });
}

function outOfMemory({ maxMemoryMiB }: Limits): SvcError {
  return new SvcError(
    "WORKFLOW_FAILED",
    `The workflow needed more than ${maxMemoryMiB} MiB of memory and was stopped.`,
    { hint: "Raise --max-memory if it needs more." },
  );
}

/** Returns the first line of stderr, which the script may have written. */
function findFirstLine(stderr: string): string {
  const line = stderr.split("\n").find((line) => line.trim() !== "")?.trim().slice(0, 300);
  return line === undefined ? "" : `: ${escapeToOneLine(line.replace(/\.$/, ""))}`;
}
