import { SvcError } from "../../lib/errors.ts";
import { delay } from "../../utils/async/abort.ts";
import type { Journal } from "../journal/journal.ts";
import { type RunReference, toRunCommand } from "./hints.ts";

/** A claim is attempted several times, because a process that looks for a claim holds its lock for a short time. */
const ATTEMPTS = 8;
const DELAY_MILLISECONDS = 25;

/** Tries to claim a run. Returns undefined if another process works on it. */
export async function tryClaimRun(journal: Journal, id: string): Promise<AsyncDisposable | undefined> {
  return await tryClaim(() => journal.claimRun(id));
}

/** Tries to get a claim. Returns undefined if another process has it. */
export async function tryClaim(
  getClaim: () => Promise<AsyncDisposable | undefined>,
): Promise<AsyncDisposable | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const claim = await getClaim();
    if (claim !== undefined) return claim;
    await delay(DELAY_MILLISECONDS);
  }
  return undefined;
}

/** Claims a run to work on it. Throws if another process works on it. */
export async function claimRun(journal: Journal, run: RunReference): Promise<AsyncDisposable> {
  const claim = await tryClaimRun(journal, run.id);
  if (claim !== undefined) return claim;
  const commands = [
    toRunCommand("show", run, "to see its progress"),
    toRunCommand("cancel", run, "to cancel it"),
  ];
  throw new SvcError("INVALID_ARGS", `Another process is working on run ${run.id}.`, { hint: { commands } });
}
