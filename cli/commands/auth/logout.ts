import { authOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc auth logout`. */
export const logoutCommand: LocalCommand = localCommand({
  summary: "Delete the cached token and revoke it",
  example: "--profile test",
  seeAlso: ["auth login --help", "help profiles"],
  prefersView: true,
  async run(context) {
    const { logout } = await import("../../../lib/auth/commands.ts");
    await context.print(await logout(authOptions(context)));
  },
});
