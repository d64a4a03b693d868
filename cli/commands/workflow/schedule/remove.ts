import { type LocalCommand, localCommand } from "../../local_command.ts";
import { journalFile } from "../shared/flags.ts";
import { scheduleName } from "./name_argument.ts";

/** `svc workflow schedule remove`. */
export const removeCommand: LocalCommand = localCommand({
  summary: "Remove a schedule; its runs remain",
  args: [scheduleName],
  flags: journalFile,
  example: "nightly",
  async run(context, { name, journal }) {
    const { openSchedulesFor } = await import("./open_schedules.ts");
    await using schedules = openSchedulesFor(context, journal);
    await schedules.remove(name);
    await context.print({ name, removed: true });
  },
});
