import { USER_SETTING_NAMES } from "../../../../lib/auth/user_settings.ts";
import type { Arg } from "../../command.ts";

/** The argument that names a setting. */
export const settingName = {
  name: "setting",
  help: "Name of the setting",
  type: "string",
  choices: USER_SETTING_NAMES,
  required: true,
} as const satisfies Arg;
