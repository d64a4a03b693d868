import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { invokeCallback, type Warn } from "../client/callback.ts";
import { type ClientAuth, DEFAULT_CLIENT_AUTH } from "./client_auth.ts";
import { CALL_SETTINGS, type CallSettingName, parseSetting } from "./call_settings.ts";
import { readVariable, readVariableIfAllowed } from "./environment.ts";
import { SvcError } from "../errors.ts";
import type { RecordKeyForm, RequestStyle, TagMode } from "../operation/request_style.ts";
import { DEFAULT_PROFILE } from "./default_profile.ts";
import {
  checkMember,
  createMissingProfileError,
  findConfigDirectory,
  findDefaultProfile,
  getConfigDirectory,
  getConfigFile,
  getServiceDirectory,
  isProfileMember,
  isSecureUrl,
  type Profile,
  PROFILE_DEFAULTS,
  type ProfileAndDefaults,
  readProfileAndDefaults,
} from "./profiles.ts";
import { trimLineEnds } from "../../utils/text/line_ends.ts";
import { isRecent, type SupportedFeatures } from "./supported_features.ts";

const VARIABLES = {
  baseUrl: "SVC_BASE_URL",
  clientId: "SVC_CLIENT_ID",
  clientSecret: "SVC_CLIENT_SECRET",
} as const;

/** A request, for a log. It contains no secret. */
export interface RequestSummary {
  /** HTTP method. */
  readonly method: string;
  /** Path with query, including that of the base URL. */
  readonly path: string;
  /** Milliseconds until the response started, or until the request failed. */
  readonly milliseconds: number;
}

/** A request before it is sent, for a log. Secrets and tokens are redacted. */
export interface SentRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, or its size in parentheses if it contains files. Empty without one. */
  readonly text: string;
}

/** A token exchange, or a call whose token was rejected, for a log. It contains no secret. */
export interface ExchangeSummary extends RequestSummary {
  /** HTTP status. */
  readonly status: number;
  /** Reason phrase. */
  readonly reason: string;
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the response, if it rejects a token. */
  readonly text?: string;
}

/** A request that got no response, for a log. It contains no secret. */
export interface FailureSummary extends RequestSummary {
  /** One sentence that describes the failure. */
  readonly message: string;
}

/**
 * Address and credentials of a service. Missing options come from the environment, then from the profile. With `baseUrl`,
 * `clientId` and `clientSecret` and without `profile`, neither is read: missing options have their defaults.
 */
export interface SessionOptions {
  /** Name of the profile. Default: `SVC_PROFILE`, the default profile of the configuration, or `default`. */
  profile?: string;
  /** Address of the service. Overrides `SVC_BASE_URL`. */
  baseUrl?: string;
  /** Client ID. Overrides `SVC_CLIENT_ID`. */
  clientId?: string;
  /** Client secret. Overrides `SVC_CLIENT_SECRET`. */
  clientSecret?: string;
  /** Path of the API below the base URL. Default: the profile's, or `/dx-api/v2`. */
  apiRoot?: string;
  /** Path of the token endpoint below the base URL. Default: the profile's, or `/oauth2/token`. */
  tokenPath?: string;
  /**
   * How the client authenticates at the token endpoint: HTTP Basic with percent-encoded credentials (`basic`) or with
   * unencoded ones (`basic-plain`), or credentials in the body (`post`). Default: the profile's, or `basic`.
   */
  clientAuth?: ClientAuth;
  /** Scopes of the token, separated by spaces. Default: the profile's, or none. */
  scope?: string;
  /** Audience of the token. Default: the profile's, or none. */
  audience?: string;
  /**
   * Timeout of one call, and of one token exchange, in seconds: above 0, at most 86400. Default: `SVC_TIMEOUT`, the
   * profile's, or 30.
   */
  timeoutSeconds?: number;
  /**
   * Number of retries of a failed call, from 0 to 100. Default: `SVC_RETRIES`, the profile's, or 0; for runs of workflows 5.
   * Only calls that cannot have an effect twice are retried: reads, changes with an `idempotencyKey` if the service
   * supports keys, and calls that were not applied. The delay is random, grows with each attempt, and honors `Retry-After`
   * up to a minute. All calls to a service share a budget.
   */
  retries?: number;
  /** Set to false if the service does not support `Idempotency-Key`. Default: the profile's, or true. */
  idempotencyKeys?: boolean;
  /**
   * When to read the entity tag of what is changed: before each change that may require one (`first`), if the service
   * demands it (`on-demand`), or only for `assignments.perform` (`never`). Default: the profile's, or `on-demand`.
   */
  tags?: TagMode;
  /**
   * How `data.delete` sends the key of a record: a query parameter per field (`separate`), or all fields in
   * `dataViewParameters` (`json`). Default: the profile's, or `separate`.
   */
  recordKeys?: RecordKeyForm;
  /** Disables the token cache, as `SVC_NO_CACHE=true` does. */
  noCache?: boolean;
  /** Allows `http://` to other machines. Secret and token are then sent unencrypted. */
  allowInsecureHttp?: boolean;
  /** Directory of profiles and tokens. Default: `SVC_CONFIG_DIR`, or `.svc-cli` in the home directory. */
  configDirectory?: string;
  /** Sends the requests for tokens and to the API instead of the global `fetch`. Timeouts and credentials are added before. */
  fetch?: Fetch;
  /** Called with warnings, e.g. that others can read a file with a secret. */
  warn?: Warn;
  /** Receives each request for a token and to the API before it is sent. */
  onRequest?: ((request: SentRequest) => void) | undefined;
  /** Called after each token exchange, and after each call that is repeated because its token was rejected. */
  onExchange?: (summary: ExchangeSummary) => void;
  /** Called after each request that got no response, e.g. because the connection was refused. */
  onFailure?: ((summary: FailureSummary) => void) | undefined;
}

