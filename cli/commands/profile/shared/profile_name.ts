/** The profile that a command works on. */
import type { Arg } from "../../command.ts";

/** The name of an existing profile. */
export const profileName = {
  name: "name",
  help: "Name of the profile",
  type: "string",
  async suggest() {
    const { suggestProfiles } = await import("./suggest_profiles.ts");
    return suggestProfiles();
  },
} as const satisfies Arg;

/** The name of an existing profile. Default: the one that other commands use. */
export const optionalProfileName = {
  ...profileName,
  help: "Name of the profile (default: the one that commands use)",
  optional: true,
} as const satisfies Arg;
