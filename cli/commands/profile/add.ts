import { PRESET_NAMES, PRESETS } from "../../../lib/auth/presets.ts";
import type { Arg, Flag } from "../command.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

const name = { name: "name", help: "Name of the profile", type: "string", optional: true } as const satisfies Arg;

const flags = {
  baseUrl: { help: "Address of the service, e.g. https://svc.example", type: "string", placeholder: "url" },
  clientId: { help: "Client ID", type: "string", placeholder: "id" },
  clientSecret: {
    help: "Where to read the client secret: @file, or - for standard input",
    type: "string",
    placeholder: "source",
  },
  clientSecretCommand: {
    help: "Command that prints the client secret, e.g. 'pass show svc/my-client'",
    type: "string",
    placeholder: "command",
    excludes: ["clientSecret", "secretStore"],
  },
  secretStore: {
    help: "Where to keep a secret that svc has read",
    type: "string",
    choices: ["file", "keyring"],
    placeholder: "store",
  },
  preset: {
    help: "Deployment whose paths are known",
    type: "string",
    choices: PRESET_NAMES,
    placeholder: "deployment",
  },
  appAlias: { help: "Alias of an application of the hosted deployment", type: "string", placeholder: "alias" },
  apiRoot: { help: "Path of the API", type: "string", placeholder: "path" },
  tokenPath: { help: "Path of the token endpoint", type: "string", placeholder: "path" },
  revocationPath: { help: "Path of the revocation endpoint", type: "string", placeholder: "path" },
  allowInsecureHttp: { help: "Allow http to other machines, which sends the secret unencrypted", type: "boolean" },
  use: { help: "Make it the default profile", type: "boolean" },
  replace: { help: "Replace a profile of this name", type: "boolean" },
} as const satisfies Record<string, Flag>;

/** `svc profile add`. */
export const addProfileCommand: LocalCommand = localCommand({
  summary: "Add a profile: a service and the credentials of a client",
  details:
    "At a terminal, svc prompts for what the flags do not say. A secret that you type is not shown. It is kept in " +
    "the configuration file or in the keyring of the system. The presets are: " +
    `${PRESET_NAMES.map((preset) => `${preset} (${PRESETS[preset].about})`).join(", ")}.`,
  args: [name],
  flags,
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
