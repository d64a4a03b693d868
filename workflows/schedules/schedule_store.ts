import type { ScheduleRecord } from "./schedule.ts";

/** Stores the schedules of a journal. */
export interface ScheduleStore extends AsyncDisposable {
  /** Lists all schedules, by name. */
  list(): Promise<readonly ScheduleRecord[]>;
  /** Finds a schedule. */
  find(name: string): Promise<ScheduleRecord | undefined>;
  /** Adds a schedule. Resolves to false if there is one of that name. */
  add(schedule: ScheduleRecord): Promise<boolean>;
  /**
   * Changes a schedule, if it exists, and resolves to the changed one. No other process changes it in between. `change` must
   * have no effects, because a store may call it again.
   */
  change(name: string, change: (schedule: ScheduleRecord) => ScheduleRecord): Promise<ScheduleRecord | undefined>;
  /** Removes a schedule. Resolves to false if it does not exist. */
  remove(name: string): Promise<boolean>;
  /**
   * Claims the right to run the schedules until the claim is disposed or the process ends. Resolves to undefined if another
   * process has claimed it.
   */
  claimWorker(): Promise<AsyncDisposable | undefined>;
}
