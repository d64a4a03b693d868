import { DEFAULT_PROFILE } from "../../../../lib/auth/default_profile.ts";
import { getConfigDirectory } from "../../../../lib/auth/profiles.ts";
import { readHiddenText } from "../../../args/payload.ts";
import { trimLineEnds } from "../../../../utils/text/line_ends.ts";
import { canPrompt } from "../../../context.ts";
import type { CommandContext } from "../../command.ts";
import { checkFlags, checkName, invalid, listMissing } from "./check_flags.ts";
import type { ProfileDraft, ProfileFlags } from "./profile_flags.ts";
import { saveDraft } from "./save_draft.ts";

/** Adds the profile that the flags describe. At a terminal, prompts for what they do not say. */
export async function addProfileFromFlags(
  context: CommandContext,
  { name, ...given }: ProfileFlags & { readonly name?: string },
): Promise<void> {
  const flags = trimFlags(given);
  const directory = getConfigDirectory();
  checkFlags(flags);
  const chosen = name ?? context.globals.profile;
  if (chosen !== undefined) checkName(chosen, flags, directory);
  const missing = listMissing(flags);
  if (missing.length === 0) {
    const draft = await createDraft(context, chosen ?? DEFAULT_PROFILE, flags, directory);
    return await context.print(await saveDraft(context, draft, directory));
  }
  if (!canPrompt(context.io)) {
    throw invalid(
      `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} required.`,
      "At a terminal, svc prompts.",
    );
  }
  const { askForProfile } = await import("./ask_for_profile.ts");
  await askForProfile(context, chosen, flags, directory);
}

/** Removes line ends that a command substitution or a file has left. */
function trimFlags(flags: ProfileFlags): ProfileFlags {
  const { baseUrl, clientId } = flags;
  return {
    ...flags,
    ...(baseUrl !== undefined && { baseUrl: trimLineEnds(baseUrl) }),
    ...(clientId !== undefined && { clientId: trimLineEnds(clientId) }),
  };
}

async function createDraft(
  { io }: CommandContext,
  name: string,
  flags: ProfileFlags,
  directory: string,
): Promise<ProfileDraft> {
  checkName(name, flags, directory);
  const { baseUrl = "", clientId = "", clientSecret } = flags;
  const secret = clientSecret === undefined ? undefined : await readHiddenText("--client-secret", clientSecret, io);
  return { ...flags, name, baseUrl, clientId, secret };
}
