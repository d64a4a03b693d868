/** Options and events of runs. */
import { CALL_SETTINGS } from "../../lib/auth/call_settings.ts";
import type { Outage } from "../../lib/client/availability.ts";
import type { CallerOptions } from "../../lib/client/caller.ts";
import { SvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import { toAbsolutePath } from "../../utils/fs/absolute_path.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import type { PasswordSource } from "../../utils/postgres/password.ts";
import { STDIN } from "../inputs/open_inputs.ts";
import type { Keep, OnUnknown, RunSettings } from "../journal/journal.ts";
import type { GrantOptions } from "../scripts/permissions.ts";
import type { BatchProgress, FailedResult } from "./batch.ts";
import { DEFAULT_LIMITS, type Limits } from "../sandbox/host/limits.ts";
import { parseMaxFailures } from "./rate.ts";
import type { OpenInputSource } from "./input_source.ts";
import type { JournalLocation } from "./hints.ts";

/** Number of inputs that are processed at the same time by default. */
export const DEFAULT_CONCURRENCY = 4;

/** Each input in progress has its own process. */
const MAX_CONCURRENCY = 256;

/** Options of `openRuns`: the journal, and how to reach the service. */
export interface RunsOptions extends CallerOptions {
  /**
   * Path of the journal file. Default: `workflows.db` in the configuration directory. `false` keeps no journal: runs can be
   * started, but neither resumed nor listed.
   */
  readonly journal?: string | false;
  /** Source of the password of a journal in PostgreSQL. Default: the variable `PGPASSWORD`, or no password. */
  readonly journalPassword?: PasswordSource;
}

/** The beginning or the end of an outage during a run. */
export interface RunOutage extends Outage {
  /** Seconds after which the run stops. */
  readonly maxOutageSeconds: number;
}

/** Handlers of the events of a run. */
export interface RunEvents {
  /** Called with each line that the script prints, and the place of its input. */
  readonly onLog?: (text: string, input: string) => void;
  /** Called when an input has ended, in any order. With this handler the inputs of a file are counted first. */
  readonly onProgress?: (progress: BatchProgress) => void;
  /** Called with the result of an input of a batch that has failed or stopped, before the results of earlier inputs. */
  readonly onFailure?: (result: FailedResult) => void;
  /** Called when the service is unavailable, and when it is available again. Calls wait in between. */
  readonly onOutage?: (outage: RunOutage) => void;
  /** Called once if workers process the run and none is running, with the location of their journal. */
  readonly onNoWorker?: (location: JournalLocation) => void;
  /** Called once when the last result of a batch has been read, before the state of the run is recorded. */
  readonly onEnd?: (counts: InputCounts) => void;
}

/** Number of inputs of a run by outcome. */
export interface InputCounts {
  /** Inputs that have ended or stopped. */
  readonly inputs: number;
  /** Inputs that succeeded. */
  readonly succeeded: number;
  /** Inputs that failed. */
  readonly failed: number;
  /** Inputs that stopped until the user decides how they continue. */
  readonly stopped: number;
  /** The limit of failures, e.g. `5%`, if it was reached and inputs were left out because of it. */
  readonly reachedMaxFailures?: string;
}

/** How fast the inputs of a batch are processed, and when it stops. */
export interface PaceOptions {
  /** Number of inputs to process at the same time, from 1 to 256. Default: 4; no limit for a run that workers process. */
  readonly concurrency?: number;
  /** Number of inputs to start per second. Default: no limit. */
  readonly rate?: number;
  /** Number of calls to make per second, for the whole run. Default: no limit. */
  readonly callRate?: number;
  /** Failures after which no further input is started: a count, or a share of the ended inputs such as `5%`. Default: no limit. */
  readonly maxFailures?: number | string;
}

/** Options for working on a run. */
export interface WorkOptions extends GrantOptions, PaceOptions, RunEvents {
  /** @internal Opens the source of the inputs of a run with a queue. */
  readonly source?: OpenInputSource;
  /** Values of the inputs, instead of a file. To resume the run, pass the same values again. */
  readonly inputs?: Iterable<JsonValue> | AsyncIterable<JsonValue>;
  /** Limits of each input. Default: 300 seconds, 256 MiB of memory, 128 MiB in the journal, and 30 days of waiting. */
  readonly limits?: Partial<Limits>;
  /** Decision about a change with an unknown outcome. Default: `stop` its input. */
  readonly onUnknown?: OnUnknown;
  /**
   * Seconds that calls wait for an unavailable service, from 0 to 86400. After that, the run stops and can be
   * resumed. With 0, calls fail after their retries. Default: `SVC_MAX_OUTAGE`, the profile's, or 600.
   */
  readonly maxOutageSeconds?: number;
  /**
   * Seconds of waiting from which an input gives up its process and its part of the concurrency (default: 1). With
   * `Infinity` it keeps them.
   */
  readonly releaseAfterSeconds?: number;
  /** Choice of what remains of an input that succeeds, from now on. Default: `answers`. */
  readonly keep?: Keep;
  /** Interrupts the run: calls in progress are still recorded, and the run can be resumed. */
  readonly signal?: AbortSignal;
}

/** Options of `Runs.start`. At most one of `input`, `each` and `inputs` can be set. */
export interface StartRunOptions extends WorkOptions {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the files that the script may import. Default: the folder of the script. */
  readonly root?: string;
  /** Input of a run without a batch. */
  readonly input?: JsonValue;
  /** Path of an NDJSON or CSV file with one input per line; `-` reads NDJSON from standard input. */
  readonly each?: string;
  /** Identifier of the run. If a run with this identifier and the same script and inputs exists, it is resumed. */
  readonly id?: string;
  /** True resumes the latest unfinished run of the same script and inputs, if there is one. */
  readonly resumeLatest?: boolean;
  /**
   * True processes the file of `each` only once. Looks for a run whose script has the same file name, and whose file
   * content, service and client are the same. Resumes the run if it is unfinished. If it has ended, does nothing and
   * returns it with `ended`.
   */
  readonly once?: boolean;
  /** Name of the schedule that orders the run. */
  readonly schedule?: string;
  /** Queue whose assignments are the inputs. It needs `source`. */
  readonly queue?: string;
}

/** Options of `Runs.resume` and `Runs.retry`. Each default is the value that the run was started with. */
export interface ResumeRunOptions extends WorkOptions {
  /** Name of the profile to call the service with. */
  readonly profile?: string;
  /** True continues even if the script no longer matches its history, or the service is another one. */
  readonly force?: boolean;
  /** True continues with a file of inputs that has changed. Inputs that were started must be unchanged. */
  readonly acceptChangedInputs?: boolean;
}

/** Converts the options of a new run to its settings. Paths may lead through links. */
export function toSettings(options: StartRunOptions, profile?: string): RunSettings {
  const { script, root, input, each, inputs, queue, onUnknown = "stop" } = options;
  if ([input, each, inputs].filter((source) => source !== undefined).length > 1) {
    throw new SvcError("INVALID_ARGS", "input, each and inputs are mutually exclusive.", { hint: "Use one of them." });
  }
  return {
    script: toAbsolutePath(script),
    root: root && toAbsolutePath(root),
    input,
    each: inputs !== undefined || queue !== undefined || each === STDIN ? STDIN : each && toAbsolutePath(each),
    ...toPace(options),
    limits: toLimits(options, DEFAULT_LIMITS),
    grants: [],
    profile,
    onUnknown,
    maxOutageSeconds: checkMaxOutage(options),
    keep: options.keep,
    schedule: options.schedule,
    queue,
  };
}

/** Applies the options of `resume` or `retry` to the settings of a run. */
export function changeSettings(settings: RunSettings, options: ResumeRunOptions): RunSettings {
  return {
    ...settings,
    ...toPace(options, settings),
    limits: toLimits(options, settings.limits),
    profile: options.profile ?? settings.profile,
    onUnknown: options.onUnknown ?? settings.onUnknown,
    maxOutageSeconds: checkMaxOutage(options) ?? settings.maxOutageSeconds,
    keep: options.keep ?? settings.keep,
  };
}

type Pace = Pick<RunSettings, "concurrency" | "rate" | "callRate" | "maxFailures">;

function toPace({ concurrency, rate, callRate, maxFailures }: PaceOptions, defaults: Pace = {}): Pace {
  if (concurrency !== undefined && !(concurrency >= 1 && concurrency <= MAX_CONCURRENCY)) {
    throw new SvcError("INVALID_ARGS", `concurrency must be from 1 to ${MAX_CONCURRENCY}, not ${concurrency}.`, {
      hint: "Each input in progress has its own process.",
    });
  }
  if (rate !== undefined && !(rate > 0)) {
    throw new SvcError("INVALID_ARGS", `rate must be a positive number of inputs per second, not ${rate}.`);
  }
  if (callRate !== undefined && !(callRate > 0)) {
    throw new SvcError("INVALID_ARGS", `callRate must be a positive number of calls per second, not ${callRate}.`);
  }
  if (maxFailures !== undefined) parseMaxFailures(String(maxFailures));
  return {
    concurrency: concurrency ?? defaults.concurrency,
    rate: rate ?? defaults.rate,
    callRate: callRate ?? defaults.callRate,
    maxFailures: maxFailures === undefined ? defaults.maxFailures : String(maxFailures),
  };
}

function checkMaxOutage({ maxOutageSeconds: seconds }: WorkOptions): number | undefined {
  const { must, isValid } = CALL_SETTINGS.maxOutageSeconds;
  if (seconds === undefined || isValid(seconds)) return seconds;
  throw new SvcError("INVALID_ARGS", `maxOutageSeconds must be ${must}, not ${seconds}.`);
}

function toLimits({ limits }: WorkOptions, defaults: Limits): Limits {
  const { timeoutSeconds, maxMemoryMiB, maxJournalMiB, maxWaitSeconds } = limits ?? {};
  return {
    timeoutSeconds: timeoutSeconds ?? defaults.timeoutSeconds,
    maxMemoryMiB: maxMemoryMiB ?? defaults.maxMemoryMiB,
    maxJournalMiB: maxJournalMiB ?? defaults.maxJournalMiB,
    maxWaitSeconds: maxWaitSeconds ?? defaults.maxWaitSeconds,
  };
}

/**
 * Follows the links to the file of inputs. A run keeps its file, even if a link has another target later. A missing file has
 * the path that the user wrote.
 */
export async function resolveInputs<S extends Pick<RunSettings, "each">>(
  settings: S,
  written = settings.each,
): Promise<S & Pick<RunSettings, "eachLink">> {
  const { each } = settings;
  if (each === undefined || each === STDIN) return settings;
  try {
    const path = await Deno.realPath(each);
    return path === each ? settings : { ...settings, each: path, eachLink: each };
  } catch (error) {
    if (describeReadError(error) !== undefined) return { ...settings, each: written }; // Opening the file reports the error.
    throw error;
  }
}
