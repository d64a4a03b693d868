import { formatCommandLine, type HintCommand, type SvcError } from "../../lib/errors.ts";

const PURPOSES = { resume: "to continue", retry: "to run the failed inputs again" } as const;

/** A command that continues a run. */
export type NextCommand = keyof typeof PURPOSES;

/** Identifies a run. */
export interface RunReference {
  /** Identifier of the run. */
  readonly id: string;
  /** File of the journal, if it is not the default one. */
  readonly journalPath?: string;
}

/** Returns the error with a hint that ends with the commands that continue the run. */
export function withNextCommands(failure: SvcError, run: RunReference, verbs: readonly NextCommand[]): SvcError {
  const mayEdit = failure.code === "WORKFLOW_FAILED" && verbs.includes("retry");
  const next = verbs.map((verb) => {
    const advice = verb === "retry" && mayEdit ? " (add --force if you edit the script)" : "";
    return runCommand(verb, run, PURPOSES[verb] + advice);
  });
  const show = failure.hint === undefined ? [runCommand("show", run, "to see its steps")] : [];
  return failure.with({ hint: { text: failure.hint, commands: [...show, ...next] } });
}

/** Returns a command of `svc workflow` for a run. */
export function runCommand(verb: string, run: RunReference, purpose: string): HintCommand {
  return { args: runArgs(verb, run), purpose };
}

/** Returns the command that lists the runs of a journal. */
export function listCommand(journalPath: string | undefined, purpose: string): HintCommand {
  return { args: ["workflow", "list", ...journalArgs(journalPath)], purpose };
}

/** Formats a command of `svc workflow` for a run. */
export function formatRunCommand(verb: string, run: RunReference): string {
  return formatCommandLine(runArgs(verb, run));
}

function runArgs(verb: string, { id, journalPath }: RunReference): string[] {
  return ["workflow", verb, id, ...journalArgs(journalPath)];
}

function journalArgs(path: string | undefined): string[] {
  return path === undefined ? [] : ["--journal", path];
}
