/** Checks the flags of a new profile. */
import { checkNewProfile } from "../../../../lib/auth/edit_profiles.ts";
import { PRESETS } from "../../../../lib/auth/presets.ts";
import { checkProfileName, findMemberProblem, isSecureUrl } from "../../../../lib/auth/profiles.ts";
import { SvcError } from "../../../../lib/errors.ts";
import { toKebab } from "../../../../lib/operation/operation.ts";
import { splitWords } from "../../../../utils/text/split_words.ts";
import type { CallFlags, ProfileFlags } from "./profile_flags.ts";

/** The flags whose text becomes a member of a profile. */
const MEMBERS = ["baseUrl", "clientId", "apiRoot", "tokenPath", "revocationPath", "scope", "audience"] as const;

/** Throws if the text of a flag cannot be a member of a profile. */
export function checkMembers(flags: CallFlags & Pick<ProfileFlags, "baseUrl" | "clientId">): void {
  for (const member of MEMBERS) {
    const problem = flags[member] === undefined ? undefined : findMemberProblem(member, flags[member]);
    if (problem !== undefined) {
      throw invalid(
        `--${toKebab(member)} ${problem}, not ${JSON.stringify(flags[member])}.`,
        suggestUrl(flags[member]),
      );
    }
  }
}

/** Throws if a flag is invalid. */
export function checkFlags(flags: ProfileFlags): void {
  checkMembers(flags);
  const { baseUrl, clientSecretCommand, preset = "standard", appAlias } = flags;
  if (baseUrl !== undefined && !isSecureUrl(baseUrl) && !flags.allowInsecureHttp) {
    throw invalid(
      `${baseUrl} would send the secret unencrypted.`,
      "Use https://, or pass --allow-insecure-http if you trust the network.",
    );
  }
  if (clientSecretCommand !== undefined) parseCommand(clientSecretCommand);
  if (appAlias !== undefined && !PRESETS[preset].takesAlias) {
    throw invalid("--app-alias is only for the hosted deployment.", "Pass --preset hosted, too.");
  }
}

/** Suggests an address with a scheme. */
function suggestUrl(text: string | undefined): string | undefined {
  const isHost = text !== undefined && /^[\w.-]+\.\w+(:\d+)?(\/|$)/.test(text);
  return isHost ? `Did you mean https://${text}?` : undefined;
}

/** Splits a command into its program and arguments. */
export function parseCommand(text: string): string[] {
  const { words, last, isOpen } = splitWords(text);
  const command = last === "" ? [...words] : [...words, last];
  if (!isOpen && command[0]) return command;
  throw invalid(
    `--client-secret-command ${isOpen ? "has an unclosed quotation mark" : "is empty"}.`,
    "Write a program with its arguments, e.g. 'pass show svc/my-client'.",
  );
}

/** Throws unless a profile of this name can be added. */
export function checkName(name: string, { replace }: ProfileFlags, directory: string): void {
  if (replace) checkProfileName(name);
  else checkNewProfile(name, directory);
}

/** Lists the missing flags. */
export function listMissing({ baseUrl, clientId, clientSecret, clientSecretCommand }: ProfileFlags): string[] {
  const secret = clientSecret ?? clientSecretCommand;
  const values = {
    "--base-url": baseUrl,
    "--client-id": clientId,
    "--client-secret or --client-secret-command": secret,
  };
  return Object.entries(values).filter(([, value]) => value === undefined).map(([flag]) => flag);
}

/** Creates the error of invalid flags. */
export function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}
