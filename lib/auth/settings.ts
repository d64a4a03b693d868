/** What a session works with: options given in code over the environment, the environment over the profile. */
import { tell, type Warn } from "../client/callback.ts";
import { variable } from "./environment.ts";
import { SvcError } from "../errors.ts";
import { configDirectory, configFile, findConfigDirectory, findProfile, missingProfile } from "./config.ts";
import { checkMember, DEFAULT_PATHS, isProfileMember, isSecure, type Profile } from "./profile.ts";
import type { Target } from "./session.ts";

const DEFAULTS = { ...DEFAULT_PATHS, timeoutSeconds: 30, idempotencyKeys: true };

const VARIABLES = {
  baseUrl: "SVC_BASE_URL",
  clientId: "SVC_CLIENT_ID",
  clientSecret: "SVC_CLIENT_SECRET",
} as const;

/** In short, for a log: the exchange of a token, or a call whose token was refused. Nothing in it is secret. */
export interface ExchangeSummary {
  /** HTTP method. */
  readonly method: string;
  /** Path with query, that of the base URL included. */
  readonly path: string;
  /** HTTP status. */
  readonly status: number;
  /** Reason phrase. */
  readonly reason: string;
  /** Milliseconds until the answer began. */
  readonly milliseconds: number;
}

/** How to reach and enter a service. What is absent comes from the environment, then from the profile. */
export interface SessionOptions {
  /** Name of the profile; `default` without it. */
  profile?: string;
  /** Address of the service; before `SVC_BASE_URL`. */
  baseUrl?: string;
  /** Client ID; before `SVC_CLIENT_ID`. */
  clientId?: string;
  /** Client secret; before `SVC_CLIENT_SECRET`. */
  clientSecret?: string;
  /** Path of the API below the base URL; `/dx-api/v2` where the profile says nothing else. */
  apiRoot?: string;
  /** Path of the token endpoint below the base URL; `/oauth2/token` where the profile says nothing else. */
  tokenPath?: string;
  /** Seconds that one call, and one exchange, may take: above 0, at most 86400; 30 where the profile says nothing else. */
  timeoutSeconds?: number;
  /** Whether the service knows `Idempotency-Key`; it does, unless it is said. */
  idempotencyKeys?: boolean;
  /** Leaves the token cache alone; so does `SVC_NO_CACHE=true`. */
  noCache?: boolean;
  /** Allows `http://` beyond this machine: secret and token are sent unencrypted. */
  allowInsecureHttp?: boolean;
  /** Directory of profiles and tokens; before `SVC_CONFIG_DIR`, and `.svc-cli` in the home directory. */
  configDirectory?: string;
  /** Is told what a person should know, although nothing fails: that others can read a file with a secret, say. */
  warn?: Warn;
  /** Is told of each token exchange, and of each call that is made again because its token was refused. */
  onExchange?: (summary: ExchangeSummary) => void;
}

/** Where the client secret comes from. */
export type SecretSource = { readonly text: string } | { readonly command: readonly string[] };

/** Settings that name a service. */
export interface Settings {
  /** The service. */
  readonly target: Target;
  /** Path of the token endpoint below the base URL. */
  readonly tokenPath: string;
  /** Client ID, where one is known. */
  readonly clientId?: string;
  /** Client secret, where one is known. */
  readonly secret?: SecretSource;
  /** Directory of the token cache; undefined leaves the cache alone. */
  readonly cacheDirectory?: string;
  /** The error of a member that neither options, environment nor profile give. */
  readonly missing: (member: "clientId" | "clientSecret") => SvcError;
  /** Is told what a person should know. */
  readonly warn: Warn;
  /** Is told of each token exchange, and of each call that is made again because its token was refused. */
  readonly onExchange: (summary: ExchangeSummary) => void;
}

/** Settings with which a token can be had. */
export interface Credentials extends Settings {
  /** Client ID. */
  readonly clientId: string;
  /** Client secret. */
  readonly secret: SecretSource;
}

/** What options and environment give, before the profile. */
type Given = { readonly [M in keyof typeof VARIABLES]: string | undefined };

