/** Opens the schedules that a command works on. */
import { exists } from "../../../../utils/fs/exists.ts";
import { defaultJournalPath } from "../../../../workflows/runs/runs.ts";
import { openSchedules, type Schedules } from "../../../../workflows/schedules/schedules.ts";
import { callerOptions } from "../../../context.ts";
import type { CommandContext, Suggestion } from "../../command.ts";
import { toPasswordSource } from "../../store_password.ts";
import type { JournalValues } from "../shared/open_runs.ts";

/** Opens the schedules of the journal that `--journal` names, or of the default one. */
export function openSchedulesFor(context: CommandContext, { journal, ...values }: JournalValues): Schedules {
  return openSchedules({ ...callerOptions(context), journal, journalPassword: toPasswordSource(values) });
}

/** Prints how to start a worker if none is running. Workers of a shared journal have their own grants. */
export async function noteMissingWorker({ note }: CommandContext, schedules: Schedules): Promise<void> {
  if (await schedules.hasWorker()) return;
  const { startCommand: command, isShared } = schedules;
  note(
    isShared
      ? `No worker is running. Start one, with --allow for the operations of the script: ${command}`
      : `No worker is running. To start one, run '${command}'.`,
  );
}

/** Suggests the schedules of the default journal for shell completion. */
export async function suggestSchedules(): Promise<Suggestion[]> {
  if (!await exists(defaultJournalPath())) return [];
  await using schedules = openSchedules();
  return (await schedules.list()).map(({ name, cron, state }) => ({ word: name, about: `${cron}, ${state}` }));
}
