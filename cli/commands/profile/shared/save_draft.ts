import { addProfile, type ShownProfile, showProfile } from "../../../../lib/auth/edit_profiles.ts";
import { storeSecret } from "../../../../lib/auth/keyring.ts";
import { applyPreset } from "../../../../lib/auth/presets.ts";
import type { Profile } from "../../../../lib/auth/profiles.ts";
import { printWarnings } from "../../../context.ts";
import { buildInstallCommand, isPermitted, type NeededPermission } from "../../../permissions/install_command.ts";
import type { CommandContext } from "../../command.ts";
import { parseCommand } from "./check_flags.ts";
import { pickCallFlags, type ProfileDraft } from "./profile_flags.ts";

/** Stores the secret and writes the profile. Warns if svc lacks a permission that the profile needs. */
export async function saveDraft(
  context: CommandContext,
  draft: ProfileDraft,
  directory: string,
): Promise<ShownProfile> {
  const profile = await createProfile(draft);
  await addProfile(draft.name, profile, directory, { replace: draft.replace === true, use: draft.use === true });
  const missing = listNeeds(profile).filter((needed) => !isPermitted(needed));
  if (missing.length > 0) printWarnings(context)(describeMissing(missing));
  return showProfile(draft.name, directory, () => {});
}

async function createProfile(draft: ProfileDraft): Promise<Profile> {
  const { preset = "standard", appAlias, clientId, secret, clientSecretCommand } = draft;
  const { allowInsecureHttp, format } = draft;
  const paths = applyPreset(preset, draft.baseUrl, appAlias);
  const { baseUrl = draft.baseUrl } = paths;
  const members = {
    ...paths,
    ...pickCallFlags(draft),
    ...(allowInsecureHttp && { allowInsecureHttp }),
    ...(format !== undefined && { format }),
    clientId,
  };
  if (secret === undefined) return { ...members, clientSecretCommand: parseCommand(clientSecretCommand ?? "") };
  if (draft.secretStore !== "keyring") return { ...members, clientSecret: secret };
  return { ...members, clientSecretCommand: await storeSecret({ baseUrl, clientId }, secret) };
}

function describeMissing(missing: readonly NeededPermission[]): string {
  const actions = missing.map(({ name, value }) => `${name === "net" ? "connect to" : "run"} ${value}`);
  const command = buildInstallCommand(missing) ??
    `Start svc with ${missing.map(({ name, value }) => `--allow-${name}=${value}`).join(" ")}`;
  return `svc has no permission to ${actions.join(" and ")} yet. Add it: ${command}`;
}

/** Lists the permissions that calls with a profile need. */
function listNeeds({ baseUrl = "", clientSecretCommand }: Profile): NeededPermission[] {
  const host: NeededPermission = { name: "net", value: new URL(baseUrl).hostname };
  const { port } = new URL(baseUrl);
  const isReachable = port !== "" && isPermitted({ name: "net", value: `${host.value}:${port}` });
  return [
    ...(isReachable ? [] : [host]),
    ...(clientSecretCommand?.slice(0, 1).map((value): NeededPermission => ({ name: "run", value })) ?? []),
  ];
}
