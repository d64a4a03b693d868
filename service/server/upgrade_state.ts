/** The progress of an upgrade, for people and for other processes. The file remains until the next process locks the directory. */
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { writePrivateFile } from "../../utils/fs/private_file.ts";
import { isJsonObject, parseJsonObject } from "../../utils/json.ts";
import { isProcessId } from "../../utils/process_id.ts";
import { findMismatch, type ObjectOf } from "../../utils/shape.ts";
import type { UpgradeProgress } from "../store/sqlite/upgrade/upgrade.ts";

const shape = {
  required: {
    /** Process that upgrades the data. */
    pid: "number",
    /** Number of the step, starting at 1. */
    step: "number",
    /** Number of steps. */
    steps: "number",
    /** Work of the step. */
    activity: "string",
  },
  optional: {
    /** Copy of the database from before the upgrade, once the upgrade has finished. */
    copy: "string",
  },
} as const;

/** An upgrade of a data directory. */
export type UpgradeState = ObjectOf<typeof shape>;

/** Writes the state of an upgrade. */
export async function writeUpgrade(directory: string, state: UpgradeState): Promise<void> {
  await writePrivateFile(getFile(directory), JSON.stringify(state) + "\n");
}

/** Reads the upgrade state of the process that has locked the directory, or was the last to lock it. */
export async function readUpgrade(directory: string): Promise<UpgradeState | undefined> {
  const text = await Deno.readTextFile(getFile(directory)).catch(ignoreMissing);
  const state: unknown = text && parseJsonObject(text);
  return isState(state) ? state : undefined;
}

/** Removes the upgrade state of an earlier process. */
export async function removeUpgrade(directory: string): Promise<void> {
  await Deno.remove(getFile(directory)).catch(ignoreMissing);
}

/** Describes the progress, e.g. `step 2 of 3: adding indexes for lists`. */
export function describeUpgrade({ step, steps, activity }: UpgradeProgress): string {
  return `step ${step} of ${steps}: ${activity}`;
}

/** Describes an upgrade on one line: its step or, when it has finished, how to go back. */
export function explainUpgrade(directory: string, upgrade: UpgradeState): string {
  if (upgrade.copy === undefined) return `Upgrading the data in ${directory}, ${describeUpgrade(upgrade)}`;
  return `The data in ${directory} was upgraded. ${upgrade.copy} is a copy from before the upgrade. To go back to the ` +
    "earlier version of svc, stop the service, delete service.db and service.db-wal, and rename the copy to service.db.";
}

function getFile(directory: string): string {
  return `${directory}/upgrade.json`;
}

function isState(value: unknown): value is UpgradeState {
  return findMismatch(value, shape) === undefined && isJsonObject(value) && isProcessId(value.pid);
}
