/** The flags and arguments that commands of `svc workflow` share. */
import { describeSetting } from "../../../../lib/auth/call_settings.ts";
import { SvcError } from "../../../../lib/errors.ts";
import { KEEPS, ON_UNKNOWN } from "../../../../workflows/journal/journal.ts";
import { DEFAULT_LIMITS } from "../../../../workflows/sandbox/host/limits.ts";
import { parseCallSetting } from "../../../args/read_values.ts";
import type { Flag } from "../../command.ts";
import { storePasswordFlags } from "../../store_password.ts";

/** The script to run. */
export const script = {
  name: "script",
  help: "Script that exports a workflow",
  type: "path",
  required: true,
} as const;

/** The identifier of a run. */
export const runId = {
  name: "run",
  help: "Identifier of the run",
  type: "string",
  required: true,
  suggest: async () => await (await import("./open_runs.ts")).suggestRuns(),
} as const;

/** The journal of existing runs. */
export const journal = {
  journal: {
    help: "Journal file or postgres:// location (default: workflows.db in the configuration directory)",
    type: "path",
  },
  ...storePasswordFlags,
} as const satisfies Record<string, Flag>;

/** The journal of schedules, which is always a file. */
export const journalFile = {
  journal: { help: "Journal file (default: workflows.db in the configuration directory)", type: "path" },
} as const satisfies Record<string, Flag>;

/** The journal of a new run. */
export const newJournal = {
  ...journal,
  journal: { ...journal.journal, help: `${journal.journal.help}; 'none' keeps no journal` },
} as const satisfies Record<string, Flag>;

/** The decision about changes with an unknown outcome. */
export const onUnknown = {
  onUnknown: {
    help: "What to do with a change whose outcome is unknown",
    type: "string",
    choices: ON_UNKNOWN,
    placeholder: "choice",
  },
} as const satisfies Record<string, Flag>;

/** The choice of what remains of inputs. */
const keep = {
  keep: {
    help: "What remains of an input that succeeds: its whole history, its result, or only its state",
    type: "string",
    choices: KEEPS,
    placeholder: "what",
  },
} as const satisfies Record<string, Flag>;

/** The grants. */
export const grants = {
  allow: {
    help: "Operations to grant, e.g. cases.create, assignments.* or *",
    type: "list",
    placeholder: "operations",
    values: "operations",
  },
  allowDeclared: { help: "Grant every operation that the script requests", type: "boolean" },
} as const satisfies Record<string, Flag>;

const limits = {
  timeout: {
    help: "Time limit of one input in seconds, not counting sleeps",
    type: "integer",
    placeholder: "seconds",
  },
  maxMemory: { help: "Memory limit of one input in MiB", type: "integer", placeholder: "mib" },
  maxJournal: { help: "Journal limit of one input in MiB", type: "integer", placeholder: "mib" },
  maxWait: {
    help: "Seconds that one input may wait in total, e.g. in sleeps",
    type: "integer",
    placeholder: "seconds",
  },
} as const satisfies Record<string, Flag>;

/** The limits and the import folder of a script. */
export const sandbox = {
  timeout: { ...limits.timeout, default: String(DEFAULT_LIMITS.timeoutSeconds) },
  maxMemory: { ...limits.maxMemory, default: String(DEFAULT_LIMITS.maxMemoryMiB) },
  root: {
    help: "Directory of the files that the script may import (default: its own)",
    type: "path",
    placeholder: "folder",
  },
} as const satisfies Record<string, Flag>;

/** Limits of a new run that is recorded. */
export const runLimits = {
  maxJournal: { ...limits.maxJournal, default: String(DEFAULT_LIMITS.maxJournalMiB) },
  maxWait: { ...limits.maxWait, default: String(DEFAULT_LIMITS.maxWaitSeconds) },
} as const satisfies Record<string, Flag>;

/** The single input. */
export const input = {
  input: { help: "Input of the run", type: "json", placeholder: "json" },
} as const satisfies Record<string, Flag>;

