import { printWarnings } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { profileName } from "./shared/profile_name.ts";

/** `svc profile use`. */
export const useProfileCommand: LocalCommand = localCommand({
  summary: "Make a profile the default one",
  details: "Commands then use it, unless --profile or SVC_PROFILE names another one.",
  args: [{ ...profileName, required: true }],
  example: "lab",
  seeAlso: ["profile list --help", "help environment"],
  prefersView: true,
  async run(context, { name }) {
    const { showProfile, useProfile } = await import("../../../lib/auth/edit_profiles.ts");
    const { readVariable } = await import("../../../lib/auth/environment.ts");
    const { getConfigDirectory } = await import("../../../lib/auth/profiles.ts");
    const directory = getConfigDirectory();
    await useProfile(name, directory);
    const variable = readVariable("SVC_PROFILE");
    if (variable !== undefined && variable !== name) {
      printWarnings(context)(`SVC_PROFILE names the profile ${variable}, which commands use until you unset it.`);
    }
    await context.print(showProfile(name, directory, () => {}));
  },
});
