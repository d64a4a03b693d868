import type { LocalGroup } from "../local_command.ts";
import { diagnoseCommand } from "./diagnose.ts";
import { loginCommand } from "./login.ts";
import { logoutCommand } from "./logout.ts";
import { pingCommand } from "./ping.ts";
import { authStatusCommand } from "./status.ts";
import { whoamiCommand } from "./whoami.ts";

/** The commands of `svc auth`, in the order of the help. */
export const commands: LocalGroup = {
  login: loginCommand,
  logout: logoutCommand,
  status: authStatusCommand,
  whoami: whoamiCommand,
  ping: pingCommand,
  diagnose: diagnoseCommand,
};
