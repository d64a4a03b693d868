/** The commands of `svc workflow` for runs that have been begun. What each does is in the module that it imports. */
import { ON_UNKNOWN, SHOWN_STATES } from "../../../workflows/journal/journal.ts";
import type { Flag } from "../command.ts";
import { localCommand, type LocalGroup } from "../local_command.ts";
import { OUTPUT } from "../operation_command.ts";

/** Where the journal is. */
export const journal = {
  journal: { help: "File of the journal, instead of the one beside the profiles", type: "path" },
} as const satisfies Record<string, Flag>;

/** Where the journal of a new run is to be. */
export const newJournal = {
  journal: { ...journal.journal, help: `${journal.journal.help}; 'none' keeps none` },
} as const satisfies Record<string, Flag>;

/** What decides how a run is worked on. */
export const ofRun = {
  onUnknown: {
    help: "What to do with a change that may or may not have arrived",
    type: "string",
    choices: ON_UNKNOWN,
    placeholder: "choice",
  },
} as const satisfies Record<string, Flag>;

/** What may be granted. */
export const granting = {
  allow: { help: "Operations to grant: cases.create, assignments.*, *", type: "list", placeholder: "operations" },
  allowDeclared: { help: "Grant all that the script asks for", type: "boolean" },
} as const satisfies Record<string, Flag>;

/** What each input may use. */
export const limits = {
  timeout: {
    help: "Seconds that one input may take; its sleeps do not count",
    type: "integer",
    placeholder: "seconds",
  },
  maxMemory: { help: "MiB of memory that one input may use", type: "integer", placeholder: "mib" },
} as const satisfies Record<string, Flag>;

/** How fast a batch goes, and when it has failed enough. */
export const pace = {
  concurrency: { help: "Inputs of --each to work on at a time", type: "integer" },
  rate: { help: "Inputs of --each to begin per second, e.g. 5/s", type: "string", placeholder: "n/s" },
  maxFailures: {
    help: "Begin no further input after so many failures: 10, or 5%",
    type: "string",
    placeholder: "n|n%",
  },
} as const satisfies Record<string, Flag>;

/** What may be said of a run that goes on. What was granted stays granted. */
export const goingOn = {
  ...granting,
  timeout: instead(limits.timeout),
  maxMemory: instead(limits.maxMemory),
  concurrency: instead(pace.concurrency),
  rate: instead(pace.rate),
  maxFailures: instead(pace.maxFailures),
  ...ofRun,
  force: { help: "Go on where the script does something else than it did", type: "boolean" },
  ...journal,
} as const satisfies Record<string, Flag>;

function instead<F extends Flag>(flag: F): F {
  return { ...flag, help: `${flag.help}; as before without it` };
}

const run = {
  name: "run",
  help: "Identifier of the run",
  type: "string",
  required: true,
  suggest: async () => await (await import("./manage.ts")).suggestRuns(),
} as const;

/** The commands by name. */
export const commands: LocalGroup = {
  resume: localCommand({
    summary: "Go on with a run that was interrupted",
    details: "What it did is answered from the journal and not sent again; its result is what it would have been. " +
      "A change of which nobody can know whether it arrived stops its input, unless --on-unknown decides: " +
      "'repeat' sends it again, 'skip' gives the script the error and sends nothing.",
    args: [run],
    flags: goingOn,
    example: "20261121-1405-k7wqh2",
    async run(context, { run, ...given }) {
      const { resume } = await import("./begin.ts");
      await resume(context, run, given);
    },
  }),
  retry: localCommand({
    summary: "Run the failed inputs of a run again, from where they failed",
    details:
      "What an input did before it failed is kept and not done again. Its line may have been mended meanwhile. " +
      "Inputs that have not ended or were not begun are run, too, as 'svc workflow resume' does.",
    args: [run],
    flags: goingOn,
    example: "20261121-1405-k7wqh2",
    async run(context, { run, ...given }) {
      const { retry } = await import("./begin.ts");
      await retry(context, run, given);
    },
  }),
  list: localCommand({
    summary: "List the runs of the journal, the latest first",
    flags: {
      state: { help: "Only runs of this state", type: "string", choices: SHOWN_STATES, placeholder: "state" },
      ...journal,
    },
    example: "--state interrupted --format table",
    async run(context, given) {
      const { list } = await import("./manage.ts");
      await list(context, given);
    },
  }),
  show: localCommand({
    summary: "Show what a run did: its inputs, and a timeline of their calls",
    details: "With --format it prints all that the journal has of the run, with --fields what they name of it.",
    args: [run],
    flags: { failed: { help: "Only inputs that failed or stopped", type: "boolean" }, ...journal },
    example: "20261121-1405-k7wqh2",
    async run(context, { run, ...given }) {
      const { show } = await import("./manage.ts");
      await show(context, run, given);
    },
  }),
  logs: localCommand({
    summary: "Print what the script of a run printed",
    args: [run],
    flags: { ...journal },
    example: "20261121-1405-k7wqh2",
    async run(context, { run, journal }) {
      const { logs } = await import("./manage.ts");
      await logs(context, run, journal);
    },
  }),
  report: localCommand({
    summary: "Write a page about a run: how fast it was, what failed and why",
    details: "The page is HTML that needs no other file and no network. A file that is there already is replaced.",
    args: [run],
    flags: { output: OUTPUT, ...journal },
    example: "20261121-1405-k7wqh2 -o report.html",
    async run(context, { run, ...given }) {
      const { report } = await import("./report.ts");
      await report(context, run, given);
    },
  }),
  cancel: localCommand({
    summary: "End a run for good; a process that works on it stops soon",
    args: [run],
    flags: { ...journal },
    example: "20261121-1405-k7wqh2",
    async run(context, { run, journal }) {
      const { cancel } = await import("./manage.ts");
      await cancel(context, run, journal);
    },
  }),
  delete: localCommand({
    summary: "Forget a run",
    args: [run],
    flags: { ...journal },
    example: "20261121-1405-k7wqh2",
    async run(context, { run, journal }) {
      const { forget } = await import("./manage.ts");
      await forget(context, run, journal);
    },
  }),
};