/** The pace of a batch. */
export const pace = {
  concurrency: { help: "Inputs of --each to process at the same time", type: "integer" },
  rate: { help: "Inputs of --each to start per second, e.g. 5/s", type: "string", placeholder: "n/s" },
  callRate: {
    help: "Calls to the service per second, for the whole run, e.g. 50/s",
    type: "string",
    placeholder: "n/s",
  },
  maxFailures: {
    help: "Start no further input after this many failures, e.g. 10 or 5%",
    type: "string",
    placeholder: "n|n%",
  },
} as const satisfies Record<string, Flag>;

/** The file of inputs. */
const each = {
  each: {
    help: "Run once per line of an NDJSON or CSV file; '-' reads NDJSON from standard input",
    type: "path",
    placeholder: "file",
    excludes: ["input"],
  },
} as const satisfies Record<string, Flag>;

/** The wait for an unavailable service. */
export const maxOutage = {
  maxOutage: {
    help: `${describeSetting("maxOutageSeconds")}; then the run stops`,
    type: "string",
    placeholder: "seconds",
  },
} as const satisfies Record<string, Flag>;

/** The flags that decide how a new run works, in every command that starts one. */
export const newRun = {
  ...input,
  ...grants,
  ...sandbox,
  ...each,
  ...pace,
  concurrency: { ...pace.concurrency, default: "4" },
  ...maxOutage,
  ...runLimits,
  ...onUnknown,
  keep: { ...keep.keep, default: "answers" },
} as const satisfies Record<string, Flag>;

/** The flags of commands that continue a run. */
export const continuation = {
  ...grants,
  timeout: keepByDefault(limits.timeout),
  maxMemory: keepByDefault(limits.maxMemory),
  maxJournal: keepByDefault(limits.maxJournal),
  maxWait: keepByDefault(limits.maxWait),
  concurrency: keepByDefault(pace.concurrency),
  rate: keepByDefault(pace.rate),
  callRate: keepByDefault(pace.callRate),
  maxFailures: keepByDefault(pace.maxFailures),
  ...maxOutage,
  ...onUnknown,
  keep: keepByDefault(keep.keep),
  force: { help: "Continue even if the script no longer matches its history", type: "boolean" },
  acceptChangedInputs: { help: "Continue even if the file of --each has changed", type: "boolean" },
  ...journal,
} as const satisfies Record<string, Flag>;

function keepByDefault<F extends Flag>(flag: F): F {
  return { ...flag, help: `${flag.help} (default: unchanged)` };
}

/** Values of the flags that change how a run is processed. */
interface WorkFlags {
  readonly timeout?: number;
  readonly maxMemory?: number;
  readonly maxJournal?: number;
  readonly maxWait?: number;
  readonly rate?: string;
  readonly callRate?: string;
  readonly maxFailures?: string;
  readonly maxOutage?: string;
}

/** Converts flags to options of a run. */
export function toWorkOptions(
  { timeout, maxMemory, maxJournal, maxWait, rate, callRate, maxFailures, maxOutage }: WorkFlags,
) {
  return {
    limits: {
      timeoutSeconds: timeout,
      maxMemoryMiB: maxMemory,
      maxJournalMiB: maxJournal,
      maxWaitSeconds: maxWait,
    },
    rate: rate === undefined ? undefined : parseRate(rate, "--rate", "inputs"),
    callRate: callRate === undefined ? undefined : parseRate(callRate, "--call-rate", "calls"),
    maxFailures,
    maxOutageSeconds: parseCallSetting("maxOutageSeconds", maxOutage),
  };
}

/** Parses `<n>/s` or `<n>`. */
export function parseRate(text: string, flag: string, things: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text) ?? [];
  const rate = Number(digits);
  if (rate > 0) return rate;
  throw new SvcError("INVALID_ARGS", `${flag} must be a number of ${things} per second, not ${JSON.stringify(text)}.`, {
    hint: "Use a positive number, e.g. 5/s.",
  });
}
