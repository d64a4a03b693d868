import { authOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { optionalProfileName } from "./shared/profile_name.ts";

/** `svc profile test`. */
export const testProfileCommand: LocalCommand = localCommand({
  summary: "Check the connection of a profile, and what its service supports",
  details:
    "First checks each layer as 'svc auth diagnose' does: configuration, DNS, TCP, TLS, token and API. Then finds out " +
    "with reads what the service supports, and stores that in the profile for 30 days. Commands then do not try what " +
    "the service lacks. Nothing is changed in the service, and no case is locked.",
  args: [optionalProfileName],
  example: ["", "lab --format json"],
  seeAlso: ["auth diagnose --help", "support record --help"],
  async run(context, { name }) {
    const { diagnose } = await import("../../../lib/auth/diagnose.ts");
    const options = authOptions(context);
    const diagnosis = await diagnose({ ...options, profile: name ?? options.profile });
    if (diagnosis.ok) {
      const { reportFeatures } = await import("./shared/report_features.ts");
      return await reportFeatures(context, diagnosis);
    }
    const { printDiagnosis } = await import("../auth/shared/print_diagnosis.ts");
    await printDiagnosis(context, diagnosis);
  },
});
