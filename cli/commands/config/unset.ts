import { type LocalCommand, localCommand } from "../local_command.ts";
import { settingName } from "./shared/setting_name.ts";

/** `svc config unset`. */
export const unsetSettingCommand: LocalCommand = localCommand({
  summary: "Remove a setting, so that its default is used",
  args: [settingName],
  example: "format",
  seeAlso: ["config list --help"],
  prefersView: true,
  async run(context, { setting }) {
    const { writeUserSetting } = await import("../../../lib/auth/user_settings.ts");
    const { getConfigDirectory } = await import("../../../lib/auth/profiles.ts");
    const { readListedSetting } = await import("./shared/list_settings.ts");
    await writeUserSetting(setting, undefined, getConfigDirectory());
    await context.print(readListedSetting(context, setting));
  },
});
