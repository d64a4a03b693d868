/** The commands of `svc workflow`. */
import type { Flag } from "./command.ts";
import { localCommand, type LocalGroup } from "./local.ts";
import { commands as runCommands, journal, ofRun } from "./workflow_runs.ts";

const script = { name: "script", help: "Script that exports a workflow", type: "string", required: true } as const;

/** What may be said of a run when it begins. */
const beginning = {
  input: { help: "Input of the run", type: "json", placeholder: "json" },
  allow: { help: "Operations to grant: cases.create, assignments.*, *", type: "list", placeholder: "operations" },
  allowDeclared: { help: "Grant all that the script asks for", type: "boolean" },
  timeout: { help: "Seconds that one run may take", type: "integer", placeholder: "seconds", default: "300" },
  maxMemory: { help: "MiB of memory that one run may use", type: "integer", placeholder: "mib", default: "256" },
  root: {
    help: "Folder of the files that the script imports; its own by default",
    type: "string",
    placeholder: "folder",
  },
} as const satisfies Record<string, Flag>;

/** What may be said of a batch. */
const batch = {
  each: { help: "Run once per line of an NDJSON or CSV file", type: "string", placeholder: "file" },
  concurrency: { help: "Inputs of --each to work on at a time", type: "integer", default: "4" },
  rate: { help: "Inputs of --each to begin per second, e.g. 5/s", type: "string", placeholder: "n/s" },
  maxFailures: {
    help: "Begin no further input after so many failures: 10, or 5%",
    type: "string",
    placeholder: "n|n%",
  },
} as const satisfies Record<string, Flag>;

/** The commands by name. */
export const commands: LocalGroup = {
  run: localCommand({
    summary: "Run a workflow script in a sandbox",
    dryRun: true,
    details:
      "The script runs in a process without any permission. What it prints goes to stderr, its result to stdout. " +
      "With --each it runs once per line of a file; stdout gets one line of JSON per input, in the order of the file. " +
      "A journal keeps what was done: a run that was interrupted goes on with 'svc workflow resume', and repeats nothing.",
    args: [script],
    flags: {
      ...beginning,
      ...batch,
      runId: { help: "Identifier of the run; goes on with it if there is one", type: "string", placeholder: "id" },
      resume: {
        help: "Go on with the latest unfinished run of this script and file, if there is one",
        type: "boolean",
      },
      ...journal,
      ...ofRun,
    },
    example: `intake.ts --input '{"Applicant":"Ada","Address":"Main St 1"}' --allow-declared`,
    async run(context, given) {
      const { begin } = await import("./workflow_begin.ts");
      await begin(context, given);
    },
  }),
  init: localCommand({
    summary: "Write a starter script, and what an editor needs to check it",
    args: [{ name: "folder", help: "Folder to write into", type: "string", default: "." }],
    example: "workflows",
    async run(context, { folder }) {
      const { initWorkflows } = await import("../../workflows/init.ts");
      await context.print(await initWorkflows(folder));
    },
  }),
  ...runCommands,
};
