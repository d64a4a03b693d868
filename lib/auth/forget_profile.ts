import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { type AuthOptions, logout } from "./commands.ts";
import { isInKeyring, removeProfile } from "./edit_profiles.ts";
import { clearSecret } from "./keyring.ts";
import { type Profile, readProfiles } from "./profiles.ts";
import { getProfileFile, PROFILE_FILES } from "./profile_files.ts";
import { createWarn, getProfileName, resolveConfigDirectory } from "./settings.ts";

/** Result of `forgetProfile`. */
export type ForgottenProfile = {
  /** Name of the profile. */
  profile: string;
  /** Always true. */
  removed: true;
  /** True if the service has revoked the cached token. */
  revoked: boolean;
};

/** Removes a profile with its cached token and its secret in the keyring. Warns if the token or the secret remains. */
export async function forgetProfile(options: AuthOptions): Promise<ForgottenProfile> {
  const name = getProfileName(options);
  const directory = resolveConfigDirectory(options);
  const { [name]: profile, ...others } = readProfiles(directory);
  const { revoked } = profile === undefined ? { revoked: false } : await logout(options);
  await removeProfile(name, directory);
  for (const file of PROFILE_FILES) await Deno.remove(getProfileFile(directory, file, name)).catch(ignoreMissing);
  if (profile !== undefined && isInKeyring(profile) && !Object.values(others).some(sharesSecret(profile))) {
    const { baseUrl = "", clientId = "" } = profile;
    const reason = await clearSecret({ baseUrl, clientId });
    if (reason !== undefined) createWarn(options)(`The secret stays in the keyring. ${reason}.`);
  }
  return { profile: name, removed: true, revoked };
}

function sharesSecret(profile: Profile): (other: Profile) => boolean {
  return (other) => isInKeyring(other) && other.baseUrl === profile.baseUrl && other.clientId === profile.clientId;
}
