import { MISSED_POLICIES, OVERLAP_POLICIES } from "../../../../workflows/schedules/schedule.ts";
import { type LocalCommand, localCommand } from "../../local_command.ts";
import { journal, newRun, pace, script, toWorkOptions } from "../shared/flags.ts";

/** `svc workflow schedule add`. */
export const addCommand: LocalCommand = localCommand({
  summary: "Run a script at the times of a cron expression",
  details:
    "Checks the script and grants its permissions now. 'svc worker start' runs it when it is due, with the given " +
    "flags of 'svc workflow run'. Each run reads the file of --each again. With --overlap, 'skip' starts no run " +
    "while the previous one has not ended, 'buffer' starts one afterwards, and 'allow' starts one at once. With " +
    "--missed, 'once' starts one run for all missed times.",
  args: [
    { name: "name", help: "Name of the schedule; its runs are named after it", type: "string", required: true },
    script,
  ],
  flags: {
    cron: {
      help: "Times: minute, hour, day of the month, month and day of the week, or e.g. @daily",
      type: "string",
      required: true,
      placeholder: "expression",
    },
    timeZone: { help: "IANA time zone of --cron (default: that of this machine)", type: "string", placeholder: "zone" },
    overlap: {
      help: "What to do when the previous run has not ended",
      type: "string",
      choices: OVERLAP_POLICIES,
      default: "skip",
      placeholder: "policy",
    },
    missed: {
      help: "What to do about times that no worker handled within a minute",
      type: "string",
      choices: MISSED_POLICIES,
      default: "skip",
      placeholder: "policy",
    },
    replace: { help: "Replace a schedule of this name", type: "boolean" },
    ...newRun,
    concurrency: {
      ...pace.concurrency,
      help: `${pace.concurrency.help} (default: 4; with a PostgreSQL journal, no limit)`,
    },
    each: { ...newRun.each, help: "Run once per line of an NDJSON or CSV file" },
    ...journal,
  },
  example: "nightly report.ts --cron '0 2 * * *' --time-zone Europe/Berlin --missed once --allow-declared",
  seeAlso: ["worker start --help", "workflow run --help"],
  async run(context, flags) {
    const { noteMissingWorker, openSchedulesFor } = await import("./open_schedules.ts");
    const { createAsk } = await import("../shared/process_run.ts");
    await using schedules = openSchedulesFor(context, flags);
    const ask = createAsk(context.io);
    await context.print(await schedules.add({ ...flags, ...toWorkOptions(flags), ask, signal: context.signal }));
    await noteMissingWorker(context, schedules);
  },
});
