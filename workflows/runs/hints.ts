/** Creates the hints that name commands of `svc workflow`. */
import { formatCommandLine, type HintCommand, type SvcError } from "../../lib/errors.ts";
import type { PasswordSource } from "../../utils/postgres/password.ts";

/** A command that continues a run. */
export type ContinueCommand = "resume" | "retry";

/** Names a journal in command lines. */
export interface JournalLocation {
  /** Path, or location in PostgreSQL. */
  readonly path: string;
  /** Source of the password. */
  readonly password?: PasswordSource;
}

/** Identifies a run in command lines. */
export interface RunReference {
  /** Identifier of the run. */
  readonly id: string;
  /** The journal, if it is not the default one. */
  readonly location?: JournalLocation;
  /** True if the run was started with its only input. */
  readonly hasInput?: boolean;
}

/** Advice for a script that may have failed because of its only input. A run keeps its input. */
const WRONG_INPUT = "If the input is wrong, start a new run with another one.";

/** Lists the commands that continue a run with failed or stopped inputs, or with inputs that were not started. */
export function listContinueCommands(
  { failed, stopped, isCut }: { readonly failed: number; readonly stopped: number; readonly isCut: boolean },
): ContinueCommand[] {
  return [
    ...(isCut || stopped > 0 ? ["resume" as const] : []),
    ...(failed > 0 ? ["retry" as const] : []),
  ];
}

/** Returns the error with a hint that ends with the commands that continue the run. */
export function addCommands(error: SvcError, run: RunReference, verbs: readonly ContinueCommand[]): SvcError {
  const purposes = {
    resume: "to continue",
    retry: run.hasInput ? "to run the same input again" : "to run the failed inputs again",
  };
  const next = verbs.map((verb) =>
    error.code === "WORKFLOW_DIVERGED" ? forceCommand(verb, run) : toRunCommand(verb, run, purposes[verb])
  );
  const mayBeInput = run.hasInput && error.code === "WORKFLOW_FAILED" && verbs.includes("retry");
  const text = mayBeInput ? [error.hint, WRONG_INPUT].filter(Boolean).join(" ") : error.hint;
  const show = error.hint === undefined ? [toRunCommand("show", run, "to see its steps")] : [];
  const verify = error.code === "JOURNAL_DAMAGED" ? [toRunCommand("verify", run, "to list all damaged records")] : [];
  return error.with({ hint: { text, commands: [...show, ...verify, ...next] } });
}

/** Returns the command that continues a run although its script no longer matches the history. */
function forceCommand(verb: ContinueCommand, run: RunReference): HintCommand {
  return { args: [...listArguments(verb, run), "--force"], purpose: "to continue with the current script and inputs" };
}

/** Returns a command for a run. */
export function toRunCommand(verb: string, run: RunReference, purpose: string): HintCommand {
  return { args: listArguments(verb, run), purpose };
}

/** Returns the command that lists the runs of a journal. */
export function toListCommand(location: JournalLocation | undefined, purpose: string): HintCommand {
  return { args: ["workflow", "list", ...listJournalArguments(location)], purpose };
}

/** Formats a command line for a run. */
export function formatRunCommand(verb: string, run: RunReference): string {
  return formatCommandLine(listArguments(verb, run));
}

function listArguments(verb: string, { id, location }: RunReference): string[] {
  return ["workflow", verb, id, ...listJournalArguments(location)];
}

/** Returns the arguments that name a journal. Workers name one in PostgreSQL with `--store`. */
export function listJournalArguments(
  location: JournalLocation | undefined,
  option: "--journal" | "--store" = "--journal",
): string[] {
  if (location === undefined) return [];
  const { path, password: { file, command } = {} } = location;
  return [
    ...[option, path],
    ...(file === undefined ? [] : ["--store-password-file", file]),
    ...(command === undefined ? [] : ["--store-password-command", command]),
  ];
}
