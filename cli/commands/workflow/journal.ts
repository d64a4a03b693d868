/** Where the journal of a command of `svc workflow` is, and who works on a run of it. */
import type { Journal } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { getConfigDirectory } from "../../../lib/auth/config.ts";
import { SvcError } from "../../../lib/errors.ts";
import { exists } from "../../../utils/fs/exists.ts";
import { delay } from "../../../utils/async/delay.ts";
import type { CommandContext } from "../command.ts";
import { printWarnings } from "../../context.ts";

/** How often, and after how many milliseconds, it is looked whether a run can be claimed. */
const CLAIM_LOOKS = 8;
const CLAIM_PAUSE = 25;

/** The word that keeps no journal. */
export const NO_JOURNAL = "none";

/** Opens the journal: the one that was named, or the one beside the profiles. */
export async function journalAt(path: string | undefined, context?: CommandContext): Promise<Journal> {
  const warn = context && printWarnings(context);
  if (path !== undefined) return await openJournal(path, { warn });
  return await openJournal(defaultJournal(), { makeFolder: true, warn });
}

/** Path of the journal beside the profiles. */
export function defaultJournal(): string {
  return `${getConfigDirectory()}/workflows.db`;
}

/** Opens the journal for a command that only makes sense where there is one. */
export async function existingJournal(path: string | undefined, context?: CommandContext): Promise<Journal> {
  const isThere = path === undefined || (path !== NO_JOURNAL && await mayExist(path));
  if (isThere) return await journalAt(path, context);
  throw new SvcError("INVALID_ARGS", `There is no journal ${path}.`, {
    hint: "Name the file that the run was begun with, or leave out --journal.",
  });
}

/** Whether a journal is there, or that cannot be told: opening it will say why. */
async function mayExist(path: string): Promise<boolean> {
  return await exists(path).catch((error) => {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return true;
  });
}

/** Claims a run; nothing where another process works on it. */
export async function claim(journal: Journal, id: string): Promise<AsyncDisposable | undefined> {
  for (let look = 0; look < CLAIM_LOOKS; look++) {
    const claimed = await journal.claimRun(id);
    if (claimed !== undefined) return claimed;
    await delay(CLAIM_PAUSE); // 'svc workflow list' holds a claim for a moment to see whether it can be had.
  }
  return undefined;
}
