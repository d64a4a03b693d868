import { type LocalCommand, localCommand } from "../local_command.ts";
import { settingName } from "./shared/setting_name.ts";

/** `svc config get`. */
export const getSettingCommand: LocalCommand = localCommand({
  summary: "Show a setting",
  args: [settingName],
  reads: true,
  example: ["format", "format --fields value"],
  seeAlso: ["config set --help"],
  prefersView: true,
  async run(context, { setting }) {
    const { readListedSetting } = await import("./shared/list_settings.ts");
    await context.print(readListedSetting(context, setting));
  },
});
