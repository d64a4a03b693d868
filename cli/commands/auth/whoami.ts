import { authOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc auth whoami`. */
export const whoamiCommand: LocalCommand = localCommand({
  summary: "Show the client, and the operator that it acts as",
  reads: true,
  example: ["", "--profile lab --fields operator,queues"],
  seeAlso: ["auth status --help", "profile show --help"],
  prefersView: true,
  async run(context) {
    const { whoami } = await import("../../../lib/auth/whoami.ts");
    await context.print(await whoami(authOptions(context)));
  },
});
