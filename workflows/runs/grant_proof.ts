/** Reports whether the grants in a journal were given by this user on this machine. */
import { findConfigDirectory } from "../../lib/auth/profiles.ts";
import { createProof, isProofOf } from "../../lib/auth/local_key.ts";
import type { RunRecord } from "../journal/journal.ts";

/** The parts of a run that its grants depend on. */
type GrantedRun = Pick<RunRecord, "id" | "digest" | "settings">;

/**
 * Creates the proof of a run's grants. Returns undefined if there are no grants, or no key can be stored. Grants
 * without a proof are valid only in the default journal.
 */
export async function proveGrants(run: GrantedRun, directory = findConfigDirectory()): Promise<string | undefined> {
  if (directory === undefined || run.settings.grants.length === 0) return undefined;
  try {
    return await createProof(directory, describeGrants(run));
  } catch {
    return undefined;
  }
}

/** Reports whether the grants of a run were given by this user on this machine. */
export async function hasOwnGrants(run: GrantedRun, directory = findConfigDirectory()): Promise<boolean> {
  const { proof } = run.settings;
  return directory !== undefined && await isProofOf(directory, describeGrants(run), proof);
}

function describeGrants({ id, digest, settings: { script, root, grants } }: GrantedRun): string {
  return JSON.stringify(["grants", id, digest, script, root, grants]);
}