/** A function like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A service and how to reach it. */
export interface Target extends RequestStyle {
  /** Name of the selected profile. */
  readonly profile: string;
  /** Scheme, host and port, without a slash at the end, e.g. `https://svc.example`. */
  readonly baseUrl: string;
  /** Path of the API below the base URL, e.g. `/dx-api/v2`. */
  readonly apiRoot: string;
  /** Timeout of one call in seconds. */
  readonly timeoutSeconds: number;
  /** True if the service supports idempotency keys. */
  readonly idempotencyKeys: boolean;
  /** Retries of a call; undefined for the default of the command, the client or the run. */
  readonly retries?: number;
  /** Seconds that a run waits for the service while it is unavailable; undefined for the default. */
  readonly maxOutageSeconds?: number;
  /** Data directory of a service that svc has started on this machine, if it is not the default one. */
  readonly dataDirectory?: string;
  /** Features of the service, if a recent test of the profile has shown them. */
  readonly supports?: SupportedFeatures;
}

/** The client secret, or the command that prints it. */
export type SecretSource = { readonly text: string } | { readonly command: readonly string[] };

/** Sources of the address and the credentials: an option, a variable, or a profile. */
export type Sources = { -readonly [M in keyof typeof VARIABLES]: string };

/** Settings that name a service. */
export interface SessionSettings {
  /** The service. */
  readonly target: Target;
  /** Sources of the values. Only set if variables override the service or the client of a profile. */
  readonly sources?: Sources;
  /** Path of the token endpoint below the base URL. */
  readonly tokenPath: string;
  /** How the client authenticates at the token endpoint. */
  readonly clientAuth: ClientAuth;
  /** Scopes of the token. */
  readonly scope?: string | undefined;
  /** Audience of the token. */
  readonly audience?: string | undefined;
  /** Path of the revocation endpoint below the base URL, if the profile has one. */
  readonly revocationPath?: string | undefined;
  /** Client ID, if it is known. */
  readonly clientId?: string | undefined;
  /** Client secret, if it is known. */
  readonly secret?: SecretSource | undefined;
  /** Directory of the token cache; undefined disables it. */
  readonly cacheDirectory?: string | undefined;
  /** True if an option or a variable names the profile. */
  readonly isProfileChosen: boolean;
  /** Creates the error for a credential that is missing in options, environment and profile. */
  readonly createMissingError: (member: "clientId" | "clientSecret") => SvcError;
  /** Called with warnings. */
  readonly warn: Warn;
  /** Sends requests instead of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Called before each request to the token endpoint. */
  readonly onRequest: (request: SentRequest) => void;
  /** Called after each token exchange, and after each call that is repeated because its token was rejected. */
  readonly onExchange: (summary: ExchangeSummary) => void;
  /** Called after each token exchange that got no response. */
  readonly onFailure: (summary: FailureSummary) => void;
}

/** Settings with which a token can be obtained. */
export interface Credentials extends SessionSettings {
  /** Client ID. */
  readonly clientId: string;
  /** Client secret. */
  readonly secret: SecretSource;
}

/** Values from options and environment, which override the profile. */
type Overrides = { readonly [M in keyof typeof VARIABLES]: string | undefined };

