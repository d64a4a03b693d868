/** The commands of `svc workflow`. */
import { DEFAULT_LIMITS } from "../../../workflows/runs/limits.ts";
import type { Flag } from "../command.ts";
import { localCommand, type LocalGroup } from "../local_command.ts";
import { commands as runCommands, granting, journal, limits, newJournal, ofRun, pace } from "./runs.ts";

const script = { name: "script", help: "Script that exports a workflow", type: "path", required: true } as const;

/** Where a script's files are, and what it may use. */
const sandbox = {
  timeout: { ...limits.timeout, default: String(DEFAULT_LIMITS.timeoutSeconds) },
  maxMemory: { ...limits.maxMemory, default: String(DEFAULT_LIMITS.maxMemoryMiB) },
  root: {
    help: "Folder of the files that the script imports; its own by default",
    type: "path",
    placeholder: "folder",
  },
} as const satisfies Record<string, Flag>;

/** What may be said of a run when it begins. */
const beginning = {
  input: { help: "Input of the run", type: "json", placeholder: "json" },
  ...granting,
  ...sandbox,
} as const satisfies Record<string, Flag>;

/** What may be said of a batch. */
const batch = {
  each: {
    help: "Run once per line of an NDJSON or CSV file; '-' reads NDJSON from standard input",
    type: "path",
    placeholder: "file",
  },
  ...pace,
  concurrency: { ...pace.concurrency, default: "4" },
} as const satisfies Record<string, Flag>;

/** The commands by name. */
export const commands: LocalGroup = {
  run: localCommand({
    summary: "Run a workflow script in a sandbox",
    dryRun: true,
    details:
      "The script runs in a process without any permission. What it prints goes to stderr, its result to stdout. " +
      "With --each it runs once per line of a file; stdout gets one line of JSON per input, in the order of the file. " +
      "A journal keeps what was done: a run that was interrupted goes on with 'svc workflow resume', and repeats nothing. " +
      "With --dry-run it shows what it would do with its first input, as 'svc workflow plan' does.",
    args: [script],
    flags: {
      ...beginning,
      ...batch,
      runId: { help: "Identifier of the run; goes on with it if there is one", type: "string", placeholder: "id" },
      resume: {
        help: "Go on with the latest unfinished run of this script and file, if there is one",
        type: "boolean",
      },
      ...newJournal,
      ...ofRun,
    },
    example: `intake.ts --input '{"Applicant":"Ada","Address":"Main St 1"}' --allow-declared`,
    async run(context, given) {
      if (context.globals.dryRun) {
        const { plan } = await import("./plan.ts");
        return await plan(context, given);
      }
      const { begin } = await import("./begin.ts");
      await begin(context, given);
    },
  }),
  plan: localCommand({
    summary: "Show what a script would do, without doing it",
    dryRun: true,
    details:
      "Reads are made; a change is written down and not sent. The plan goes on as far as it can without the answer " +
      "that only a change would give, and says where it ends. Nothing is read that was not granted. " +
      "'svc workflow run --dry-run' does the same.",
    args: [script],
    flags: {
      ...beginning,
      each: {
        help: "Take the input from an NDJSON or CSV file; '-' reads NDJSON from standard input",
        type: "path",
        placeholder: "file",
      },
      inputLine: { help: "Line of --each to take; the first input without it", type: "integer" },
    },
    example: `intake.ts --input '{"Applicant":"Ada","Address":"Main St 1"}' --allow-declared`,
    async run(context, given) {
      const { plan } = await import("./plan.ts");
      await plan(context, given);
    },
  }),
  record: localCommand({
    summary: "Run a script once, and save its calls as a cassette for tests",
    details: "The run is one like that of 'svc workflow run', and in its journal. A run that fails is saved, too: " +
      "its test then expects that failure.",
    args: [script],
    flags: {
      output: { help: "File to write", type: "path", short: "o", required: true },
      force: { help: "Write over a file that is there", type: "boolean" },
      ...beginning,
      ...journal,
    },
    example: `intake.ts -o intake.cassette.json --input '{"Applicant":"Ada","Address":"Main St 1"}' --allow-declared`,
    async run(context, given) {
      const { record } = await import("./cassette.ts");
      await record(context, given);
    },
  }),
  test: localCommand({
    summary: "Run a script against its cassettes, offline",
    details:
      "Nothing is sent and no profile is read: the script's calls are answered from the cassette. The script must " +
      "make the same calls in the same order and give the same result, or the same failure.",
    args: [script],
    flags: {
      cassette: {
        help: "Cassette, or folder of cassettes; repeat the flag for several",
        type: "list",
        placeholder: "path",
        repeatable: true,
        required: true,
      },
      ...sandbox,
    },
    example: "intake.ts --cassette intake.cassette.json",
    async run(context, given) {
      const { test } = await import("./cassette.ts");
      await test(context, given);
    },
  }),
  init: localCommand({
    summary: "Write a starter script, and what an editor needs to check it",
    args: [{ name: "folder", help: "Folder to write into", type: "path", default: "." }],
    example: "workflows",
    async run(context, { folder }) {
      const { initWorkflows } = await import("../../../workflows/scripts/init.ts");
      await context.print(await initWorkflows(folder));
    },
  }),
  ...runCommands,
};
