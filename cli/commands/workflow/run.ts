import { SvcError } from "../../../lib/errors.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { toPasswordSource } from "../store_password.ts";
import { newJournal, newRun, pace, script, toWorkOptions } from "./shared/flags.ts";

/** `svc workflow run`. */
export const runCommand: LocalCommand = localCommand({
  summary: "Run a workflow script in a sandbox",
  dryRun: true,
  details: "The script runs in a process without permissions. Its output goes to stderr, its result to stdout. " +
    "With --each it runs once per line of a file; stdout gets one line of JSON per input, in the order of the file. " +
    "A journal records every step, so that 'svc workflow resume' can continue an interrupted run without repeating a " +
    "step. With --dry-run it plans the run of the first input, as 'svc workflow plan' does.",
  args: [script],
  flags: {
    ...newRun,
    concurrency: { ...pace.concurrency, help: `${pace.concurrency.help} (default: 4; with --workers, no limit)` },
    runId: {
      help: "Identifier of the run; resumes the run if it exists",
      type: "string",
      placeholder: "id",
      excludes: ["resume", "once"],
    },
    resume: {
      help: "Resume the latest unfinished run of this script and file, if there is one",
      type: "boolean",
      excludes: ["once"],
    },
    once: {
      help: "Process the file of --each only once: resume its unfinished run, do not repeat a finished one",
      type: "boolean",
    },
    ...newJournal,
    workers: {
      help: "Let the workers of this PostgreSQL journal process the inputs, e.g. postgres://svc@db.example.org/city",
      type: "string",
      placeholder: "location",
      excludes: ["journal", "resume", "once"],
    },
    detach: { help: "With --workers, exit when all inputs are recorded", type: "boolean" },
    priority: {
      help: "With --workers, runs with a higher priority come first",
      type: "integer",
    },
  },
  example: `intake.ts --input '{"Applicant":"Ada","Address":"Main St 1"}' --allow-declared`,
  async run(context, { runId, resume, once, workers, detach, priority, ...flags }) {
    if (context.globals.dryRun) return await (await import("./shared/print_plan.ts")).printPlan(context, flags);
    if (workers === undefined && (detach || priority !== undefined)) throw needsWorkers(detach ? "detach" : "priority");
    if (workers !== undefined) {
      const { submitForWorkers } = await import("./shared/submit_for_workers.ts");
      return await submitForWorkers(
        context,
        { ...flags, ...toWorkOptions(flags), id: runId, workers, password: toPasswordSource(flags), priority },
        detach,
      );
    }
    const { openRunsFor } = await import("./shared/open_runs.ts");
    const { processRun } = await import("./shared/process_run.ts");
    await using runs = openRunsFor(context, flags);
    await processRun(context, {
      each: flags.each,
      open: (options) =>
        runs.start({ ...flags, ...toWorkOptions(flags), ...options, id: runId, resumeLatest: resume, once }),
    });
  },
});

function needsWorkers(flag: string): SvcError {
  return new SvcError("INVALID_ARGS", `--${flag} needs --workers.`, {
    hint: "Name the journal of the workers with --workers, e.g. postgres://svc@db.example.org/city.",
  });
}
