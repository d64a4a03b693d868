/** The one place where an error becomes a record on stderr and an exit code. */
import type { ErrorCode, SvcError } from "../lib/errors.ts";
import { escapeControlCharacters } from "../utils/text/control_characters.ts";
import { shellQuote } from "../utils/text/shell_quote.ts";
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

/** The error of a call with a profile of its own: the commands that it advises are to have the same one. */
export function withProfile(error: SvcError, profile: string): SvcError {
  const flag = ` --profile ${shellQuote(profile)}`; // It may hold a '$', which a function leaves alone.
  const hint = error.hint?.replace(/'svc auth \w+(?=')/g, (command) => command + flag);
  return hint === error.hint ? error : error.with({ hint });
}

/** Writes an error to stderr: one JSON object, on one line unless a person reads it. */
export function writeError(error: SvcError, io: Io): void {
  const told = { ...error.toJSON(), hint: hintOf(error) };
  const record = io.env("SVC_DEBUG") === "1" ? { ...told, stack: stackOf(error) } : told;
  const text = JSON.stringify({ error: record }, null, io.stderr.isTerminal() ? 2 : undefined);
  io.stderr.write(escapeControlCharacters(text) + "\n");
}

/** Who follows the hint must not do a change twice; a workflow says by itself what to do about a lost answer. */
function hintOf(error: SvcError): string | undefined {
  const { code, hint } = error;
  if (!error.outcomeUnknown || code === "OUTCOME_UNKNOWN") return hint;
  return ["It may be done: read before you repeat it.", hint].filter(Boolean).join(" ");
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? String(error);
  return error.cause === undefined ? stack : `${stack}\nCaused by: ${stackOf(error.cause)}`;
}
