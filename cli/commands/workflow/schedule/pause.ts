import { type LocalCommand, localCommand } from "../../local_command.ts";
import { journalFile } from "../shared/flags.ts";
import { scheduleName } from "./name_argument.ts";

/** `svc workflow schedule pause`. */
export const pauseCommand: LocalCommand = localCommand({
  summary: "Pause a schedule; a run in progress continues",
  args: [scheduleName],
  flags: journalFile,
  example: "nightly",
  async run(context, { name, journal }) {
    const { openSchedulesFor } = await import("./open_schedules.ts");
    await using schedules = openSchedulesFor(context, journal);
    await context.print(await schedules.pause(name));
  },
});
