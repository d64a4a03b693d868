import { authOptions } from "../../context.ts";
import { printResult } from "../../render/print_result.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc auth diagnose`. */
export const diagnoseCommand: LocalCommand = localCommand({
  summary: "Check each layer of a connection: configuration, DNS, TCP, TLS, token, API",
  example: ["--fields steps --format table", "--profile test"],
  seeAlso: ["profile test --help", "help profiles", "help environment"],
  async run(context) {
    const { diagnose } = await import("../../../lib/auth/diagnose.ts");
    const { findFailure } = await import("./shared/print_diagnosis.ts");
    const diagnosis = await diagnose(authOptions(context));
    await printResult(context, diagnosis, findFailure(diagnosis));
  },
});
