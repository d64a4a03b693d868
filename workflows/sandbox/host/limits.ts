import { SvcError } from "../../../lib/errors.ts";

/** Limits of each input of a run. */
export interface Limits {
  /** Seconds that one input may take, without its sleeps. */
  readonly timeoutSeconds: number;
  /** Mebibytes of memory that the script may use. */
  readonly maxMemoryMiB: number;
  /** Mebibytes of text that the journal may store. Default: 128. */
  readonly maxJournalMiB?: number;
  /** Seconds for which the script may wait in total, in `sleep`, `waitFor` and timers. Default: 30 days. */
  readonly maxWaitSeconds?: number;
}

/** Limits of a run without limits of its own. */
export const DEFAULT_LIMITS: Required<Limits> = {
  timeoutSeconds: 300,
  maxMemoryMiB: 256,
  maxJournalMiB: 128,
  maxWaitSeconds: 30 * 24 * 3600,
};

/** Longer time limits overflow those of the operating system. */
const MAX_TIMEOUT_SECONDS = 1_000_000;

/** With less memory the engine cannot start. */
const MIN_MEMORY_MIB = 16;

/** Checks that limits can be enforced. */
export function checkLimits({ timeoutSeconds, maxMemoryMiB, maxJournalMiB = 1, maxWaitSeconds = 1 }: Limits): void {
  if (!(timeoutSeconds > 0 && timeoutSeconds <= MAX_TIMEOUT_SECONDS)) {
    throw new SvcError(
      "INVALID_ARGS",
      `The timeout must be above 0 and at most ${MAX_TIMEOUT_SECONDS} seconds, not ${timeoutSeconds}.`,
    );
  }
  if (!(maxMemoryMiB >= MIN_MEMORY_MIB)) {
    throw new SvcError("INVALID_ARGS", `The memory limit must be at least ${MIN_MEMORY_MIB} MiB, not ${maxMemoryMiB}.`);
  }
  if (!(maxJournalMiB >= 1)) {
    throw new SvcError("INVALID_ARGS", `The journal limit must be at least 1 MiB, not ${maxJournalMiB}.`);
  }
  if (!(maxWaitSeconds > 0 && Number.isFinite(maxWaitSeconds))) {
    throw new SvcError(
      "INVALID_ARGS",
      `The limit on the waiting time must be a number of seconds above 0, not ${maxWaitSeconds}.`,
    );
  }
}
