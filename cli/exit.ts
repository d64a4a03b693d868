/** Turns errors into a record on stderr and an exit code. */
import type { ErrorCode, SvcError } from "../lib/errors.ts";
import { toKebab } from "../lib/operation/operation.ts";
import { escapeControlCharacters } from "../utils/text/control_characters.ts";
import type { Io } from "./io/io.ts";

/** The exit codes of svc. */
export const EXIT_CODES: readonly ExitCode[] = [
  { exit: 0, meaning: "Success." },
  { exit: 1, meaning: "The call was refused or failed, the service could not be reached, or a workflow failed." },
  {
    exit: 2,
    meaning: "The command line, a file or the profile is invalid. Fix it, then run the command again.",
    errors: ["INVALID_ARGS", "INVALID_CONFIG"],
  },
  { exit: 4, meaning: "The service refused the credentials.", errors: ["UNAUTHORIZED"] },
  {
    exit: 130,
    meaning: "Stopped by Ctrl-C, by SIGTERM or, for a workflow, by 'svc workflow cancel'.",
    errors: ["INTERRUPTED"],
  },
];

/** An exit code. */
export interface ExitCode {
  /** The code. */
  readonly exit: number;
  /** The reason for it, in whole sentences. */
  readonly meaning: string;
  /** The errors that end with it. All errors that no exit code names end with 1. */
  readonly errors?: readonly ErrorCode[];
}

/** Returns the exit code of an error. */
export function toExitCode({ code }: SvcError): number {
  return EXIT_CODES.find(({ errors }) => errors?.includes(code))?.exit ?? 1;
}

/** Writes an error to stderr: one JSON object, on one line unless stderr is a terminal. */
export function writeError(error: SvcError, io: Io): void {
  const record = { ...error.toJSON(), hint: composeHint(error) };
  const isDebugging = io.env("SVC_DEBUG") === "1";
  const printed = { error: isDebugging ? { ...record, stack: formatStack(error) } : record };
  const text = JSON.stringify(printed, null, io.stderr.isTerminal() ? 2 : undefined);
  io.stderr.write(escapeControlCharacters(text) + "\n");
}

/** Returns the hint, with a warning if the change may have been applied. The hint of `OUTCOME_UNKNOWN` already says so. */
export function composeHint(error: SvcError): string | undefined {
  const hint = error.renderHint((name) => `--${toKebab(name)}`);
  if (!error.outcomeUnknown || error.code === "OUTCOME_UNKNOWN") return hint;
  const warning = "The change may have been applied: check before you repeat it.";
  return hint === undefined ? warning : `${warning} ${hint}`;
}

function formatStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? String(error);
  return error.cause === undefined ? stack : `${stack}\nCaused by: ${formatStack(error.cause)}`;
}
