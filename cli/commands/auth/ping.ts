import { authOptions, callerOptions } from "../../context.ts";
import { printRequest } from "../../render/print_result.ts";
import type { CommandContext } from "../command.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc auth ping`. */
export const pingCommand: LocalCommand = localCommand({
  summary: "Send one request and show how long it takes",
  reads: true,
  example: ["--fields milliseconds", "--verbose"],
  seeAlso: ["auth diagnose --help"],
  dryRun: true,
  prefersView: true,
  async run(context) {
    if (context.globals.dryRun) return await printCall(context);
    const { ping } = await import("../../../lib/auth/commands.ts");
    await context.print(await ping(authOptions(context)));
  },
});

async function printCall(context: CommandContext): Promise<void> {
  const { renderDryRun } = await import("../../../lib/client/request/dry_run.ts");
  const { readTarget } = await import("../../../lib/auth/settings.ts");
  const { default: operations } = await import("../../../lib/resources/case_types.ts");
  printRequest(context, renderDryRun(readTarget(callerOptions(context)), operations.list, {}));
}
