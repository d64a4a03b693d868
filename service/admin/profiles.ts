/** Profiles of local services. Each names its data directory, so that no other profile is replaced. */
import { findProfile, getConfigDirectory, readProfiles, saveProfile } from "../../lib/auth/config.ts";
import type { Profile } from "../../lib/auth/profile.ts";
import { SvcError } from "../../lib/errors.ts";
import type { ClientCredentials } from "../access/clients.ts";

/** Address of a service. */
export interface ServiceAddress {
  /** Its address. */
  readonly url: string;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
}

/** The profile of a name, wherever it leads. */
export function profileNamed(name: string): Profile | undefined {
  return findProfile(name, getConfigDirectory(), () => {});
}

/** Refuses to write a profile that leads to anything but the service of a data directory. */
export function checkOwner(name: string, data: string): void {
  const profile = profileNamed(name);
  if (!profile || profile.service === data) return;
  throw new SvcError(
    "INVALID_CONFIG",
    `The profile ${name} leads to ${profile.baseUrl ?? "another service"}: it is not replaced.`,
    {
      hint: "Name another one, e.g. --profile local.",
    },
  );
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

/** Names of the profiles that lead to the service of a data directory. */
export function findProfiles(data: string): string[] {
  return owned(data).map(([name]) => name);
}

/** Corrects the address in them: a service may be elsewhere at its next start. */
export async function moveProfiles(data: string, address: ServiceAddress): Promise<void> {
  for (const [name, profile] of owned(data)) {
    const moved = { ...profile, ...buildAddress(address) };
    if (JSON.stringify(moved) !== JSON.stringify(profile)) await saveProfile(name, moved);
  }
}

function owned(data: string): [string, Profile][] {
  return Object.entries(readProfiles()).filter(([, { service }]) => service === data);
}

function buildAddress({ url, apiRoot, tokenPath }: ServiceAddress): Profile {
  return { baseUrl: url, apiRoot, tokenPath };
}
