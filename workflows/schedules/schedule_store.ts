import type { ScheduleRecord } from "./schedule.ts";

/** A checked script, packed for workers on other machines. */
export interface PackedScript {
  /** Name of the workflow. */
  readonly workflow: string;
  /** Digest of the script's files. */
  readonly digest: string;
  /** The files, as `packScript` has packed them. */
  readonly script: string;
}

/** Stores the schedules of a journal. */
export interface ScheduleStore extends AsyncDisposable {
  /** Returns the time in milliseconds since 1970, by a clock that all processes of the journal share. */
  now(): Promise<number>;
  /** Lists all schedules, by name. */
  list(): Promise<readonly ScheduleRecord[]>;
  /** Finds a schedule. */
  find(name: string): Promise<ScheduleRecord | undefined>;
  /** Adds a schedule. Resolves to false if there is one of that name. `script` is required in a shared journal. */
  add(schedule: ScheduleRecord, script?: PackedScript): Promise<boolean>;
  /**
   * Changes a schedule, if it exists, and resolves to the changed one. No other process changes it in between. `change` must
   * have no effects, because a store may call it again. In a shared journal, `script` replaces the recorded script.
   */
  change(
    name: string,
    change: (schedule: ScheduleRecord) => ScheduleRecord,
    script?: PackedScript,
  ): Promise<ScheduleRecord | undefined>;
  /** Removes a schedule. Resolves to false if it does not exist. */
  remove(name: string): Promise<boolean>;
  /** Reports whether a worker runs the schedules. */
  hasWorker(): Promise<boolean>;
}
