import { readVariableIfAllowed } from "../../../../lib/auth/environment.ts";
import { findProfile, getConfigDirectory } from "../../../../lib/auth/profiles.ts";
import { getProfileName } from "../../../../lib/auth/settings.ts";
import {
  readUserSetting,
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
} from "../../../../lib/auth/user_settings.ts";
import type { CommandContext } from "../../command.ts";
import { printWarnings } from "../../../context.ts";

/** A setting with its value. */
export type ListedSetting = {
  /** Name. */
  setting: UserSettingName;
  /** Value in the configuration file; null if it is not set. */
  value: string | null;
  /** Value that commands use without a flag. */
  used: string;
  /** Origin of the used value: an environment variable, a profile, `config` or `default`. */
  source: string;
  /** Value that is used if it is not set. */
  default: string;
  /** Meaning. */
  meaning: string;
  /** Environment variable that overrides the setting. */
  variable: string;
};

/** Lists the settings with their values. */
export function listSettings(context: CommandContext): ListedSetting[] {
  return USER_SETTING_NAMES.map((setting) => readListedSetting(context, setting));
}

/** Reads a setting with its value. */
export function readListedSetting(context: CommandContext, setting: UserSettingName): ListedSetting {
  const { meaning, variable, profileMember, default: fallback } = USER_SETTINGS[setting];
  const directory = getConfigDirectory();
  const value = readUserSetting(setting, directory, printWarnings(context)) ?? null;
  const profile = getProfileName(context.globals);
  const own = profileMember && findProfile(profile, directory, () => {})?.[profileMember];
  const sources: readonly (readonly [source: string, value: unknown])[] = [
    [variable, readVariableIfAllowed(variable)],
    [`profile ${JSON.stringify(profile)}`, own],
    ["config", value],
    ["default", fallback],
  ];
  const [source = "default", used = fallback] = sources.find(([, one]) => one !== undefined && one !== null) ?? [];
  return { setting, value, used: String(used), source, default: fallback, meaning, variable };
}
