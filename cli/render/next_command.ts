/** What goes on with a run, as command lines that can be copied. */
import type { SvcError } from "../../lib/errors.ts";
import { toKebab } from "../../lib/operation/names.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { goingOn } from "../commands/workflow/runs.ts";

/** What goes on with a run in its own way. */
const WAYS = { resume: "to go on", retry: "to run what failed again, too" } as const;

/** A command that goes on with a run. */
export type Way = keyof typeof WAYS;

/** Flags of both, which a hint may name; but for the journal: the command line below names the right one. */
const FLAGS = Object.keys(goingOn).filter((name) => name !== "journal").map((name) => `--${toKebab(name)}`);

/** A run, and the file of its journal where that was named. */
export interface NamedRun {
  /** Its identifier. */
  readonly id: string;
  /** File of the journal, where it was named. */
  readonly journalPath?: string;
}

/** The failure, with what can be done about it. */
export function withWayOn(failure: SvcError, { id, journalPath }: NamedRun, ways: readonly Way[]): SvcError {
  const { hint = "" } = failure;
  const first = hint || `See '${commandLine("show", id, journalPath)}'.`;
  const lines = ways.map((way) => commandLine(way, id, journalPath) + (ways.length > 1 ? ` ${WAYS[way]}` : ""));
  const flags = new Set(hint.match(/--[a-z-]+/g)?.filter((flag) => FLAGS.includes(flag)));
  const mayEdit = failure.code === "WORKFLOW_FAILED" && ways.includes("retry");
  const none = mayEdit ? "Then, with --force if you edit the script" : "Then";
  const then = [none, "Then, with that flag"][flags.size] ?? "Then, with those flags";
  return failure.with({ hint: `${first} ${then}: ${lines.join(", or ")}` });
}

/** The command line that does something with a run of this journal. */
export function commandLine(verb: string, id: string, journalPath: string | undefined): string {
  return `svc workflow ${verb} ${id}${journalFlag(journalPath)}`;
}

/** The command line that lists the runs of this journal. */
export function listLine(journalPath: string | undefined): string {
  return `svc workflow list${journalFlag(journalPath)}`;
}

function journalFlag(path: string | undefined): string {
  return path === undefined ? "" : ` --journal ${shellQuote(path)}`;
}
