/** Profiles of local services. Each names its data directory, so that no other profile is replaced. */
import { findProfile, getConfigDirectory, type Profile, readProfiles, saveProfile } from "../../lib/auth/profiles.ts";
import { isDiskFull } from "../../utils/sqlite/database_errors.ts";
import { SvcError } from "../../lib/errors.ts";
import { getRevocationPath } from "../http/token.ts";
import type { ClientCredentials } from "../access/clients.ts";

/** Address of a service. */
export interface ServiceAddress {
  /** Base URL. */
  readonly url: string;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
}

/** Finds a profile by its name. */
export function findServiceProfile(name: string): Profile | undefined {
  return findProfile(name, getConfigDirectory(), () => {});
}

/** Checks that writing a profile replaces no profile of another service. Throws `INVALID_CONFIG` if it would. */
export function checkOwner(name: string, data: string): void {
  const profile = findServiceProfile(name);
  if (!profile || profile.service === data) return;
  const message = `The profile ${name} belongs to ${profile.baseUrl ?? "another service"} and is not replaced.`;
  throw new SvcError("INVALID_CONFIG", message, { hint: "Use another profile, e.g. --profile local." });
}

/** Writes the profile of a new client. */
export async function writeProfile(
  name: string,
  data: string,
  address: ServiceAddress,
  credentials: ClientCredentials,
): Promise<void> {
  await saveProfile(name, { ...buildAddress(address), ...credentials, service: data });
}

/** Lists the names of the profiles of a data directory. */
export function findProfiles(data: string): string[] {
  return listOwnProfiles(data).map(([name]) => name);
}

/**
 * Updates the address in the profiles of a data directory, which may have changed since the last start. Logs a warning if
 * the disk is full.
 */
export async function updateProfiles(
  data: string,
  address: ServiceAddress,
  log: (line: string) => void,
): Promise<void> {
  for (const [name, profile] of listOwnProfiles(data)) {
    const updated = { ...profile, ...buildAddress(address) };
    if (JSON.stringify(updated) === JSON.stringify(profile)) continue;
    await saveProfile(name, updated).catch((error) => {
      if (!isDiskFull(error)) throw error;
      log(
        `Warning: The disk is full, so the profile ${name} still has the old address. The service runs at ${address.url}.`,
      );
    });
  }
}

function listOwnProfiles(data: string): [string, Profile][] {
  return Object.entries(readProfiles()).filter(([, { service }]) => service === data);
}

function buildAddress({ url, apiRoot, tokenPath }: ServiceAddress): Profile {
  return { baseUrl: url, apiRoot, tokenPath, revocationPath: getRevocationPath(tokenPath) };
}
