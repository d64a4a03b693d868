import { authOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc auth status`. */
export const authStatusCommand: LocalCommand = localCommand({
  summary: "Show the profile, its server and when the cached token expires",
  reads: true,
  example: ["", "--profile test --format table"],
  seeAlso: ["help profiles"],
  prefersView: true,
  async run(context) {
    const { status } = await import("../../../lib/auth/commands.ts");
    await context.print(await status(authOptions(context)));
  },
});
