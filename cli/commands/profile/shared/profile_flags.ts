/** The flags of a new profile. */
import { CLIENT_AUTH_METHODS } from "../../../../lib/auth/client_auth.ts";
import { PRESET_NAMES } from "../../../../lib/auth/presets.ts";
import { RECORD_KEY_FORMS, TAG_MODES } from "../../../../lib/operation/request_style.ts";
import type { Format } from "../../../../lib/output/format.ts";
import type { Flag } from "../../command.ts";
import type { LocalValues } from "../../local_command.ts";

/** The flags that say how a service is called, by name. */
export const callFlags = {
  apiRoot: { help: "Path of the API", type: "string", placeholder: "path" },
  tokenPath: { help: "Path of the token endpoint", type: "string", placeholder: "path" },
  revocationPath: { help: "Path of the revocation endpoint", type: "string", placeholder: "path" },
  clientAuth: {
    help: "How the client authenticates: HTTP Basic with encoded or plain credentials, or in the body",
    type: "string",
    choices: CLIENT_AUTH_METHODS,
    placeholder: "method",
  },
  scope: { help: "Scopes of the token, separated by spaces", type: "string", placeholder: "scopes" },
  audience: { help: "Audience of the token", type: "string", placeholder: "audience" },
  tags: {
    help: "When to read entity tags: before each change, if the service demands one, or never",
    type: "string",
    choices: TAG_MODES,
    placeholder: "mode",
  },
  recordKeys: {
    help: "How to send the key of a deleted record: a query parameter per field, or dataViewParameters",
    type: "string",
    choices: RECORD_KEY_FORMS,
    placeholder: "form",
  },
} as const satisfies Record<string, Flag>;

/** The values of the flags that say how a service is called. */
export type CallFlags = Partial<LocalValues<readonly [], typeof callFlags>>;

/** Returns the given flags that say how a service is called. */
export function pickCallFlags(flags: CallFlags): CallFlags {
  const { apiRoot, tokenPath, revocationPath, clientAuth, scope, audience, tags, recordKeys } = flags;
  return {
    ...(apiRoot !== undefined && { apiRoot }),
    ...(tokenPath !== undefined && { tokenPath }),
    ...(revocationPath !== undefined && { revocationPath }),
    ...(clientAuth !== undefined && { clientAuth }),
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(tags !== undefined && { tags }),
    ...(recordKeys !== undefined && { recordKeys }),
  };
}

/** The flags by name. */
export const profileFlags = {
  baseUrl: { help: "Address of the service, e.g. https://svc.example", type: "string", placeholder: "url" },
  clientId: { help: "Client ID", type: "string", placeholder: "id" },
  clientSecret: {
    help: "Where to read the client secret: @file, or - for standard input",
    type: "string",
    placeholder: "source",
    values: "files",
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
  ...callFlags,
  allowInsecureHttp: { help: "Allow http to other machines, which sends the secret unencrypted", type: "boolean" },
  use: { help: "Make it the default profile", type: "boolean" },
  replace: { help: "Replace a profile of this name", type: "boolean" },
} as const satisfies Record<string, Flag>;

/** The values of the flags. */
export type ProfileFlags = Partial<LocalValues<readonly [], typeof profileFlags>>;

/** A complete new profile, whose secret is not stored yet. */
export interface ProfileDraft extends ProfileFlags {
  readonly name: string;
  readonly baseUrl: string;
  readonly clientId: string;
  /** Format of results at a terminal. */
  readonly format?: Format;
  /** The secret; undefined if a command prints it. */
  readonly secret?: string;
}
