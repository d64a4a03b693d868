import type { LocalCommand } from "../../local_command.ts";
import { scheduleCommand } from "./schedule_command.ts";

/** `svc workflow schedule pause`. */
export const pauseCommand: LocalCommand = scheduleCommand(
  { summary: "Pause a schedule; a run in progress continues" },
  async ({ print }, schedules, name) => await print(await schedules.pause(name)),
);
