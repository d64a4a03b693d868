/** The commands `login`, `logout`, `status` and `ping`, without a user interface. No result contains a secret. */
import { getErrorMessage } from "../errors.ts";
import { type CallerOptions, createCaller } from "../client/caller.ts";
import { checkAnswer } from "../client/response/check_answer.ts";
import type { Reply } from "../client/response/reply.ts";
import { runWithDeadline } from "../http/limits.ts";
import caseTypes from "../resources/case_types.ts";
import { checkProfileName, explainWriteFailure } from "./profiles.ts";
import { createSession, TokenSource } from "./session.ts";
import {
  createWarn,
  type Credentials,
  getProfileName,
  readSettings,
  requireCredentials,
  resolveConfigDirectory,
  type SessionSettings,
  type Sources,
} from "./settings.ts";
import { getTokenFile, readToken, type Token } from "./token_cache.ts";

/** Options of the commands. */
export interface AuthOptions extends CallerOptions {
  /** Cancels the command. */
  signal?: AbortSignal;
}

/** Result of `login`. */
export type LoginResult = {
  /** Name of the profile, if the service and the client are its own. */
  profile?: string;
  /** The sources of address and credentials, if variables replace those of the profile. */
  sources?: Sources;
  /** Address of the service. */
  server: string;
  /** Time at which the token expires, in ISO 8601. */
  expiresAt: string;
};

/** Result of `logout`. */
export type LogoutResult = {
  /** Name of the profile. */
  profile: string;
  /** True if a token was cached. */
  removed: boolean;
  /** True if the service has revoked the token. */
  revoked: boolean;
};

/** Result of `status`. */
export type StatusResult = {
  /** Name of the profile, if the service and the client are its own. */
  profile?: string;
  /** The sources of address and credentials, if variables replace those of the profile. */
  sources?: Sources;
  /** Address of the service. */
  server: string;
  /** True if the next call needs no token exchange. */
  tokenCached: boolean;
  /** Time at which the cached token expires, in ISO 8601. */
  expiresAt?: string;
};

/** Result of `ping`. */
export type PingResult = {
  /** Name of the profile, if the service and the client are its own. */
  profile?: string;
  /** The sources of address and credentials, if variables replace those of the profile. */
  sources?: Sources;
  /** Address of the service. */
  server: string;
  /** HTTP status. */
  status: number;
  /** Duration of the call, without the token exchange. */
  milliseconds: number;
};

/** Exchanges the secret for a new token, even if one is cached, and caches it. */
export async function login(options: AuthOptions = {}): Promise<LoginResult> {
  const credentials = requireCredentials(readSettings(options));
  const { issueToken } = await import("./renewal.ts");
  const { expiresAt } = await issueToken(credentials, getSignal(options));
  return { ...describeTarget(credentials), expiresAt };
}

/** Deletes the cached token, and revokes it if the profile has a `revocationPath`. Warns if the token stays valid. */
export async function logout(options: AuthOptions = {}): Promise<LogoutResult> {
  const profile = getProfileName(options);
  checkProfileName(profile);
  const directory = resolveConfigDirectory(options);
  const revoke = await prepareRevocation(options);
  try {
    await Deno.remove(getTokenFile(directory, profile));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { profile, removed: false, revoked: false };
    throw explainWriteFailure(directory, error);
  }
  return { profile, removed: true, revoked: await revoke() };
}

/** Reads the cached token before its file is deleted. Returns a function that revokes it and reports whether it did. */
async function prepareRevocation(options: AuthOptions): Promise<() => Promise<boolean>> {
  const warn = createWarn(options);
  try {
    const settings = readSettings(options);
    const token = await readToken(settings);
    if (token === undefined) return () => Promise.resolve(false);
    return async () => {
      const reason = await tryRevoke(settings, token, options);
      if (reason !== undefined) warn(`The token was not revoked and is valid until ${token.expiresAt}: ${reason}`);
      return reason === undefined;
    };
  } catch (error) {
    return () => {
      warn(`The token was not revoked: ${getErrorMessage(error)}`);
      return Promise.resolve(false);
    };
  }
}

/** Revokes a token. Returns the reason if it was not revoked. */
async function tryRevoke(settings: SessionSettings, token: Token, options: AuthOptions): Promise<string | undefined> {
  const { revocationPath } = settings;
  if (revocationPath === undefined) return "The profile has no revocationPath.";
  try {
    const { revoke } = await import("./renewal.ts");
    await revoke(requireCredentials(settings), revocationPath, token, getSignal(options));
    return undefined;
  } catch (error) {
    return getErrorMessage(error);
  }
}

/** Returns the service of the profile and the state of its cached token. Sends nothing. */
export async function status(options: AuthOptions = {}): Promise<StatusResult> {
  const settings = readSettings(options);
  const token = await readToken(settings);
  return {
    ...describeTarget(settings),
    tokenCached: token !== undefined,
    ...(token && { expiresAt: token.expiresAt }),
  };
}

/** Makes one inexpensive call and measures its duration. */
export async function ping(options: AuthOptions = {}): Promise<PingResult> {
  const credentials = requireCredentials(readSettings(options));
  const tokens = new TokenSource(credentials);
  await obtainToken(credentials, tokens, options);
  const reply = await listCaseTypes(credentials, tokens, options);
  checkAnswer(caseTypes.list.answer, reply);
  const { status, milliseconds } = reply.head;
  return { ...describeTarget(credentials), status, milliseconds: Math.round(milliseconds) };
}

/** Obtains a token, so that the duration of the next call does not include the exchange. */
export async function obtainToken(
  { target }: Credentials,
  tokens: TokenSource,
  options: AuthOptions,
): Promise<Token> {
  const exchange = `The token exchange with ${target.baseUrl}`;
  const obtain = async (signal: AbortSignal) => (await tokens.get(signal)).token;
  return await runWithDeadline(target, getSignal(options), exchange, obtain);
}

/** Lists the case types: every service has some, and every client may list them. */
export async function listCaseTypes(
  credentials: Credentials,
  tokens: TokenSource,
  { onRequest, onReply, onFailure, signal }: AuthOptions,
): Promise<Reply> {
  const caller = createCaller({ onRequest, onReply, onFailure }, () => createSession(credentials, tokens));
  return await caller.call({ name: "case-types.list", operation: caseTypes.list }, {}, { signal });
}

/** Returns the signal of the options, or one that never aborts. */
export function getSignal({ signal }: AuthOptions): AbortSignal {
  return signal ?? new AbortController().signal;
}

/** Describes the service, and the profile or where the values come from instead. */
export function describeTarget(
  { target, sources }: Pick<SessionSettings, "target" | "sources">,
): { profile?: string; server: string; sources?: Sources } {
  return sources === undefined
    ? { profile: target.profile, server: target.baseUrl }
    : { server: target.baseUrl, sources };
}
