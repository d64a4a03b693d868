/** Opens the runs that a command works on. */
import { exists } from "../../../../utils/fs/exists.ts";
import { defaultJournalPath, Runs } from "../../../../workflows/runs/runs.ts";
import { callerOptions } from "../../../context.ts";
import type { CommandContext, Suggestion } from "../../command.ts";
import { type StorePasswordValues, toPasswordSource } from "../../store_password.ts";

/** Value of `--journal` that keeps no journal. */
export const NO_JOURNAL = "none";

/** Values of the flags that select a journal. */
export interface JournalValues extends StorePasswordValues {
  readonly journal?: string;
}

/** Opens the runs of the journal that `--journal` names, or of the default one. */
export function openRunsFor(context: CommandContext, { journal, ...values }: JournalValues): Runs {
  return new Runs({
    ...callerOptions(context),
    journal: journal === NO_JOURNAL ? false : journal,
    journalPassword: toPasswordSource(values),
  });
}

/** Suggests the runs of the default journal for shell completion. */
export async function suggestRuns(): Promise<Suggestion[]> {
  if (!await exists(defaultJournalPath())) return [];
  await using runs = new Runs({});
  return (await runs.list({ onDamage: () => {} })).map(({ id, name, state }) => ({
    word: id,
    about: `${name}, ${state}`,
  }));
}
