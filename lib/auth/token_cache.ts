import type { Warn } from "../client/callback.ts";
import { SvcError } from "../errors.ts";
import { createProof, isProofOf } from "./local_key.ts";
import { parseJsonObject } from "../../utils/json.ts";
import { hasShape, type Shape } from "../../utils/shape.ts";
import { warnIfSecretExposed } from "../../utils/fs/private_file.ts";
import type { SessionSettings } from "./settings.ts";

/** A token is renewed this many milliseconds before it expires, or after half its life if it is shorter-lived. */
const RENEWAL_MARGIN = 60_000;

/** Maximum life of a token in seconds, a year. A server may claim more than a date can express. */
export const MAX_TOKEN_SECONDS = 31_536_000;

/** An access token. */
export interface Token {
  /** Value for the `Bearer` scheme. */
  readonly accessToken: string;
  /** Time at which it expires, in ISO 8601. */
  readonly expiresAt: string;
  /** Time from which it is renewed, in ISO 8601. */
  readonly refreshAt: string;
}

const CACHED_TOKEN = {
  required: { accessToken: "string", expiresAt: "string", refreshAt: "string" },
  optional: { proof: "string" },
} as const satisfies Shape;

/** A token and where it came from. */
export interface IssuedToken {
  /** The token. */
  readonly token: Token;
  /** True if it was just issued, so that a rejection of it is final. */
  readonly isNew: boolean;
}

/** Creates a token that expires in some seconds. */
export function createToken(accessToken: string, seconds: number): Token {
  const life = seconds * 1000;
  const end = Date.now() + life;
  const refresh = end - Math.min(RENEWAL_MARGIN, life / 2);
  return { accessToken, expiresAt: new Date(end).toISOString(), refreshAt: new Date(refresh).toISOString() };
}

/** Reports whether a token need not be renewed yet. */
export function isFresh(token: Token): boolean {
  return Date.parse(token.refreshAt) > Date.now();
}

/** Reports whether a value can be sent in a header as a bearer token. */
export function isBearerToken(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}

/** Returns the path of a profile's token file. */
export function getTokenFile(directory: string, profile: string): string {
  return `${directory}/token.${profile}.json`;
}

/** Reads the cached token. Returns it only if it is fresh and was issued for this server, token endpoint and credentials. */
export async function readToken(settings: SessionSettings): Promise<Token | undefined> {
  if (settings.cacheDirectory === undefined) return undefined;
  const path = getTokenFile(settings.cacheDirectory, settings.target.profile);
  const text = readFile(path, settings.warn);
  const cached = text === undefined ? undefined : parseJsonObject(text);
  // A damaged file counts as no token. The next exchange replaces it.
  if (!hasShape(cached, CACHED_TOKEN) || !isIssuedFor(cached, settings)) return undefined;
  const { accessToken, expiresAt, refreshAt, proof } = cached;
  const token = { accessToken, expiresAt, refreshAt };
  if (!isBearerToken(accessToken) || !isFresh(token)) return undefined;
  return await isProofOf(settings.cacheDirectory, describeCredentials(settings), proof) ? token : undefined;
}

/** Creates the content of the file for a token. */
export async function formatToken(settings: SessionSettings, token: Token, directory: string): Promise<string> {
  const proof = await createProof(directory, describeCredentials(settings));
  return JSON.stringify({ ...getIssuer(settings), ...token, proof }) + "\n";
}

/** Describes the request that issued a token. Contains the command that prints the secret, not the secret. */
function describeCredentials(settings: SessionSettings): string {
  const { server, tokenPath, clientId } = getIssuer(settings);
  const { secret, scope, audience } = settings;
  const grant = scope === undefined && audience === undefined ? [] : [scope, audience];
  return JSON.stringify([server, tokenPath, clientId, secret, ...grant]);
}

/** A file that cannot be read counts as no token. Saving the next token replaces it or reports the problem. */
function readFile(path: string, warn: Warn): string | undefined {
  try {
    const text = Deno.readTextFileSync(path);
    warnIfSecretExposed(path, warn);
    return text;
  } catch (error) {
    if (error instanceof SvcError) throw error;
    return undefined;
  }
}

function isIssuedFor(cached: Record<string, unknown>, settings: SessionSettings): boolean {
  return Object.entries(getIssuer(settings)).every(([name, value]) => value !== undefined && cached[name] === value);
}

function getIssuer({ target, tokenPath, clientId }: SessionSettings): Record<string, string | undefined> {
  return { server: target.baseUrl, tokenPath, clientId };
}
