/** The cached token of a profile: read in one step, and never sent to a server that did not issue it. */
import type { Warn } from "../client/callback.ts";
import { SvcError } from "../errors.ts";
import { parseJsonObject } from "../../utils/json.ts";
import { warnIfExposed } from "./exposed.ts";
import type { Settings } from "./settings.ts";

/** Milliseconds before its end at which a token is renewed; half its life, where it lives shorter than two of these. */
const MARGIN = 60_000;

/** Seconds that a token lives at most, a year: a server may claim more than a date can hold. */
export const LONGEST_LIFE = 31_536_000;

/** An access token. */
export interface Token {
  /** What goes behind `Bearer`. */
  readonly accessToken: string;
  /** When it ends, in ISO 8601. */
  readonly expiresAt: string;
  /** When a new one should be had, in ISO 8601. */
  readonly refreshAt: string;
}

/** A token that lives some seconds from now. */
export function tokenOf(accessToken: string, seconds: number): Token {
  const life = seconds * 1000;
  const end = Date.now() + life;
  const refresh = end - Math.min(MARGIN, life / 2);
  return { accessToken, expiresAt: new Date(end).toISOString(), refreshAt: new Date(refresh).toISOString() };
}

/** Whether a token need not be renewed yet. */
export function isFresh(token: Token): boolean {
  return Date.parse(token.refreshAt) > Date.now();
}

/** Whether a text can travel in a header as a bearer token. */
export function isTokenText(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]+$/.test(text);
}

/** The file of a profile's token. */
export function tokenFile(directory: string, profile: string): string {
  return `${directory}/token.${profile}.json`;
}

/** The cached token, if there is a fresh one for exactly this server, token endpoint and client. */
export function readToken(settings: Settings): Token | undefined {
  if (settings.cacheDirectory === undefined) return undefined;
  const path = tokenFile(settings.cacheDirectory, settings.target.profile);
  const text = readFile(path, settings.warn);
  const cached = text === undefined ? undefined : parseJsonObject(text);
  // A damaged cache holds no token: the next exchange replaces it.
  if (cached === undefined || !isIssuedFor(cached, settings)) return undefined;
  const { accessToken, expiresAt, refreshAt } = cached;
  if (!isTokenText(accessToken) || typeof expiresAt !== "string" || typeof refreshAt !== "string") return undefined;
  const token = { accessToken, expiresAt, refreshAt };
  return isFresh(token) ? token : undefined;
}

/** The text of the cache file for a token. */
export function tokenText(settings: Settings, token: Token): string {
  return JSON.stringify({ ...issuerOf(settings), ...token }) + "\n";
}

/** What cannot be read is no cache: saving a token then replaces it, or says why it cannot. */
function readFile(path: string, warn: Warn): string | undefined {
  try {
    const text = Deno.readTextFileSync(path);
    warnIfExposed(path, warn);
    return text;
  } catch (error) {
    if (error instanceof SvcError) throw error;
    return undefined;
  }
}

function isIssuedFor(cached: Record<string, unknown>, settings: Settings): boolean {
  return Object.entries(issuerOf(settings)).every(([member, value]) => value !== undefined && cached[member] === value);
}

function issuerOf({ target, tokenPath, clientId }: Settings): Record<string, string | undefined> {
  return { server: target.baseUrl, tokenPath, clientId };
}
