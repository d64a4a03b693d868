import type { LocalGroup } from "../local_command.ts";
import { getSettingCommand } from "./get.ts";
import { listSettingsCommand } from "./list.ts";
import { setSettingCommand } from "./set.ts";
import { unsetSettingCommand } from "./unset.ts";

/** The commands of `svc config`, in the order of the help. */
export const commands: LocalGroup = {
  set: setSettingCommand,
  get: getSettingCommand,
  list: listSettingsCommand,
  unset: unsetSettingCommand,
};
