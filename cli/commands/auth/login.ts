import { authOptions, callerOptions } from "../../context.ts";
import { printRequest } from "../../render/print_result.ts";
import type { CommandContext } from "../command.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc auth login`. */
export const loginCommand: LocalCommand = localCommand({
  summary: "Exchange the client secret for a token and cache it",
  example: ["--profile test", "--dry-run"],
  seeAlso: ["auth diagnose --help", "help profiles"],
  dryRun: true,
  prefersView: true,
  async run(context) {
    if (context.globals.dryRun) return await printExchange(context);
    const { login } = await import("../../../lib/auth/commands.ts");
    await context.print(await login(authOptions(context)));
  },
});

async function printExchange(context: CommandContext): Promise<void> {
  const { renderExchange } = await import("../../../lib/client/request/dry_run.ts");
  const { readSettings } = await import("../../../lib/auth/settings.ts");
  printRequest(context, renderExchange(readSettings(callerOptions(context))));
}
