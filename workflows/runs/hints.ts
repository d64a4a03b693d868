/** Creates the hints that name commands of `svc workflow`. */
import { formatCommandLine, type HintCommand, type SvcError } from "../../lib/errors.ts";

/** A command that continues a run. */
export type ContinueCommand = "resume" | "retry";

/** Identifies a run in command lines. */
export interface RunReference {
  /** Identifier of the run. */
  readonly id: string;
  /** Path of the journal, if it is not the default one. */
  readonly journalPath?: string;
}

const PURPOSES: Readonly<Record<ContinueCommand, string>> = {
  resume: "to continue",
  retry: "to run the failed inputs again",
};

/** Returns the error with a hint that ends with the commands that continue the run. */
export function addCommands(error: SvcError, run: RunReference, verbs: readonly ContinueCommand[]): SvcError {
  const mayEdit = error.code === "WORKFLOW_FAILED" && verbs.includes("retry");
  const next = verbs.map((verb) => {
    const advice = verb === "retry" && mayEdit ? " (add --force if you edit the script)" : "";
    return toRunCommand(verb, run, PURPOSES[verb] + advice);
  });
  const show = error.hint === undefined ? [toRunCommand("show", run, "to see its steps")] : [];
  const verify = error.code === "JOURNAL_DAMAGED" ? [toRunCommand("verify", run, "to list all damaged records")] : [];
  return error.with({ hint: { text: error.hint, commands: [...show, ...verify, ...next] } });
}

/** Returns a command for a run. */
export function toRunCommand(verb: string, run: RunReference, purpose: string): HintCommand {
  return { args: listArguments(verb, run), purpose };
}

/** Returns the command that lists the runs of a journal. */
export function toListCommand(journalPath: string | undefined, purpose: string): HintCommand {
  return { args: ["workflow", "list", ...listJournalArguments(journalPath)], purpose };
}

/** Formats a command line for a run. */
export function formatRunCommand(verb: string, run: RunReference): string {
  return formatCommandLine(listArguments(verb, run));
}

function listArguments(verb: string, { id, journalPath }: RunReference): string[] {
  return ["workflow", verb, id, ...listJournalArguments(journalPath)];
}

function listJournalArguments(path: string | undefined): string[] {
  return path === undefined ? [] : ["--journal", path];
}
