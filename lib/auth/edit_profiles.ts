/** Lists, adds, selects and removes profiles. No result contains a secret. */
import type { Warn } from "../client/callback.ts";
import { SvcError } from "../errors.ts";
import { isJsonObject, isString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { compareForPeople } from "../../utils/text/collator.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { createLookUpCommand } from "./keyring.ts";
import { DEFAULT_PROFILE } from "./default_profile.ts";
import {
  changeConfig,
  checkProfile,
  checkProfileName,
  type Config,
  findDefaultProfile,
  findOwn,
  findProfile,
  findProfileProblem,
  getConfigFile,
  getDefaultProfile,
  isProfileMember,
  type Profile,
  readConfig,
  trimMembers,
} from "./profiles.ts";
import type { SupportedFeatures } from "./supported_features.ts";

/** A profile in a list. */
export type ListedProfile = {
  /** Name. */
  profile: string;
  /** True if it is the default profile. */
  default: boolean;
  /** Address of the service. */
  baseUrl?: string;
  /** Client ID. */
  clientId?: string;
  /** Reason why the profile cannot be used. */
  problem?: string;
};

/** A profile without its secret. */
export type ShownProfile = ListedProfile & {
  /** Description of the place of the secret. */
  secret: string;
  /** Configuration file. */
  file: string;
};

/** Lists all profiles by name. */
export function listProfiles(directory: string, warn: Warn): ListedProfile[] {
  const config = readConfig(getConfigFile(directory), warn);
  const selected = getDefaultProfile(config);
  return Object.entries(config.profiles).sort(([a], [b]) => compareForPeople(a, b)).map(([name, value]) => {
    const trimmed = trimMembers(value);
    const problem = findProfileProblem(trimmed, name);
    const { baseUrl, clientId }: JsonObject = isJsonObject(trimmed) ? trimmed : {};
    return {
      profile: name,
      default: name === selected,
      ...(typeof baseUrl === "string" && { baseUrl }),
      ...(typeof clientId === "string" && { clientId }),
      ...(problem !== undefined && { problem }),
    };
  });
}

/** Describes a profile, without its secret. Members that svc does not know are omitted, because they may be secret. */
export function showProfile(name: string, directory: string, warn: Warn): ShownProfile {
  const profile = requireProfile(name, directory, warn);
  const { clientSecret: _secret, clientSecretCommand: _command, ...members } = Object.fromEntries(
    Object.entries(profile).filter(([member]) => isProfileMember(member)),
  );
  return {
    profile: name,
    default: name === findDefaultProfile(directory),
    ...members,
    secret: describeSecret(profile),
    file: getConfigFile(directory),
  };
}

function describeSecret(profile: Profile): string {
  const { clientSecret, clientSecretCommand } = profile;
  if (clientSecret !== undefined) return "in the configuration file";
  if (clientSecretCommand === undefined) return "missing";
  return isInKeyring(profile) ? "in the keyring" : `printed by ${clientSecretCommand[0]}`; // The arguments may be secret.
}

/** Reports whether the keyring keeps the secret of a profile. */
export function isInKeyring({ baseUrl, clientId, clientSecretCommand }: Profile): boolean {
  if (baseUrl === undefined || clientId === undefined || clientSecretCommand === undefined) return false;
  return JSON.stringify(createLookUpCommand({ baseUrl, clientId })) === JSON.stringify(clientSecretCommand);
}

/** Options of a new profile. */
export interface AddOptions {
  /** Replaces an existing profile. */
  readonly replace: boolean;
  /** Makes it the default profile. */
  readonly use: boolean;
}

/** Writes a new profile. It becomes the default profile if there is no usable one. */
export async function addProfile(
  name: string,
  profile: Profile,
  directory: string,
  { replace, use }: AddOptions,
): Promise<void> {
  checkProfile(profile, `profiles.${name}`);
  await changeConfig(directory, (config) => {
    if (!replace) checkIsNew(name, config);
    const isDefaultMissing = findOwn(config.profiles, getDefaultProfile(config)) === undefined;
    const added = { ...config, profiles: { ...config.profiles, [name]: profile } };
    return use || isDefaultMissing ? withDefault(added, name) : added;
  });
}

/** Throws if the name is invalid or there is already a profile of that name. */
export function checkNewProfile(name: string, directory: string): void {
  checkProfileName(name);
  checkIsNew(name, readConfig(getConfigFile(directory), () => {}));
}

function checkIsNew(name: string, { profiles }: Config): void {
  if (findOwn(profiles, name) === undefined) return;
  throw new SvcError("INVALID_ARGS", `There is already a profile ${JSON.stringify(name)}.`, {
    hint: "Choose another name, or pass --replace to replace it.",
  });
}

/** Changes members of a profile. Another API may support other features, so those that were found are forgotten. */
export async function changeProfile(name: string, members: Profile, directory: string): Promise<void> {
  await changeConfig(directory, (config) => {
    checkExists(name, config, directory);
    const before = trimMembers(findOwn(config.profiles, name));
    checkProfile(before, `profiles.${name}`);
    const { supports, ...others } = before;
    const kept = members.apiRoot === undefined && supports !== undefined ? { supports } : {};
    return { ...config, profiles: { ...config.profiles, [name]: { ...others, ...kept, ...members } } };
  });
}

/** Makes a profile the default one. */
export async function useProfile(name: string, directory: string): Promise<void> {
  requireProfile(name, directory, () => {});
  await changeConfig(directory, (config) => withDefault(config, name));
}

/** Stores the features of a service in a profile. Returns false if the profile is missing or names another service. */
export async function storeFeatures(
  name: string,
  baseUrl: string,
  supports: SupportedFeatures,
  directory: string,
): Promise<boolean> {
  const isOfService = (profile: JsonValue | undefined): profile is Profile =>
    isJsonObject(profile) && isString(profile.baseUrl) && new URL(profile.baseUrl).href === new URL(baseUrl).href;
  if (!isOfService(findOwn(readConfig(getConfigFile(directory), () => {}).profiles, name))) return false;
  await changeConfig(directory, (config) => {
    const profile = findOwn(config.profiles, name);
    if (!isOfService(profile)) return config;
    return { ...config, profiles: { ...config.profiles, [name]: { ...profile, supports } } };
  });
  return true;
}

/** Removes a profile. It may be invalid. */
export async function removeProfile(name: string, directory: string): Promise<void> {
  await changeConfig(directory, (config) => {
    checkExists(name, config, directory);
    const { [name]: _, ...profiles } = config.profiles;
    const removed = { ...config, profiles };
    return getDefaultProfile(config) === name ? withDefault(removed, DEFAULT_PROFILE) : removed;
  });
}

/** Finds a profile by name. Throws if it does not exist, or is invalid. */
function requireProfile(name: string, directory: string, warn: Warn): Profile {
  const profile = findProfile(name, directory, warn);
  if (profile !== undefined) return profile;
  throw createUnknownProfileError(
    name,
    Object.keys(readConfig(getConfigFile(directory), () => {}).profiles),
    directory,
  );
}

/** Throws if a profile does not exist. */
function checkExists(name: string, { profiles }: Config, directory: string): void {
  if (findOwn(profiles, name) === undefined) throw createUnknownProfileError(name, Object.keys(profiles), directory);
}

function createUnknownProfileError(name: string, names: readonly string[], directory: string): SvcError {
  const suggestion = didYouMean(name, names, (one) => JSON.stringify(one));
  return new SvcError("INVALID_ARGS", `There is no profile ${JSON.stringify(name)} in ${getConfigFile(directory)}.`, {
    hint: { text: suggestion.trim(), commands: [{ args: ["profile", "list"], purpose: "to see the profiles" }] },
  });
}

function withDefault({ defaultProfile: _, profiles, ...members }: Config, name: string): Config {
  return name === DEFAULT_PROFILE ? { ...members, profiles } : { ...members, defaultProfile: name, profiles };
}
