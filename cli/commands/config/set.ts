import { SvcError } from "../../../lib/errors.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { settingName } from "./shared/setting_name.ts";

/** `svc config set`. */
export const setSettingCommand: LocalCommand = localCommand({
  summary: "Change a setting",
  details: "The format applies to terminals only: pipes and files get JSON unless --format says otherwise. --format, " +
    "SVC_FORMAT and the profile's format override it.",
  args: [settingName, { name: "value", help: "Value of the setting", type: "string", required: true }],
  example: "format view",
  seeAlso: ["config list --help", "help formatting"],
  prefersView: true,
  async run(context, { setting, value }) {
    const { USER_SETTINGS, writeUserSetting } = await import("../../../lib/auth/user_settings.ts");
    const { getConfigDirectory } = await import("../../../lib/auth/profiles.ts");
    const { readListedSetting } = await import("./shared/list_settings.ts");
    const { didYouMean } = await import("../../../utils/text/did_you_mean.ts");
    const { values } = USER_SETTINGS[setting];
    if (!values.some((one) => one === value)) {
      const message = `The setting ${setting} cannot be ${JSON.stringify(value)}.`;
      throw new SvcError("INVALID_ARGS", message, {
        hint: `${didYouMean(value, values, (one) => `'${one}'`)}The values are ${values.join(", ")}.`,
      });
    }
    await writeUserSetting(setting, value, getConfigDirectory());
    await context.print(readListedSetting(context, setting));
  },
});
