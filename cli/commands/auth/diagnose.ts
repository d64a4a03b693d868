import { authOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc auth diagnose`. */
export const diagnoseCommand: LocalCommand = localCommand({
  summary: "Check each layer of a connection: configuration, DNS, TCP, TLS, token, API",
  details: "At a terminal it prints a line for each layer.",
  reads: true,
  example: ["--fields steps --format table", "--profile test"],
  seeAlso: ["profile test --help", "help profiles", "help environment"],
  async run(context) {
    const { diagnose } = await import("../../../lib/auth/diagnose.ts");
    const { printDiagnosis } = await import("./shared/print_diagnosis.ts");
    await printDiagnosis(context, await diagnose(authOptions(context)));
  },
});
