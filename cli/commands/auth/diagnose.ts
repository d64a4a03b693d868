import type { DiagnosisResult } from "../../../lib/auth/diagnose.ts";
import { SvcError } from "../../../lib/errors.ts";
import { authOptions } from "../../context.ts";
import { printResult } from "../../render/print_result.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc auth diagnose`. */
export const diagnoseCommand: LocalCommand = localCommand({
  summary: "Check each layer of a connection: configuration, DNS, TCP, TLS, token, API",
  example: ["--fields steps --format table", "--profile test"],
  seeAlso: ["help profiles", "help environment"],
  async run(context) {
    const { diagnose } = await import("../../../lib/auth/diagnose.ts");
    const diagnosis = await diagnose(authOptions(context));
    await printResult(context, diagnosis, findFailure(diagnosis));
  },
});

function findFailure({ steps }: DiagnosisResult): SvcError | undefined {
  const failed = steps.find((step) => !step.ok);
  return failed && new SvcError(failed.code ?? "INTERNAL_ERROR", failed.result, { hint: failed.hint });
}
