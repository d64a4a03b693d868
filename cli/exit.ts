/** The one place where an error becomes a record on stderr and an exit code. */
import type { ErrorCode, SvcError } from "../lib/errors.ts";
import { escapeControlCharacters } from "../utils/text/control_characters.ts";
import type { Io } from "./io/io.ts";

/** Exit codes of errors; every other code ends with 1. */
const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  INVALID_ARGS: 2,
  INVALID_CONFIG: 2,
  UNAUTHORIZED: 4,
  INTERRUPTED: 130,
};

/** The exit code of an error. */
export function exitCodeOf(error: SvcError): number {
  return EXIT_CODES[error.code] ?? 1;
}

/** Writes an error to stderr: one JSON object, on one line unless a person reads it. */
export function writeError(error: SvcError, io: Io): void {
  const record = warnOfUnknownOutcome(error).toJSON();
  const isDebugging = io.env("SVC_DEBUG") === "1";
  const printed = { error: isDebugging ? { ...record, stack: stackOf(error) } : record };
  const text = JSON.stringify(printed, null, io.stderr.isTerminal() ? 2 : undefined);
  io.stderr.write(escapeControlCharacters(text) + "\n");
}

/** The hint must not lead to a change that is applied twice. A workflow has its own hint for an unknown outcome. */
function warnOfUnknownOutcome(error: SvcError): SvcError {
  const { code, hint, outcomeUnknown } = error;
  if (!outcomeUnknown || code === "OUTCOME_UNKNOWN") return error;
  const warning = "The change may have been applied: check before you repeat it.";
  return error.with({ hint: hint === undefined ? warning : `${warning} ${hint}` });
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? String(error);
  return error.cause === undefined ? stack : `${stack}\nCaused by: ${stackOf(error.cause)}`;
}
