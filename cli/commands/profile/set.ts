import { printWarnings } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { callFlags } from "./shared/profile_flags.ts";
import { optionalProfileName } from "./shared/profile_name.ts";

/** `svc profile set`. */
export const setProfileCommand: LocalCommand = localCommand({
  summary: "Change how a profile calls its service",
  details: "What the flags do not name stays as it is.",
  args: [optionalProfileName],
  flags: callFlags,
  example: ["--tags first", "lab --tags never --record-keys json"],
  seeAlso: ["profile show --help", "profile test --help"],
  prefersView: true,
  async run(context, { name, ...flags }) {
    const { changeProfile, showProfile } = await import("../../../lib/auth/edit_profiles.ts");
    const { getConfigDirectory } = await import("../../../lib/auth/profiles.ts");
    const { getProfileName } = await import("../../../lib/auth/settings.ts");
    const { checkMembers, invalid } = await import("./shared/check_flags.ts");
    const { pickCallFlags } = await import("./shared/profile_flags.ts");
    const { toKebab } = await import("../../../lib/operation/operation.ts");
    const members = pickCallFlags(flags);
    if (Object.keys(members).length === 0) {
      const known = Object.keys(callFlags).map((flag) => `--${toKebab(flag)}`);
      throw invalid(`At least one of ${known.join(", ")} is required.`);
    }
    checkMembers(members);
    const selected = name ?? getProfileName({ profile: context.globals.profile });
    const directory = getConfigDirectory();
    await changeProfile(selected, members, directory);
    await context.print(showProfile(selected, directory, printWarnings(context)));
  },
});
