import { type LocalCommand, localCommand } from "../../local_command.ts";
import { journalFile } from "../shared/flags.ts";
import { scheduleName } from "./name_argument.ts";

/** `svc workflow schedule resume`. */
export const resumeScheduleCommand: LocalCommand = localCommand({
  summary: "Resume a paused schedule",
  details: "Due times during the pause do not count as missed.",
  args: [scheduleName],
  flags: journalFile,
  example: "nightly",
  async run(context, { name, journal }) {
    const { openSchedulesFor } = await import("./open_schedules.ts");
    await using schedules = openSchedulesFor(context, journal);
    await context.print(await schedules.resume(name));
  },
});
