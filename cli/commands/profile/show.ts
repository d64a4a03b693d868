import { printWarnings } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { optionalProfileName } from "./shared/profile_name.ts";

/** `svc profile show`. */
export const showProfileCommand: LocalCommand = localCommand({
  summary: "Show a profile, and where its secret is kept",
  details: "The secret itself is never printed.",
  args: [optionalProfileName],
  reads: true,
  example: ["", "lab --format yaml"],
  seeAlso: ["profile list --help", "auth status --help"],
  prefersView: true,
  async run(context, { name }) {
    const { showProfile } = await import("../../../lib/auth/edit_profiles.ts");
    const { getConfigDirectory } = await import("../../../lib/auth/profiles.ts");
    const { getProfileName } = await import("../../../lib/auth/settings.ts");
    const selected = name ?? getProfileName({ profile: context.globals.profile });
    await context.print(showProfile(selected, getConfigDirectory(), printWarnings(context)));
  },
});
