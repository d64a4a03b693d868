import { PRESET_NAMES, PRESETS } from "../../../lib/auth/presets.ts";
import type { Arg } from "../command.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { profileFlags } from "./shared/profile_flags.ts";

const name = { name: "name", help: "Name of the profile", type: "string", optional: true } as const satisfies Arg;

/** `svc profile add`. */
export const addProfileCommand: LocalCommand = localCommand({
  summary: "Add a profile: a service and the credentials of a client",
  details:
    "At a terminal, svc prompts for what the flags do not say. A secret that you type is not shown. It is kept in " +
    "the configuration file or in the keyring of the system. The presets are: " +
    `${PRESET_NAMES.map((preset) => `${preset} (${PRESETS[preset].about})`).join(", ")}.`,
  args: [name],
  flags: profileFlags,
  example: [
    "",
    "lab --base-url https://svc.example --client-id my-client --client-secret @secret.txt",
    "lab --base-url https://svc.example --client-id my-client --client-secret-command 'pass show svc/my-client'",
    "prod --preset hosted --base-url https://host.example --client-id my-client --client-secret - --secret-store keyring",
  ],
  seeAlso: ["profile test --help", "help profiles"],
  prefersView: true,
  async run(context, values) {
    const { addProfileFromFlags } = await import("./shared/add_profile.ts");
    await addProfileFromFlags(context, values);
  },
});
