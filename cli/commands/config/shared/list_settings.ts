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
  const directory = getConfigDirectory();
  return USER_SETTING_NAMES.map((setting) => {
    const { meaning, variable, default: fallback } = USER_SETTINGS[setting];
    const value = readUserSetting(setting, directory, printWarnings(context)) ?? null;
    return { setting, value, default: fallback, meaning, variable };
  });
}
