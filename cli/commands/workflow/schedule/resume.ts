import { type LocalCommand, localCommand } from "../../local_command.ts";
import { journal } from "../shared/flags.ts";
import { scheduleName } from "./name_argument.ts";

/** `svc workflow schedule resume`. */
export const resumeScheduleCommand: LocalCommand = localCommand({
  summary: "Resume a paused schedule",
  details: "Times at which it was paused do not count as missed.",
  args: [scheduleName],
  flags: journal,
  example: "nightly",
  async run(context, { name, journal }) {
    const { openSchedulesFor } = await import("./open_schedules.ts");
    await using schedules = openSchedulesFor(context, journal);
    await context.print(await schedules.resume(name));
  },
});