/** Reads the settings: options override the environment, which overrides the profile. */
export function readSettings(given: SessionOptions = {}): SessionSettings {
  const options = trimOptions(given);
  checkOptions(options);
  const name = getProfileName(options);
  const overrides: Overrides = {
    baseUrl: options.baseUrl ?? readOverride("baseUrl"),
    clientId: options.clientId ?? readOverride("clientId"),
    clientSecret: options.clientSecret ?? readOverride("clientSecret"),
  };
  const { profile, defaults } = needsProfile(options) ? readProfile(name, options, overrides) : WITHOUT_PROFILE;
  const createMissingError = (member: keyof Overrides) => {
    if (profile) return createMissingMemberError(member, name, profile, resolveConfigDirectory(options));
    const directory = options.configDirectory ?? findConfigDirectory();
    const isProfileWanted = options.profile !== undefined || name !== DEFAULT_PROFILE ||
      Object.values(overrides).every((one) => one === undefined);
    return directory !== undefined && isProfileWanted
      ? createMissingProfileError(name, directory)
      : createMissingValuesError(overrides, name);
  };
  const baseUrl = overrides.baseUrl ?? profile?.baseUrl;
  if (baseUrl === undefined) throw createMissingError("baseUrl");
  checkTransport(baseUrl, options.allowInsecureHttp ?? profile?.allowInsecureHttp ?? false);
  const isConfigured = needsProfile(options);
  const find = (setting: CallSettingName, option?: number) =>
    option ?? (isConfigured ? readCallSetting(setting) : undefined) ?? profile?.[setting] ?? defaults[setting];
  const retries = find("retries", options.retries);
  const isOtherService = overrides.baseUrl !== undefined || options.apiRoot !== undefined;
  const { supports } = isOtherService ? {} : findSupportedFeatures(profile);
  const maxOutageSeconds = find("maxOutageSeconds");
  const sources = profile && findSources(name, profile, options, overrides);
  const apiRoot = trimSlashes(options.apiRoot ?? profile?.apiRoot ?? PROFILE_DEFAULTS.apiRoot);
  return {
    ...(sources && { sources }),
    target: {
      profile: name,
      baseUrl: removeSuffix(trimSlashes(new URL(baseUrl).href), apiRoot),
      apiRoot,
      timeoutSeconds: find("timeoutSeconds", options.timeoutSeconds) ?? PROFILE_DEFAULTS.timeoutSeconds,
      idempotencyKeys: options.idempotencyKeys ?? profile?.idempotencyKeys ?? PROFILE_DEFAULTS.idempotencyKeys,
      tags: options.tags ?? chooseTags(profile, supports),
      recordKeys: options.recordKeys ?? profile?.recordKeys ?? PROFILE_DEFAULTS.recordKeys,
      ...(retries !== undefined && { retries }),
      ...(maxOutageSeconds !== undefined && { maxOutageSeconds }),
      ...(overrides.baseUrl === undefined && profile && findDataDirectory(profile, options)),
      ...(supports && { supports }),
    },
    tokenPath: options.tokenPath ?? profile?.tokenPath ?? PROFILE_DEFAULTS.tokenPath,
    clientAuth: options.clientAuth ?? profile?.clientAuth ?? DEFAULT_CLIENT_AUTH,
    scope: options.scope ?? profile?.scope,
    audience: options.audience ?? profile?.audience,
    ...(profile?.revocationPath !== undefined && { revocationPath: profile.revocationPath }),
    clientId: overrides.clientId ?? profile?.clientId,
    secret: findSecret(overrides.clientSecret, profile),
    cacheDirectory: findCacheDirectory(options),
    createMissingError,
    isProfileChosen: options.profile !== undefined ||
      (isConfigured && readVariableIfAllowed("SVC_PROFILE") !== undefined),
    warn: createWarn(options),
    fetch: options.fetch,
    onRequest: (request) => invokeCallback("onRequest", options.onRequest, request),
    onExchange: (summary) => invokeCallback("onExchange", options.onExchange, summary),
    onFailure: (summary) => invokeCallback("onFailure", options.onFailure, summary),
  };
}

/** Finds the directory for tokens and other cached files. Returns undefined if caching is disabled, or without a home. */
export function findCacheDirectory({ noCache, configDirectory }: SessionOptions): string | undefined {
  return noCache === true || readVariable("SVC_NO_CACHE") === "true"
    ? undefined
    : configDirectory ?? findConfigDirectory();
}

/** Reads the service that options, environment and profile name. Needs no credentials. */
export function readTarget(options: SessionOptions = {}): Target {
  return readSettings(options).target;
}

