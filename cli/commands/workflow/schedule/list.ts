import { type LocalCommand, localCommand } from "../../local_command.ts";
import { journal } from "../shared/flags.ts";

/** `svc workflow schedule list`. */
export const listSchedulesCommand: LocalCommand = localCommand({
  summary: "List the schedules, with their next times and their last run",
  details: "'svc workflow list --schedule <name>' lists all runs of a schedule.",
  flags: journal,
  reads: true,
  example: "--format table",
  async run(context, flags) {
    const { noteMissingWorker, openSchedulesFor } = await import("./open_schedules.ts");
    await using schedules = openSchedulesFor(context, flags);
    const listed = await schedules.list();
    await context.print(listed);
    if (listed.length > 0) await noteMissingWorker(context, schedules);
  },
});
