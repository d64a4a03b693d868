/** The settings of a user, which `svc config` changes. They are members of the configuration file. */
import type { Warn } from "../client/callback.ts";
import { SvcError } from "../errors.ts";
import { FORMATS } from "../output/format.ts";
import { isScalar, type JsonValue } from "../../utils/json.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { CALL_SETTINGS, type CallSetting, type CallSettingName, parseSetting } from "./call_settings.ts";
import { DEFAULT_PROFILE } from "./default_profile.ts";
import type { EnvironmentVariable } from "./environment.ts";
import { changeConfig, findConfigDirectory, getConfigFile, type ProfileMember, readConfig } from "./profiles.ts";

/** A setting of a user. */
export interface UserSetting {
  /** Member of the configuration file. */
  readonly member: string;
  /** Member of a profile that overrides it. */
  readonly profileMember?: ProfileMember;
  /** Meaning, for the help. */
  readonly meaning: string;
  /** Environment variable that overrides it. */
  readonly variable: EnvironmentVariable;
  /** Values that it can have. Default: any that `parse` accepts. */
  readonly values?: readonly string[];
  /** Rule, as the end of the sentence "… must be". */
  readonly must: string;
  /** Description of the value that is used without the setting. */
  readonly default: string;
  /** Converts a text to the value for the configuration file. Returns undefined for an invalid one. */
  parse(text: string): JsonValue | undefined;
}

/** The names of the settings. Each is the name of a flag, except `pager`. */
export const USER_SETTING_NAMES = ["format", "profile", "timeout", "retries", "max-outage", "pager"] as const;

/** Name of a setting. */
export type UserSettingName = (typeof USER_SETTING_NAMES)[number];

function describeCallSetting(member: CallSettingName): UserSetting {
  const { meaning, variable, default: value, must, isValid }: CallSetting = CALL_SETTINGS[member];
  return {
    member,
    profileMember: member,
    meaning,
    variable,
    must,
    default: value,
    parse(text) {
      const number = parseSetting(text);
      return isValid(number) ? number : undefined;
    },
  };
}

/** The settings by name. */
export const USER_SETTINGS: Readonly<Record<UserSettingName, UserSetting>> = {
  format: {
    member: "format",
    profileMember: "format",
    meaning: "Output format at a terminal",
    variable: "SVC_FORMAT",
    values: FORMATS,
    must: `one of ${FORMATS.join(", ")}`,
    default: "json, or view if the help of the command says so",
    parse: (text) => FORMATS.find((format) => format === text),
  },
  profile: {
    member: "defaultProfile",
    meaning: "Profile to use",
    variable: "SVC_PROFILE",
    must: "the name of a profile",
    default: DEFAULT_PROFILE,
    parse: (text) => text,
  },
  timeout: describeCallSetting("timeoutSeconds"),
  retries: describeCallSetting("retries"),
  "max-outage": describeCallSetting("maxOutageSeconds"),
  pager: {
    member: "pager",
    meaning: "Pager for results longer than the screen. cat turns it off",
    variable: "SVC_PAGER",
    must: "a command on one line",
    default: "PAGER",
    parse: (text) => /^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(text) ? text : undefined,
  },
};

/** Returns the value of a setting as the file contains it, if it is valid. */
export function readUserSetting(name: UserSettingName, directory: string, warn: Warn): string | undefined {
  const { member, parse } = USER_SETTINGS[name];
  const value = readConfig(getConfigFile(directory), warn)[member];
  return isScalar(value) && parse(String(value)) !== undefined ? String(value) : undefined;
}

/** Returns the value of a setting, or undefined if the configuration cannot be read: commands that need it say why. */
export function findUserSetting(name: UserSettingName): string | undefined {
  try {
    const directory = findConfigDirectory();
    return directory === undefined ? undefined : readUserSetting(name, directory, () => {});
  } catch (error) {
    if (error instanceof SvcError || error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** Writes a setting; undefined removes it. Throws `INVALID_ARGS` for an invalid value. */
export async function writeUserSetting(
  name: UserSettingName,
  text: string | undefined,
  directory: string,
): Promise<void> {
  const { member, parse, values = [], must } = USER_SETTINGS[name];
  const value = text === undefined ? undefined : parse(text);
  if (text !== undefined && value === undefined) {
    throw new SvcError("INVALID_ARGS", `${name} must be ${must}, not ${JSON.stringify(text)}.`, {
      hint: didYouMean(text, values, (one) => `'${one}'`).trimEnd() || undefined,
    });
  }
  if (name === "profile") {
    const { useProfile } = await import("./edit_profiles.ts");
    return await useProfile(text ?? DEFAULT_PROFILE, directory);
  }
  await changeConfig(
    directory,
    ({ [member]: _, profiles, ...config }) => ({
      ...config,
      profiles,
      ...(value !== undefined && { [member]: value }),
    }),
  );
}
