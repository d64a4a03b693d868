import { authOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { optionalProfileName } from "./shared/profile_name.ts";

/** `svc profile test`. */
export const testProfileCommand: LocalCommand = localCommand({
  summary: "Check each layer of the connection of a profile",
  details:
    "As 'svc auth diagnose' does: configuration, DNS, TCP, TLS, token and API. At a terminal it prints a line for " +
    "each layer.",
  args: [optionalProfileName],
  example: ["", "lab --format json"],
  seeAlso: ["auth diagnose --help"],
  async run(context, { name }) {
    const { diagnose } = await import("../../../lib/auth/diagnose.ts");
    const { printDiagnosis } = await import("../auth/shared/print_diagnosis.ts");
    const options = authOptions(context);
    await printDiagnosis(context, await diagnose({ ...options, profile: name ?? options.profile }));
  },
});
