/** What `svc auth login`, `logout`, `status` and `ping` do, for any kind of front end. Nothing they return is secret. */
import { type CallerOptions, createCaller } from "../client/caller.ts";
import { checkAnswer } from "../client/check_answer.ts";
import type { Reply } from "../client/reply.ts";
import caseTypes from "../resources/case_types.ts";
import { unwritable } from "./config.ts";
import { checkProfileName } from "./profile.ts";
import { sessionOf } from "./session_open.ts";
import { type Credentials, directoryOf, profileOf, readSettings, withCredentials } from "./settings.ts";
import { within } from "./shared.ts";
import { readToken, type Token, tokenFile } from "./token_cache.ts";
import { TokenSource } from "./token_source.ts";

/** How to reach the service, and when to stop. */
export interface AuthOptions extends CallerOptions {
  /** Cancels the command. */
  signal?: AbortSignal;
}

/** What `auth login` answers. */
export type LoginResult = {
  /** Name of the profile. */
  profile: string;
  /** Address of the service. */
  server: string;
  /** When the token ends, in ISO 8601. */
  expiresAt: string;
};

/** What `auth logout` answers. */
export type LogoutResult = {
  /** Name of the profile. */
  profile: string;
  /** Whether there was a token to forget. */
  removed: boolean;
};

/** What `auth status` answers. */
export type StatusResult = {
  /** Name of the profile. */
  profile: string;
  /** Address of the service. */
  server: string;
  /** Whether the next call needs no exchange. */
  tokenCached: boolean;
  /** When the cached token ends, in ISO 8601. */
  expiresAt?: string;
};

/** What `auth ping` answers. */
export type PingResult = {
  /** Name of the profile. */
  profile: string;
  /** Address of the service. */
  server: string;
  /** HTTP status. */
  status: number;
  /** How long the call took, without the token exchange. */
  milliseconds: number;
};

/** Exchanges the secret for a token, whatever the cache holds, and caches it. */
export async function login(options: AuthOptions = {}): Promise<LoginResult> {
  const credentials = withCredentials(readSettings(options));
  const { freshToken } = await import("./renewal.ts");
  const { expiresAt } = await freshToken(credentials, signalOf(options));
  return { ...nameOf(credentials), expiresAt };
}

/** Forgets the cached token. */
export async function logout(options: AuthOptions = {}): Promise<LogoutResult> {
  const profile = profileOf(options);
  checkProfileName(profile);
  const directory = directoryOf(options);
  try {
    await Deno.remove(tokenFile(directory, profile));
    return { profile, removed: true };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { profile, removed: false };
    throw unwritable(directory, error);
  }
}

/** Tells which service the profile means and whether a token is cached for it; sends nothing. */
export function status(options: AuthOptions = {}): StatusResult {
  const settings = readSettings(options);
  const token = readToken(settings);
  return { ...nameOf(settings), tokenCached: token !== undefined, ...(token && { expiresAt: token.expiresAt }) };
}

/** Makes one cheap call and takes its time. */
export async function ping(options: AuthOptions = {}): Promise<PingResult> {
  const credentials = withCredentials(readSettings(options));
  const tokens = new TokenSource(credentials);
  await takeToken(credentials, tokens, options);
  const reply = await listCaseTypes(credentials, tokens, options);
  checkAnswer(caseTypes.list.answer, reply);
  const { status, milliseconds } = reply.head;
  return { ...nameOf(credentials), status, milliseconds: Math.round(milliseconds) };
}

/** A token, so that what follows is no longer than its own call. */
export async function takeToken(credentials: Credentials, tokens: TokenSource, options: AuthOptions): Promise<Token> {
  const { target } = credentials;
  const exchange = `The token exchange with ${target.baseUrl}`;
  return await within(target, signalOf(options), exchange, async (signal) => (await tokens.take(signal)).token);
}

/** The cheap call: every service has case types, and any caller may list them. */
export async function listCaseTypes(
  credentials: Credentials,
  tokens: TokenSource,
  { onReply, signal }: AuthOptions,
): Promise<Reply> {
  const caller = createCaller({ onReply }, () => sessionOf(credentials, tokens));
  return await caller.call({ name: "case-types.list", operation: caseTypes.list }, {}, { signal });
}

/** The signal of the options, or one that never aborts. */
export function signalOf({ signal }: AuthOptions): AbortSignal {
  return signal ?? new AbortController().signal;
}

function nameOf({ target }: Pick<Credentials, "target">): { profile: string; server: string } {
  return { profile: target.profile, server: target.baseUrl };
}
