import type { LocalCommand } from "../../local_command.ts";
import { scheduleCommand } from "./schedule_command.ts";

/** `svc workflow schedule remove`. */
export const removeCommand: LocalCommand = scheduleCommand(
  { summary: "Remove a schedule; its runs remain" },
  async ({ print }, schedules, name) => {
    await schedules.remove(name);
    await print({ name, removed: true });
  },
);
