import type { LocalCommand } from "../../local_command.ts";
import { scheduleCommand } from "./schedule_command.ts";

/** `svc workflow schedule resume`. */
export const resumeScheduleCommand: LocalCommand = scheduleCommand(
  { summary: "Resume a paused schedule", details: "Due times during the pause do not count as missed." },
  async ({ print }, schedules, name) => await print(await schedules.resume(name)),
);
