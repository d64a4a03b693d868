import { type LocalCommand, localCommand } from "../../local_command.ts";
import { journalFile } from "../shared/flags.ts";
import { scheduleName } from "./name_argument.ts";

/** `svc workflow schedule run-now`. */
export const runNowCommand: LocalCommand = localCommand({
  summary: "Run a schedule once now",
  details: "A worker starts the run. If the schedule has --overlap skip, the command fails while a run is in progress.",
  args: [scheduleName],
  flags: journalFile,
  example: "nightly",
  async run(context, { name, journal }) {
    const { noteMissingWorker, openSchedulesFor } = await import("./open_schedules.ts");
    await using schedules = openSchedulesFor(context, journal);
    await context.print({ run: await schedules.runNow(name) });
    await noteMissingWorker(context, schedules);
  },
});
