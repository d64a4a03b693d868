/** What each input of a run may use. */
import { SvcError } from "../../lib/errors.ts";

/** What each input of a run may use. */
export interface Limits {
  /** Seconds that one input may take, but for its sleeps. */
  readonly timeoutSeconds: number;
  /** Mebibytes of memory that the script may use, of whatever kind. */
  readonly maxMemoryMiB: number;
}

/** What each input may use unless it is said otherwise. */
export const DEFAULT_LIMITS: Limits = { timeoutSeconds: 300, maxMemoryMiB: 256 };

/** More than this and the limits of the operating system overflow. */
const LONGEST_TIMEOUT = 1_000_000;

/** Less than this and the engine cannot even start. */
const MIN_MEMORY_MIB = 16;

/** Refuses limits that cannot be kept. */
export function checkLimits({ timeoutSeconds, maxMemoryMiB }: Limits): void {
  if (!(timeoutSeconds > 0 && timeoutSeconds <= LONGEST_TIMEOUT)) {
    throw new SvcError("INVALID_ARGS", `--timeout must be a number of seconds above 0 and at most ${LONGEST_TIMEOUT}.`);
  }
  if (!(maxMemoryMiB >= MIN_MEMORY_MIB)) {
    throw new SvcError("INVALID_ARGS", `--max-memory must be at least ${MIN_MEMORY_MIB} (MiB).`);
  }
}
