import type { LocalGroup } from "../local_command.ts";
import { addProfileCommand } from "./add.ts";
import { listProfilesCommand } from "./list.ts";
import { removeProfileCommand } from "./remove.ts";
import { setProfileCommand } from "./set.ts";
import { showProfileCommand } from "./show.ts";
import { testProfileCommand } from "./test.ts";
import { useProfileCommand } from "./use.ts";

/** The commands of `svc profile`, in the order of the help. */
export const commands: LocalGroup = {
  add: addProfileCommand,
  list: listProfilesCommand,
  use: useProfileCommand,
  set: setProfileCommand,
  show: showProfileCommand,
  test: testProfileCommand,
  remove: removeProfileCommand,
};
