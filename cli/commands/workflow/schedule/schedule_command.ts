import type { Schedules } from "../../../../workflows/schedules/schedules.ts";
import type { CommandContext } from "../../command.ts";
import { type LocalCommand, localCommand } from "../../local_command.ts";
import { journal } from "../shared/flags.ts";

/** The name of a schedule. */
const scheduleName = {
  name: "name",
  help: "Name of the schedule",
  type: "string",
  required: true,
  suggest: async () => await (await import("./open_schedules.ts")).suggestSchedules(),
} as const;

/** Creates a command that works on one schedule. */
export function scheduleCommand(
  description: { readonly summary: string; readonly details?: string },
  work: (context: CommandContext, schedules: Schedules, name: string) => Promise<void>,
): LocalCommand {
  return localCommand({
    ...description,
    args: [scheduleName],
    flags: journal,
    example: "nightly",
    async run(context, { name, ...flags }) {
      const { openSchedulesFor } = await import("./open_schedules.ts");
      await using schedules = openSchedulesFor(context, flags);
      await work(context, schedules, name);
    },
  });
}