/** Returns the settings if they contain credentials. Throws `INVALID_CONFIG` otherwise. */
export function requireCredentials(settings: SessionSettings): Credentials {
  const { clientId, secret } = settings;
  if (clientId === undefined) throw settings.createMissingError("clientId");
  if (secret === undefined) throw settings.createMissingError("clientSecret");
  if (settings.cacheDirectory !== undefined) warnOfIgnoredNoCache(settings.warn);
  warnOfOverrides(settings);
  return { ...settings, clientId, secret };
}

/** Returns the address of the token endpoint. */
export function getTokenUrl({ target, tokenPath }: SessionSettings): string {
  return target.baseUrl + tokenPath;
}

/** Returns the name of the profile. */
export function getProfileName(options: SessionOptions): string {
  if (options.profile !== undefined) return options.profile;
  if (!needsProfile(options)) return DEFAULT_PROFILE;
  return readVariableIfAllowed("SVC_PROFILE") ?? readDefaultProfile(options);
}

function readDefaultProfile({ configDirectory }: SessionOptions): string {
  const directory = configDirectory ?? findConfigDirectory();
  return directory === undefined ? DEFAULT_PROFILE : findDefaultProfile(directory);
}

/** Returns the directory of profiles and tokens. */
export function resolveConfigDirectory({ configDirectory }: SessionOptions): string {
  return configDirectory ?? getConfigDirectory();
}

/** With all of these options a program needs no profile and no variables, and no permission to read them. */
function needsProfile({ baseUrl, clientId, clientSecret, profile }: SessionOptions): boolean {
  return profile !== undefined || baseUrl === undefined || clientId === undefined || clientSecret === undefined;
}

const WITHOUT_PROFILE: ProfileAndDefaults = { defaults: {} };

/** Reads the profile. Returns none if it does not exist, or if it is not needed and cannot be used. */
function readProfile(name: string, options: SessionOptions, overrides: Overrides): ProfileAndDefaults {
  const warn = createWarn(options);
  try {
    const directory = options.configDirectory ?? findConfigDirectory();
    return directory === undefined ? WITHOUT_PROFILE : readProfileAndDefaults(name, directory, warn);
  } catch (error) {
    if (Object.values(overrides).includes(undefined)) throw error;
    if (error instanceof Deno.errors.NotCapable) return WITHOUT_PROFILE;
    if (options.profile !== undefined || !(error instanceof SvcError)) throw error;
    warn(`The profile is ignored. ${error.message}`);
    return WITHOUT_PROFILE;
  }
}

/** Returns the function that receives warnings. */
export function createWarn({ warn }: SessionOptions): Warn {
  return (message) => invokeCallback("warn", warn, message);
}

/** Finds the data directory of a service that svc has started, unless it is the default one. */
function findDataDirectory({ service }: Profile, options: SessionOptions): { dataDirectory?: string } {
  const isOther = typeof service === "string" && service !== getServiceDirectory(resolveConfigDirectory(options));
  return isOther ? { dataDirectory: service } : {};
}

/** A service whose cases have no entity tags is not asked for one before each change. */
function chooseTags({ tags = PROFILE_DEFAULTS.tags }: Profile = {}, supports: SupportedFeatures | undefined): TagMode {
  return tags === "first" && supports?.entityTags === false ? "on-demand" : tags;
}

function findSupportedFeatures({ supports }: Profile = {}): { supports?: SupportedFeatures } {
  return supports !== undefined && isRecent(supports) ? { supports } : {};
}

/** Removes trailing line breaks from the address and the credentials, which often come from files. */
function trimOptions(options: SessionOptions): SessionOptions {
  const trim = (member: keyof Overrides) => {
    const value: unknown = options[member];
    return typeof value === "string" ? { [member]: trimLineEnds(value) } : {};
  };
  return { ...options, ...trim("baseUrl"), ...trim("clientId"), ...trim("clientSecret") };
}

const CREDENTIALS = ["baseUrl", "clientId", "clientSecret"] as const;

/** Finds out where the values come from, if variables override the service or the client of a profile. */
function findSources(
  name: string,
  profile: Profile,
  options: SessionOptions,
  overrides: Overrides,
): Sources | undefined {
  const isVariable = (member: keyof Overrides) => options[member] === undefined && overrides[member] !== undefined;
  const isOther = CREDENTIALS.some((member) => {
    const [value, own] = [overrides[member], profile[member]];
    return isVariable(member) && value !== undefined && own !== undefined && !isSameMember(member, value, own);
  });
  if (!isOther) return undefined;
  const find = (member: keyof Overrides) => {
    if (isVariable(member)) return VARIABLES[member];
    return options[member] === undefined ? `profile ${JSON.stringify(name)}` : "option";
  };
  return { baseUrl: find("baseUrl"), clientId: find("clientId"), clientSecret: find("clientSecret") };
}

