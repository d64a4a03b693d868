/** The commands of `svc auth`. */
import type { AuthOptions } from "../../lib/auth/commands.ts";
import type { DiagnosisResult } from "../../lib/auth/diagnose.ts";
import { SvcError } from "../../lib/errors.ts";
import { type LocalCommand, localCommand, type LocalGroup } from "./local_command.ts";
import type { CommandContext } from "./command.ts";
import { printRequest, printResult } from "../render/print_result.ts";
import { callerOptions } from "../service_access.ts";

/** The commands by name. */
export const commands: LocalGroup = {
  login: authCommand("Exchange the client secret for a token and cache it", "--profile test", "login", showExchange),
  logout: authCommand("Forget the cached token", "--profile test", "logout"),
  status: authCommand("Show the profile, its server and when the cached token ends", "", "status"),
  ping: authCommand("Make one cheap call and show its time", "--fields milliseconds", "ping", showCall),
  diagnose: localCommand({
    summary: "Test each layer of a connection: configuration, DNS, TCP, TLS, token, API",
    example: "--fields steps --format table",
    async run(context) {
      const { diagnose } = await import("../../lib/auth/diagnose.ts");
      const diagnosis = await diagnose(authOptions(context));
      await printResult(context, diagnosis, failureOf(diagnosis));
    },
  }),
};

/** A command of one step; `show` prints its request, where it makes one. */
function authCommand(
  summary: string,
  example: string,
  name: "login" | "logout" | "status" | "ping",
  show?: (context: CommandContext) => Promise<void>,
): LocalCommand {
  return localCommand({
    summary,
    example,
    dryRun: show && true,
    async run(context) {
      if (show && context.globals.dryRun) return await show(context);
      const auth = await import("../../lib/auth/commands.ts");
      await context.print(await auth[name](authOptions(context)));
    },
  });
}

async function showExchange(context: CommandContext): Promise<void> {
  const { renderExchange } = await import("../../lib/client/dry_run.ts");
  const { readSettings } = await import("../../lib/auth/settings.ts");
  printRequest(context, renderExchange(readSettings(callerOptions(context))));
}

async function showCall(context: CommandContext): Promise<void> {
  const { renderDryRun } = await import("../../lib/client/dry_run.ts");
  const { readTarget } = await import("../../lib/auth/settings.ts");
  const { default: operations } = await import("../../lib/resources/case_types.ts");
  printRequest(context, renderDryRun(readTarget(callerOptions(context)), operations.list, {}));
}

function authOptions(context: CommandContext): AuthOptions {
  return { ...callerOptions(context), signal: context.signal };
}

function failureOf({ steps }: DiagnosisResult): SvcError | undefined {
  const failed = steps.find((step) => !step.ok);
  return failed && new SvcError(failed.code ?? "INTERNAL_ERROR", failed.result, { hint: failed.hint });
}