/** The settings that options, environment and profile make together. */
export function readSettings(options: SessionOptions = {}): Settings {
  checkMembers(options);
  const name = profileOf(options);
  const given: Given = {
    baseUrl: options.baseUrl ?? environment("baseUrl"),
    clientId: options.clientId ?? environment("clientId"),
    clientSecret: options.clientSecret ?? environment("clientSecret"),
  };
  const profile = needsProfile(options) ? readProfile(name, options, given) : undefined;
  const baseUrl = given.baseUrl ?? profile?.baseUrl;
  if (baseUrl === undefined) throw missing("baseUrl", name, directoryOf(options), profile);
  checkTransport(baseUrl, options.allowInsecureHttp ?? profile?.allowInsecureHttp ?? false);
  const noCache = options.noCache === true || isOn("SVC_NO_CACHE");
  return {
    target: {
      profile: name,
      baseUrl: withoutSlash(new URL(baseUrl).href),
      apiRoot: withoutSlash(options.apiRoot ?? profile?.apiRoot ?? DEFAULTS.apiRoot),
      timeoutSeconds: options.timeoutSeconds ?? profile?.timeoutSeconds ?? DEFAULTS.timeoutSeconds,
      idempotencyKeys: options.idempotencyKeys ?? profile?.idempotencyKeys ?? DEFAULTS.idempotencyKeys,
    },
    tokenPath: options.tokenPath ?? profile?.tokenPath ?? DEFAULTS.tokenPath,
    clientId: given.clientId ?? profile?.clientId,
    secret: secretSource(given.clientSecret, profile),
    cacheDirectory: noCache ? undefined : findDirectory(options),
    missing: (member) => missing(member, name, directoryOf(options), profile),
    warn: warnOf(options),
    onExchange: (summary) => tell("onExchange", options.onExchange, summary),
  };
}

/** The settings, where they are enough to have a token; `INVALID_CONFIG` otherwise. */
export function withCredentials(settings: Settings): Credentials {
  const { clientId, secret } = settings;
  if (clientId === undefined) throw settings.missing("clientId");
  if (secret === undefined) throw settings.missing("clientSecret");
  return { ...settings, clientId, secret };
}

/** The name of the profile. */
export function profileOf({ profile }: SessionOptions): string {
  return profile ?? "default";
}

/** The directory of profiles and tokens. */
export function directoryOf({ configDirectory: own }: SessionOptions): string {
  return own ?? configDirectory();
}

/** That directory; undefined where there is none to look in: what options and environment say needs none. */
function findDirectory({ configDirectory: own }: SessionOptions): string | undefined {
  return own ?? findConfigDirectory();
}

/** A program that says everything itself needs no profile, and no permission to look for one. */
function needsProfile({ baseUrl, clientId, clientSecret, profile }: SessionOptions): boolean {
  return profile !== undefined || baseUrl === undefined || clientId === undefined || clientSecret === undefined;
}

/** The profile; undefined where there is none, or where the program may not look and needs nothing of it. */
function readProfile(name: string, options: SessionOptions, given: Given): Profile | undefined {
  try {
    const directory = findDirectory(options);
    return directory === undefined ? undefined : findProfile(name, directory, warnOf(options));
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable && !Object.values(given).includes(undefined)) return undefined;
    throw error;
  }
}

function warnOf({ warn }: SessionOptions): Warn {
  return (message) => tell("warn", warn, message);
}

/** Checks the options that a profile has, too. */
function checkMembers(options: SessionOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const [member, value] of Object.entries(given)) {
    if (isProfileMember(member) && value !== undefined) checkMember(member, value, member);
  }
}

/** Whether a variable says yes; what is neither yes nor no is refused, for it would be taken for a no. */
function isOn(name: string): boolean {
  const value = variable(name)?.toLowerCase();
  if (value === undefined || value === "false" || value === "0") return false;
  if (value === "true" || value === "1") return true;
  throw new SvcError("INVALID_CONFIG", `${name} must be true or false.`);
}

/** A member's variable of the environment; an empty one counts as absent. */
function environment(member: keyof Given): string | undefined {
  const value = variable(VARIABLES[member]);
  if (value === undefined) return undefined;
  checkMember(member, value, VARIABLES[member]);
  return value;
}

function secretSource(given: string | undefined, profile: Profile = {}): SecretSource | undefined {
  const text = given ?? profile.clientSecret;
  if (text !== undefined) return { text };
  return profile.clientSecretCommand && { command: profile.clientSecretCommand };
}

function checkTransport(baseUrl: string, insecureAllowed: boolean): void {
  if (insecureAllowed || isSecure(baseUrl)) return;
  throw new SvcError("INVALID_CONFIG", `${baseUrl} would send the secret unencrypted.`, {
    hint: 'Use https://, or set "allowInsecureHttp": true in the profile if the network is yours.',
  });
}

function missing(member: keyof Given, name: string, directory: string, profile: Profile | undefined): SvcError {
  if (!profile) return missingProfile(name, directory);
  const also = member === "clientSecret" ? " or clientSecretCommand" : "";
  return new SvcError("INVALID_CONFIG", `Profile ${JSON.stringify(name)} has no ${member}${also}.`, {
    hint: `Add it to the profile in ${configFile(directory)}, or set ${VARIABLES[member]}.`,
  });
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, "");
}