function isSameMember(member: keyof Overrides, one: string, other: string): boolean {
  return member === "baseUrl" ? trimSlashes(new URL(one).href) === trimSlashes(new URL(other).href) : one === other;
}

/** Warns about variables that override the service or the client of a profile that the user has chosen. */
function warnOfOverrides({ sources, target, isProfileChosen, warn }: SessionSettings): void {
  if (sources === undefined || !isProfileChosen) return;
  const variables = Object.values(sources).filter((source) => source.startsWith("SVC_"));
  const [last, ...others] = variables.toReversed();
  const list = others.length === 0 ? `${last} overrides` : `${others.toReversed().join(", ")} and ${last} override`;
  warn(`${list} the profile ${JSON.stringify(target.profile)}. Unset them to use the profile.`);
}

/** Checks the options that are also members of a profile. */
function checkOptions(options: SessionOptions): void {
  const values: Readonly<Record<string, unknown>> = { ...options };
  for (const [name, value] of Object.entries(values)) {
    if (isProfileMember(name) && value !== undefined) checkMember(name, value, name);
  }
}

/** Warns of a value of `SVC_NO_CACHE` that does not turn the cache off. */
function warnOfIgnoredNoCache(warn: Warn): void {
  const value = readVariable("SVC_NO_CACHE");
  if (value === undefined) return;
  warn(`SVC_NO_CACHE=${value} has no effect. Set it to true to turn the token cache off, or unset it.`);
}

function readOverride(member: keyof Overrides): string | undefined {
  const value = readVariable(VARIABLES[member]);
  if (value !== undefined) checkMember(member, value, VARIABLES[member]);
  return value;
}

/** Reads a setting from its variable. Programs that may not read it have other ways to set it. */
function readCallSetting(name: CallSettingName): number | undefined {
  const { variable } = CALL_SETTINGS[name];
  const text = readVariableIfAllowed(variable);
  if (text === undefined) return undefined;
  const value = parseSetting(text);
  checkMember(name, value, variable);
  return value;
}

function findSecret(override: string | undefined, profile: Profile = {}): SecretSource | undefined {
  const text = override ?? profile.clientSecret;
  if (text !== undefined) return { text };
  return profile.clientSecretCommand && { command: profile.clientSecretCommand };
}

function checkTransport(baseUrl: string, allowInsecureHttp: boolean): void {
  if (allowInsecureHttp || isSecureUrl(baseUrl)) return;
  throw new SvcError("INVALID_CONFIG", `${baseUrl} would send the secret unencrypted.`, {
    hint: 'Use https://, or set "allowInsecureHttp": true in the profile if you trust the network.',
  });
}

function createMissingMemberError(
  member: keyof Overrides,
  name: string,
  profile: Profile,
  directory: string,
): SvcError {
  const alternative = member === "clientSecret" ? " or clientSecretCommand" : "";
  const others = Object.keys(profile).filter((other) => !isProfileMember(other));
  const misspelt = others.find((other) => didYouMean(other, [member], String) !== "");
  return new SvcError("INVALID_CONFIG", `Profile ${JSON.stringify(name)} has no ${member}${alternative}.`, {
    hint: misspelt === undefined
      ? `Add it to the profile in ${getConfigFile(directory)}, or set ${VARIABLES[member]}.`
      : `svc does not know its member '${misspelt}': rename it to '${member}' in ${getConfigFile(directory)}.`,
  });
}

/** Creates the error for values that are missing in options and environment, without a profile that could add them. */
function createMissingValuesError(overrides: Overrides, profile: string): SvcError {
  const members = (["baseUrl", "clientId", "clientSecret"] as const).filter((name) => overrides[name] === undefined);
  const list = (names: readonly string[]) => names.join(" and ").replace(/ and (?=.* and )/, ", ");
  const verb = members.length === 1 ? "is" : "are";
  return new SvcError("INVALID_CONFIG", `${list(members)} ${verb} missing, and there is no profile "${profile}".`, {
    hint: {
      text: `Set ${list(members.map((member) => VARIABLES[member]))}.`,
      commands: [{ args: ["profile", "add", profile], purpose: "to create the profile instead" }],
    },
  });
}

/** Removes the path of the API, which people often copy with the address. */
function removeSuffix(text: string, suffix: string): string {
  return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

function trimSlashes(text: string): string {
  return text.replace(/\/+$/, "");
}
