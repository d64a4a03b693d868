import { SvcError } from "../../../lib/errors.ts";

/** Limits of each input of a run. */
export interface Limits {
  /** Seconds that one input may take, without its sleeps. */
  readonly timeoutSeconds: number;
  /** Mebibytes of memory that the script may use. */
  readonly maxMemoryMiB: number;
  /** Mebibytes of text that the journal may store. Default: 128. */
  readonly maxJournalMiB?: number;
}

/** Limits of a run without limits of its own. */
export const DEFAULT_LIMITS: Required<Limits> = { timeoutSeconds: 300, maxMemoryMiB: 256, maxJournalMiB: 128 };

/** Longer time limits overflow those of the operating system. */
const MAX_TIMEOUT_SECONDS = 1_000_000;

/** With less memory the engine cannot start. */
const MIN_MEMORY_MIB = 16;

/** Checks that limits can be enforced. */
export function checkLimits({ timeoutSeconds, maxMemoryMiB, maxJournalMiB = 1 }: Limits): void {
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
}
