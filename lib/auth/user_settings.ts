/** The settings of a user, which `svc config` changes. They are members of the configuration file. */
import type { Warn } from "../client/callback.ts";
import { FORMATS } from "../output/format.ts";
import { isString } from "../../utils/json.ts";
import type { EnvironmentVariable } from "./environment.ts";
import { changeConfig, getConfigFile, readConfig } from "./profiles.ts";

/** A setting of a user. */
export interface UserSetting {
  /** Meaning, for the help. */
  readonly meaning: string;
  /** Environment variable that overrides it. */
  readonly variable: EnvironmentVariable;
  /** Values that it can have. */
  readonly values: readonly string[];
  /** Description of the value that is used without the setting. */
  readonly default: string;
}

/** The names of the settings. */
export const USER_SETTING_NAMES = ["format"] as const;

/** Name of a setting. */
export type UserSettingName = (typeof USER_SETTING_NAMES)[number];

/** The settings by name. */
export const USER_SETTINGS: Readonly<Record<UserSettingName, UserSetting>> = {
  format: {
    meaning: "Output format at a terminal",
    variable: "SVC_FORMAT",
    values: FORMATS,
    default: "json, or view if the help of the command says so",
  },
};

/** Returns the value of a setting as the file contains it, if it contains a text. */
export function readUserSetting(name: UserSettingName, directory: string, warn: Warn): string | undefined {
  const value = readConfig(getConfigFile(directory), warn)[name];
  return isString(value) ? value : undefined;
}

/** Writes a setting; undefined removes it. */
export async function writeUserSetting(
  name: UserSettingName,
  value: string | undefined,
  directory: string,
): Promise<void> {
  await changeConfig(
    directory,
    ({ [name]: _, ...config }) => value === undefined ? config : { ...config, [name]: value },
  );
}
