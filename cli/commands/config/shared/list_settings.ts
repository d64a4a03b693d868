import { getConfigDirectory } from "../../../../lib/auth/profiles.ts";
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
  /** Value; null if it is not set. */
  value: string | null;
  /** Value that is used if it is not set. */
  default: string;
  /** Meaning. */
  meaning: string;
  /** Environment variable that overrides the setting. */
  variable: string;
};

/** Lists the settings in the configuration file. */
export function listSettings(context: CommandContext): ListedSetting[] {
  return USER_SETTING_NAMES.map((setting) => readListedSetting(context, setting));
}

/** Reads a setting in the configuration file. */
export function readListedSetting(context: CommandContext, setting: UserSettingName): ListedSetting {
  const { meaning, variable, default: fallback } = USER_SETTINGS[setting];
  const value = readUserSetting(setting, getConfigDirectory(), printWarnings(context)) ?? null;
  return { setting, value, default: fallback, meaning, variable };
}
