import type { LocalCommand } from "../../local_command.ts";
import { scheduleCommand } from "./schedule_command.ts";

/** `svc workflow schedule run-now`. */
export const runNowCommand: LocalCommand = scheduleCommand(
  {
    summary: "Run a schedule once now",
    details:
      "A worker starts the run. If the schedule has --overlap skip, the command fails while a run is in progress.",
  },
  async (context, schedules, name) => {
    const { noteMissingWorker } = await import("./open_schedules.ts");
    await context.print({ run: await schedules.runNow(name) });
    await noteMissingWorker(context, schedules);
  },
);
