import { type LocalCommand, localCommand } from "../local_command.ts";
import { settingName } from "./shared/setting_name.ts";

/** `svc config set`. */
export const setSettingCommand: LocalCommand = localCommand({
  summary: "Change a setting",
  details: "Flags override environment variables, which override the profile, which overrides settings. " +
    "'svc config list' shows where each value comes from. The format applies to terminals only: pipes and files get " +
    "JSON unless --format says otherwise.",
  args: [settingName, { name: "value", help: "Value of the setting", type: "string", required: true }],
  example: ["format view", "retries 3", "pager 'less -FRX'"],
  seeAlso: ["config list --help", "help formatting"],
  prefersView: true,
  async run(context, { setting, value }) {
    const { writeUserSetting } = await import("../../../lib/auth/user_settings.ts");
    const { getConfigDirectory } = await import("../../../lib/auth/profiles.ts");
    const { readListedSetting } = await import("./shared/list_settings.ts");
    await writeUserSetting(setting, value, getConfigDirectory());
    await context.print(readListedSetting(context, setting));
  },
});
