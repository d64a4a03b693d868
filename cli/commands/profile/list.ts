import { printWarnings } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc profile list`. */
export const listProfilesCommand: LocalCommand = localCommand({
  summary: "List the profiles, and show which one is the default",
  reads: true,
  example: ["--format table", "--fields profile,baseUrl"],
  seeAlso: ["profile use --help", "help profiles"],
  prefersView: true,
  async run(context) {
    const { listProfiles } = await import("../../../lib/auth/edit_profiles.ts");
    const { getConfigDirectory } = await import("../../../lib/auth/profiles.ts");
    await context.print(listProfiles(getConfigDirectory(), printWarnings(context)));
  },
});
