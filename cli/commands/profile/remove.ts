import { authOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { profileName } from "./shared/profile_name.ts";

/** `svc profile remove`. */
export const removeProfileCommand: LocalCommand = localCommand({
  summary: "Remove a profile, with its token and its secret in the keyring",
  details: "If the profile has a revocationPath, its cached token is revoked first.",
  args: [{ ...profileName, required: true }],
  example: "lab",
  seeAlso: ["auth logout --help", "service remove-client --help"],
  prefersView: true,
  async run(context, { name }) {
    const { forgetProfile } = await import("../../../lib/auth/forget_profile.ts");
    await context.print(await forgetProfile({ ...authOptions(context), profile: name }));
  },
});
