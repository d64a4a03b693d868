import { getProfileName } from "../../lib/auth/settings.ts";
import { readVariableIfAllowed } from "../../lib/auth/environment.ts";
import { findConfigDirectory, findProfile } from "../../lib/auth/profiles.ts";
import { readUserSetting, USER_SETTINGS } from "../../lib/auth/user_settings.ts";
import { SvcError } from "../../lib/errors.ts";
import { type Format, FORMATS } from "../../lib/output/format.ts";

/**
 * Returns the format that the user has chosen for terminals: in the environment, in the profile, or as a setting. A profile
 * or a setting that cannot be read chooses none: the command reports the problem if it needs the profile.
 */
export function readChosenFormat(profile: string | undefined): Format | undefined {
  const { variable } = USER_SETTINGS.format;
  const chosen = readVariableIfAllowed(variable);
  if (chosen === undefined) return readFormat(profile);
  const format = findFormat(chosen);
  if (format !== undefined) return format;
  throw new SvcError(
    "INVALID_CONFIG",
    `${variable} must be one of ${FORMATS.join(", ")}, not ${JSON.stringify(chosen)}.`,
  );
}

function readFormat(profile: string | undefined): Format | undefined {
  const directory = findConfigDirectory();
  if (directory === undefined) return undefined;
  try {
    const own = findProfile(getProfileName({ profile }), directory, () => {})?.format;
    return findFormat(own ?? readUserSetting("format", directory, () => {}));
  } catch (error) {
    if (error instanceof SvcError || error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

function findFormat(text: unknown): Format | undefined {
  return FORMATS.find((format) => format === text);
}
