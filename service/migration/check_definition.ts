/** Checks at startup that the application definition fits the stored data. */
import { SvcError } from "../../lib/errors.ts";
import type { Application } from "../application/model/application.ts";
import { type Store, StoreFull } from "../store/store.ts";
import { findMismatches, isVerified, markVerified } from "./mismatches.ts";

/** Maximum number of mismatches in an error. */
const MAX_DETAILS = 100;

/**
 * Checks that a definition fits the stored data, unless it was verified before. Throws `INVALID_CONFIG` with all
 * mismatches, unless they are accepted. A new store fits every definition.
 */
export async function checkDefinition(
  store: Store,
  app: Application,
  { isNew, accept }: { readonly isNew: boolean; readonly accept: boolean },
): Promise<void> {
  if (!isNew && await store.read((tx) => isVerified(tx, app))) return;
  const mismatches = isNew || accept ? [] : await store.read((tx) => findMismatches(tx, app, { onlyChanged: true }));
  if (mismatches.length === 0) return await recordVerification(store, app);
  const [first] = mismatches;
  const more = mismatches.length > 1 ? ` (and ${mismatches.length - 1} more)` : "";
  throw new SvcError("INVALID_CONFIG", `The definition does not fit the stored data: ${first?.message}${more}.`, {
    details: mismatches.slice(0, MAX_DETAILS).map(({ message }) => ({ message })),
    hint: "Correct the definition, map renamed parts with 'svc service migrate', or start with --accept-mismatch.",
  });
}

/** Records that a definition was verified. If the disk is full, the next start verifies it again. */
async function recordVerification(store: Store, app: Application): Promise<void> {
  try {
    await store.transact((tx) => markVerified(tx, app, new Date()));
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
  }
}
