/** Prompts for a new profile. */
import { diagnose } from "../../../../lib/auth/diagnose.ts";
import { checkNewProfile, listProfiles } from "../../../../lib/auth/edit_profiles.ts";
import { getKeyringProgram, hasKeyring } from "../../../../lib/auth/keyring.ts";
import { PRESET_NAMES, type PresetName, PRESETS } from "../../../../lib/auth/presets.ts";
import { DEFAULT_PROFILE } from "../../../../lib/auth/default_profile.ts";
import { checkProfileName, findMemberProblem, isSecureUrl } from "../../../../lib/auth/profiles.ts";
import { readUserSetting } from "../../../../lib/auth/user_settings.ts";
import { getErrorMessage, SvcError } from "../../../../lib/errors.ts";
import type { Format } from "../../../../lib/output/format.ts";
import { shellQuote } from "../../../../utils/text/shell_quote.ts";
import { readHiddenText } from "../../../args/payload.ts";
import { parseChoice } from "../../../args/read_values.ts";
import { authOptions } from "../../../context.ts";
import type { Io } from "../../../io/io.ts";
import { openPrompts } from "../../../prompts/open_prompts.ts";
import type { Prompts } from "../../../prompts/prompts.ts";
import { findFailure, formatDiagnosis } from "../../auth/shared/print_diagnosis.ts";
import type { CommandContext } from "../../command.ts";
import { parseCommand } from "./check_flags.ts";
import type { ProfileDraft, ProfileFlags } from "./profile_flags.ts";
import { saveDraft } from "./save_draft.ts";

/** Prompts for what the flags do not say, and adds the profile. Tests it if the user wants that. */
export async function askForProfile(
  context: CommandContext,
  given: string | undefined,
  flags: ProfileFlags,
  directory: string,
): Promise<void> {
  const prompts = await openPrompts(context.io);
  const draft = await askForDraft(context, prompts, given, flags, directory);
  const isFirst = listProfiles(directory, () => {}).length === 0;
  const use = draft.use ?? (!isFirst && await prompts.confirm("Make it the default profile?", false));
  const format = await askForFormat(prompts, directory);
  const shown = await saveDraft(context, { ...draft, use, format }, directory);
  const { globals, io: { stdout, stderr } } = context;
  if (globals.isDataRequested || !stdout.isTerminal()) await context.print(shown);
  const option = shown.default ? "" : ` --profile ${shellQuote(draft.name)}`;
  context.note(`Added the profile ${draft.name}. Try it: svc case-types list${option}`);
  if (!await prompts.confirm("Test the connection now?")) return;
  const diagnosis = await diagnose({ ...authOptions(context), profile: draft.name });
  stderr.write(formatDiagnosis(diagnosis, stderr.columns()));
  const failure = findFailure(diagnosis);
  if (failure !== undefined) throw failure;
}

async function askForDraft(
  { io }: CommandContext,
  prompts: Prompts,
  given: string | undefined,
  flags: ProfileFlags,
  directory: string,
): Promise<ProfileDraft> {
  const name = given ?? await askForName(prompts, flags, directory);
  const preset = flags.preset ?? await askForPreset(prompts, flags);
  const baseUrl = flags.baseUrl ??
    await prompts.text("Address of the service, e.g. https://svc.example", (text) => findUrlProblem(text));
  const allowInsecureHttp = flags.allowInsecureHttp ?? await askForInsecureHttp(prompts, baseUrl);
  const clientId = flags.clientId ?? await prompts.text("Client ID", (text) => findProblem("clientId", text));
  return { ...flags, name, preset, baseUrl, allowInsecureHttp, clientId, ...await askForSecret(prompts, flags, io) };
}

async function askForName(prompts: Prompts, { replace }: ProfileFlags, directory: string): Promise<string> {
  const findNameProblem = (text: string) => {
    return findThrown(() => replace ? checkProfileName(text) : checkNewProfile(text, directory));
  };
  const isFree = findNameProblem(DEFAULT_PROFILE) === undefined;
  return await prompts.text("Name of the profile", findNameProblem, isFree ? DEFAULT_PROFILE : "");
}

async function askForPreset(prompts: Prompts, { apiRoot, tokenPath }: ProfileFlags): Promise<PresetName> {
  if (apiRoot !== undefined && tokenPath !== undefined) return "standard";
  const choices = PRESET_NAMES.map((value) => ({ value, label: PRESETS[value].about }));
  return parseChoice("--preset", PRESET_NAMES, await prompts.choose("Which deployment is it?", choices));
}

function findProblem(member: "baseUrl" | "clientId", text: string): string | undefined {
  const problem = findMemberProblem(member, text);
  return problem === undefined ? undefined : `It ${problem}.`;
}

function findUrlProblem(text: string): string | undefined {
  return findProblem("baseUrl", text);
}

async function askForInsecureHttp(prompts: Prompts, baseUrl: string): Promise<boolean> {
  if (isSecureUrl(baseUrl)) return false;
  if (await prompts.confirm(`${baseUrl} sends the secret unencrypted. Do you trust the network?`, false)) return true;
  throw new SvcError("INTERRUPTED", "Nothing was done.", { hint: "Use an address that begins with https://." });
}

/** Asks for the format of results, unless it is set for all profiles. */
async function askForFormat(prompts: Prompts, directory: string): Promise<Format | undefined> {
  if (readUserSetting("format", directory, () => {}) !== undefined) return undefined;
  return await prompts.confirm("Show results for people at a terminal, instead of JSON?") ? "view" : undefined;
}

type SecretAnswers = Pick<ProfileDraft, "secret" | "clientSecretCommand" | "secretStore">;

async function askForSecret(prompts: Prompts, flags: ProfileFlags, io: Io): Promise<SecretAnswers> {
  if (flags.clientSecretCommand !== undefined) return {};
  if (flags.clientSecret !== undefined) {
    return { secret: await readHiddenText("--client-secret", flags.clientSecret, io) };
  }
  const source = flags.secretStore ?? await prompts.choose("Where shall svc keep the client secret?", [
    ...(await hasKeyring()
      ? [{ value: "keyring", label: `In the keyring of the system (${getKeyringProgram()})` }]
      : []),
    { value: "file", label: "In the configuration file, which only you can read" },
    { value: "command", label: "Nowhere: a program prints it, e.g. a password manager" },
  ]);
  if (source === "command") {
    return { clientSecretCommand: await prompts.text("Command that prints the secret", findCommandProblem) };
  }
  const secret = await prompts.secret("Client secret (not shown)", (text) => text === "" ? "It is empty." : undefined);
  return { secret, secretStore: source === "keyring" ? "keyring" : "file" };
}

function findCommandProblem(text: string): string | undefined {
  const isInvalid = findThrown(() => parseCommand(text)) !== undefined;
  return isInvalid ? "Write a program with its arguments, e.g. pass show svc/my-client." : undefined;
}

function findThrown(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return getErrorMessage(error);
  }
}
