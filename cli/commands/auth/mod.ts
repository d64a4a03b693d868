import type { LocalGroup } from "../local_command.ts";
import { diagnose } from "./diagnose.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { ping } from "./ping.ts";
import { status } from "./status.ts";

/** The commands of `svc auth`, in the order of the help. */
export const commands: LocalGroup = { login, logout, status, ping, diagnose };
