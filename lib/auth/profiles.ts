/** Profiles: services and the credentials of clients, in the file `config.json` of the configuration directory. */
import type { Warn } from "../client/callback.ts";
import { getErrorMessage, SvcError } from "../errors.ts";
import { warnIfOpenToOthers, warnIfSecretExposed } from "../../utils/fs/private_file.ts";
import { isLoopbackHost } from "../../utils/loopback_host.ts";
import { isJsonObject, isNonEmptyString, type JsonObject, type JsonValue, parseJson } from "../../utils/json.ts";
import { hasShape, type Shape, type ValueOf } from "../../utils/shape.ts";
import { mapValues } from "../../utils/map_values.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { trimLineEnds } from "../../utils/text/line_ends.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { DEFAULT_PROFILE } from "./default_profile.ts";
import { CLIENT_AUTH_METHODS, DEFAULT_CLIENT_AUTH } from "./client_auth.ts";
import { CALL_SETTINGS, type CallSettingName, DEFAULT_TIMEOUT_SECONDS, describeSetting } from "./call_settings.ts";
import { describeUntrusted, findUntrusted } from "../../utils/fs/trusted_path.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { DEFAULT_STYLE, RECORD_KEY_FORMS, TAG_MODES } from "../operation/request_style.ts";
import { FORMATS } from "../output/format.ts";
import { readVariable } from "./environment.ts";
import { isSupportedFeatures, SUPPORTED_FEATURES } from "./supported_features.ts";

/** Values of the members that a profile may omit. */
export const PROFILE_DEFAULTS = {
  apiRoot: "/dx-api/v2",
  tokenPath: "/oauth2/token",
  timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
  idempotencyKeys: true,
  ...DEFAULT_STYLE,
} as const;

/** A member of a profile. */
interface Member<T> {
  /** Meaning, for the help. */
  readonly meaning: string;
  /** Rule, as the end of the sentence "… must be". */
  readonly must: string;
  /** Reports whether a value follows the rule. */
  isValid(value: unknown): value is T;
}

function describeMember<const S extends Shape>(
  shape: S,
  meaning: string,
  must: string,
  hasRule: (value: ValueOf<S>) => boolean = () => true,
): Member<ValueOf<S>> {
  return { meaning, must, isValid: (value): value is ValueOf<S> => hasShape(value, shape) && hasRule(value) };
}

function describeChoice<const T extends string>(meaning: string, values: readonly T[]): Member<T> {
  return {
    meaning,
    must: `one of ${values.join(", ")}`,
    isValid: (value): value is T => values.some((one) => one === value),
  };
}

function describeCallSetting(name: CallSettingName): Member<number> {
  const { must, isValid } = CALL_SETTINGS[name];
  return describeMember("number", describeSetting(name), must, isValid);
}

const CREDENTIAL_RULE = "a non-empty string without control characters";

/** The members of a profile. Others are preserved. */
export const PROFILE_MEMBERS = {
  baseUrl: describeMember(
    "string",
    "Address of the service",
    "an http or https address without user name, query or fragment, such as https://svc.example",
    isServiceUrl,
  ),
  clientId: describeMember("string", "Client ID", CREDENTIAL_RULE, isCredential),
  clientSecret: describeMember(
    "string",
    "Client secret. Prefer clientSecretCommand, which keeps it out of the file",
    CREDENTIAL_RULE,
    isCredential,
  ),
  clientSecretCommand: describeMember(
    { list: "string" },
    "Program and arguments of a command that prints the client secret",
    "an array with a program and its arguments",
    ([program]) => isNonEmptyString(program),
  ),
  apiRoot: describeMember(
    "string",
    `Path of the API (default: ${PROFILE_DEFAULTS.apiRoot})`,
    'a path such as "/dx-api/v2", without a query',
    isPath,
  ),
  tokenPath: describeMember(
    "string",
    `Path of the token endpoint (default: ${PROFILE_DEFAULTS.tokenPath})`,
    'a path such as "/oauth2/token", without a query',
    isPath,
  ),
  revocationPath: describeMember(
    "string",
    "Path of the revocation endpoint for svc auth logout (default: tokens are not revoked)",
    'a path such as "/oauth2/revoke", without a query',
    isPath,
  ),
  clientAuth: describeChoice(
    "How the client authenticates at the token endpoint: HTTP Basic with percent-encoded credentials (basic) or with " +
      `unencoded ones (basic-plain), or credentials in the body (post) (default: ${DEFAULT_CLIENT_AUTH})`,
    CLIENT_AUTH_METHODS,
  ),
  scope: describeMember("string", "Scopes of the token, separated by spaces", CREDENTIAL_RULE, isCredential),
  audience: describeMember("string", "Audience of the token", CREDENTIAL_RULE, isCredential),
  timeoutSeconds: describeCallSetting("timeoutSeconds"),
  retries: describeCallSetting("retries"),
  maxOutageSeconds: describeCallSetting("maxOutageSeconds"),
  format: describeChoice("Output format at a terminal", FORMATS),
  allowInsecureHttp: describeMember(
    "boolean",
    "Set to true to allow http:// to other machines. Secret and token are then sent unencrypted",
    "true or false",
  ),
  idempotencyKeys: describeMember(
    "boolean",
    "Set to false if the service does not support the header Idempotency-Key",
    "true or false",
  ),
  tags: describeChoice(
    "When to read the entity tag of what is changed: before each change (first), if the service demands it " +
      `(on-demand), or never (default: ${PROFILE_DEFAULTS.tags})`,
    TAG_MODES,
  ),
  recordKeys: describeChoice(
    "How svc data delete sends the key of a record: a query parameter per field (separate), or dataViewParameters " +
      `(json) (default: ${PROFILE_DEFAULTS.recordKeys})`,
    RECORD_KEY_FORMS,
  ),
  supports: describeMember(
    SUPPORTED_FEATURES,
    "Features of the service, as 'svc profile test' found them. Outdated after 30 days",
    "an object as 'svc profile test' writes it, with the time testedAt",
    isSupportedFeatures,
  ),
};

/** Name of a member of a profile. */
export type ProfileMember = keyof typeof PROFILE_MEMBERS;

/** A service and the client's credentials for it. */
export type Profile = JsonObject & { [M in ProfileMember]?: MemberValue<(typeof PROFILE_MEMBERS)[M]> };

type MemberValue<M> = M extends Member<infer T> ? T : never;

/** Reports whether a profile has a member of this name. */
export function isProfileMember(name: string): name is ProfileMember {
  return Object.hasOwn(PROFILE_MEMBERS, name);
}

/** Throws unless the value is valid for the member. The message starts with the place. */
export function checkMember(member: ProfileMember, value: unknown, place: string): void {
  const problem = findMemberProblem(member, value);
  if (problem !== undefined) throw invalidProfile(`${place} ${problem}.`);
}

/** Throws unless the value is a profile. The message starts with the place, e.g. `profiles.default`. */
export function checkProfile(value: JsonValue | undefined, place: string): asserts value is Profile {
  const problem = findProfileProblem(value, place);
  if (problem !== undefined) throw invalidProfile(problem);
}

/** Describes why a value is not a profile. Returns undefined if it is one. */
export function findProfileProblem(value: JsonValue | undefined, place: string): string | undefined {
  if (!isJsonObject(value)) return `${place} must be an object.`;
  for (const member of Object.keys(PROFILE_MEMBERS).filter(isProfileMember)) {
    const content = value[member];
    const problem = content === undefined ? undefined : findMemberProblem(member, content);
    if (problem !== undefined) return `${place}.${member} ${problem}.`;
  }
  if (value.clientSecret !== undefined && value.clientSecretCommand !== undefined) {
    return `${place} must have clientSecret or clientSecretCommand, not both.`;
  }
  return undefined;
}

/** Describes why a value is not valid for a member, as the end of a sentence. Returns undefined if it is valid. */
export function findMemberProblem(member: ProfileMember, value: unknown): string | undefined {
  const { must, isValid } = PROFILE_MEMBERS[member];
  return isValid(value) ? undefined : `must be ${must}`;
}

/** A profile name becomes part of a file name. */
const MAX_NAME_LENGTH = 64;
/** Separators, control characters, and characters that some file systems reject. */
// deno-lint-ignore no-control-regex
const NOT_IN_NAME = /[\u0000-\u001f\u007f-\u009f/\\<>:"|?*]/;

/** Throws unless the name can be part of a file name on every platform. */
export function checkProfileName(name: string): void {
  if (name !== "" && name.length <= MAX_NAME_LENGTH && !name.startsWith(".") && !NOT_IN_NAME.test(name)) return;
  throw new SvcError("INVALID_ARGS", `${JSON.stringify(name)} is not a valid profile name.`, {
    hint: `Use at most ${MAX_NAME_LENGTH} letters, digits, "-", "_" and ".". The first one must not be ".".`,
  });
}

/** Reports whether secrets may be sent to an address: `https`, or `http` to this machine. */
export function isSecureUrl(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" || isLoopbackHost(hostname);
}

function invalidProfile(message: string): SvcError {
  return new SvcError("INVALID_CONFIG", message, { hint: "Correct it, then try again." });
}

/** Reports whether a text can be a client ID or a secret: it is not empty and has no control characters. */
export function isCredential(text: string): boolean {
  return text !== "" && !/\p{Cc}/u.test(text);
}

function isServiceUrl(text: string): boolean {
  const url = URL.parse(text);
  return (url?.protocol === "https:" || url?.protocol === "http:") && url.username === "" && url.password === "" &&
    !/[?#\p{Cc}]/u.test(text);
}

/** Reports whether a text is a path that URL parsing does not change. */
function isPath(text: string): boolean {
  return text.startsWith("/") && URL.parse("http://host" + text)?.pathname === text;
}

const LOCK_TIMEOUT_SECONDS = 10;

/** The content of `config.json`. Its profiles are checked when they are used, so that an invalid one stops no other. */
export interface Config extends JsonObject {
  /** The profiles by name. */
  readonly profiles: JsonObject;
}

/** Returns the default data directory of the embedded service. */
export function getServiceDirectory(configDirectory: string): string {
  return `${configDirectory}/service`;
}

/** Returns the directory of profiles and tokens: `SVC_CONFIG_DIR`, or `.svc-cli` in the home directory. */
export function getConfigDirectory(): string {
  const directory = findConfigDirectory();
  if (directory !== undefined) return directory;
  throw new SvcError("INVALID_CONFIG", "The configuration was not found, because there is no home directory.", {
    hint: "Set SVC_CONFIG_DIR to a directory of your own.",
  });
}

/** Finds the directory of profiles and tokens. Returns undefined without a home directory, as in many containers. */
export function findConfigDirectory(): string | undefined {
  const configured = readVariable("SVC_CONFIG_DIR");
  if (configured !== undefined) return configured;
  const home = readVariable("HOME") ?? readVariable("USERPROFILE");
  return home && `${home}/.svc-cli`;
}

/** Returns the path of the file with the profiles. */
export function getConfigFile(directory: string): string {
  return `${directory}/config.json`;
}

/**
 * Returns the name of the default profile, the member `defaultProfile` of the configuration. A configuration that cannot be
 * used names none: reading the profile reports the problem.
 */
export function findDefaultProfile(directory: string): string {
  try {
    const path = getConfigFile(directory);
    const text = readText(path);
    return text === undefined ? DEFAULT_PROFILE : getDefaultProfile(checkConfig(parse(text, path), path));
  } catch (error) {
    if (error instanceof SvcError || error instanceof Deno.errors.NotCapable) return DEFAULT_PROFILE;
    throw error;
  }
}

/** Returns the name of the default profile of a configuration. */
export function getDefaultProfile({ defaultProfile }: Config): string {
  return typeof defaultProfile === "string" ? defaultProfile : DEFAULT_PROFILE;
}

/** Finds a profile by name. */
export function findProfile(name: string, directory: string, warn: Warn): Profile | undefined {
  return readProfileAndDefaults(name, directory, warn).profile;
}

/** A profile, and what `svc config` sets for all profiles. */
export interface ProfileAndDefaults {
  /** The profile, if it exists. */
  readonly profile?: Profile;
  /** Settings of calls that a profile may override. */
  readonly defaults: { readonly [S in CallSettingName]?: number };
}

/** Reads a profile by name, and the defaults of all profiles. An invalid default is ignored. */
export function readProfileAndDefaults(name: string, directory: string, warn: Warn): ProfileAndDefaults {
  checkProfileName(name);
  const path = getConfigFile(directory);
  const config = readConfig(path, warn);
  const defaults = Object.fromEntries(
    Object.entries(CALL_SETTINGS).map(([setting, { isValid }]) => {
      const value = config[setting];
      return [setting, typeof value === "number" && isValid(value) ? value : undefined];
    }),
  );
  const profile = trimMembers(findOwn(config.profiles, name));
  if (profile === undefined) return { defaults };
  checkProfile(profile, `${path}: profiles.${name}`);
  return { profile, defaults };
}

/** Removes trailing line breaks, which editors and scripts often leave. */
export function trimMembers(profile: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(profile)) return profile;
  return mapValues(profile, (value) => typeof value === "string" ? trimLineEnds(value) : value);
}

/** Reads all valid profiles by name. */
export function readProfiles(directory: string = getConfigDirectory()): Readonly<Record<string, Profile>> {
  const { profiles } = readConfig(getConfigFile(directory), () => {});
  return Object.fromEntries(
    Object.entries(profiles).map(([name, profile]) => [name, trimMembers(profile)] as const)
      .filter((entry): entry is [string, Profile] => findProfileProblem(entry[1], entry[0]) === undefined),
  );
}

/** Writes a profile. Preserves other profiles and unknown members. */
export async function saveProfile(
  name: string,
  profile: Profile,
  directory: string = getConfigDirectory(),
): Promise<void> {
  checkProfileName(name);
  checkProfile(profile, `profiles.${name}`);
  await changeConfig(directory, (config) => {
    const before = findOwn(config.profiles, name);
    const unknown = Object.fromEntries(
      Object.entries(isJsonObject(before) ? before : {}).filter(([member]) => !isProfileMember(member)),
    );
    return { ...config, profiles: { ...config.profiles, [name]: { ...unknown, ...profile } } };
  });
}

/** Changes the configuration while no other process does. */
export async function changeConfig(directory: string, change: (config: Config) => Config): Promise<void> {
  try {
    await rewriteConfig(directory, change);
  } catch (error) {
    throw explainWriteFailure(directory, error);
  }
}

async function rewriteConfig(directory: string, change: (config: Config) => Config): Promise<void> {
  const { FileLock } = await import("../../utils/fs/file_lock.ts");
  const { makePrivateDirectory, writePrivateFile } = await import("../../utils/fs/private_file.ts");
  const { resolveLink } = await import("../../utils/fs/resolve_link.ts");
  await makePrivateDirectory(directory);
  checkTrusted(directory);
  using _lock = await FileLock.acquire(`${directory}/config.lock`, AbortSignal.timeout(LOCK_TIMEOUT_SECONDS * 1000));
  const path = getConfigFile(directory);
  const config = change(readConfig(path, () => {}));
  await writePrivateFile(await resolveLink(path), JSON.stringify(config, null, 2) + "\n");
}

/** Converts an error from writing to the configuration directory. */
export function explainWriteFailure(directory: string, cause: unknown): unknown {
  if (cause instanceof SvcError || cause instanceof Deno.errors.NotCapable) return cause;
  if (cause instanceof DOMException) {
    return new SvcError("TIMEOUT", `Another process has locked ${directory} for ${LOCK_TIMEOUT_SECONDS} s.`, {
      cause,
      hint: "Stop the svc process that does not respond, then try again.",
    });
  }
  return new SvcError("INVALID_CONFIG", `${directory} cannot be written: ${getErrorMessage(cause)}.`, {
    cause,
    hint: "Check who owns it, or set SVC_CONFIG_DIR to a directory of your own.",
  });
}

/** Creates the error for a profile that does not exist. The hint explains how to create one. */
export function createMissingProfileError(name: string, directory: string): SvcError {
  const path = getConfigFile(directory);
  const others = Object.keys(readProfiles(directory));
  const suggestion = didYouMean(name, others, (one) => JSON.stringify(one));
  return new SvcError("INVALID_CONFIG", `There is no profile ${JSON.stringify(name)} in ${path}.`, {
    hint: {
      text: `${suggestion}Without a profile, svc uses SVC_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET.`,
      commands: [
        ...(others.length > 0 ? [{ args: ["profile", "list"], purpose: "to see the existing profiles" }] : []),
        { args: ["profile", "add", name], purpose: "to create the profile" },
        { args: ["service", "start"], purpose: "to start a local service and create its profile" },
      ],
    },
  });
}

/** Reads the configuration synchronously: for a small file that every command needs, this is faster. */
export function readConfig(path: string, warn: Warn): Config {
  const text = readText(path);
  if (text === undefined) return { profiles: {} };
  checkTrusted(path);
  const config = checkConfig(parse(text, path), path);
  warnIfExposed(path, config, warn);
  return config;
}

/** Throws if others can change a configuration: it names the server that receives the secret, and a program to run. */
function checkTrusted(path: string): void {
  const untrusted = findUntrusted(path);
  if (untrusted === undefined) return;
  const command = untrusted.isForeign ? 'sudo chown "$(id -un)"' : "chmod go-w";
  const reason = describeUntrusted(untrusted);
  throw new SvcError("INVALID_CONFIG", `${path} is not used, because others could change it. ${reason}.`, {
    hint: `Check its content. Then run: ${command} ${shellQuote(untrusted.path)}. ` +
      "Or set SVC_CONFIG_DIR to a directory of your own.",
  });
}

function warnIfExposed(path: string, { profiles }: Config, warn: Warn): void {
  const has = (member: ProfileMember) =>
    Object.values(profiles).some((profile) => isJsonObject(profile) && profile[member] !== undefined);
  if (has("clientSecret")) warnIfSecretExposed(path, warn);
  else if (has("clientSecretCommand")) warnIfOpenToOthers(path, "names a program that prints the secret", warn);
}

function readText(path: string): string | undefined {
  const bytes = readBytes(path);
  const text = bytes && decodeUtf8(bytes);
  if (bytes === undefined || text !== undefined) return text;
  throw new SvcError("INVALID_CONFIG", `${path} is not UTF-8 text.`, { hint: "Save it as UTF-8." });
}

function readBytes(path: string): Uint8Array | undefined {
  try {
    return Deno.readFileSync(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    if (cause instanceof Deno.errors.NotCapable) throw cause;
    throw new SvcError("INVALID_CONFIG", `${path} cannot be read.`, {
      cause,
      hint: "Check that it is a file and that you may read it.",
    });
  }
}

/** Parses JSON. The parser's message may quote a secret, so only its position is used. */
function parse(text: string, path: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    const position = error instanceof Error ? / \(line \d+ column \d+\)/.exec(error.message)?.[0] ?? "" : "";
    throw new SvcError("INVALID_CONFIG", `${path} is not valid JSON${position}.`, {
      hint: "Correct it. Usually a comma or a quotation mark is missing or redundant.",
    });
  }
}

function checkConfig(value: JsonValue, path: string): Config {
  if (!isJsonObject(value)) throw invalidConfig(`${path} must contain a JSON object.`);
  const { profiles = {} } = value;
  if (!isJsonObject(profiles)) throw invalidConfig(`${path}: profiles must be an object.`);
  return { ...value, profiles };
}

function invalidConfig(message: string): SvcError {
  return new SvcError("INVALID_CONFIG", message, { hint: 'It looks like {"profiles": {"default": {…}}}.' });
}

/** Finds a profile by its name, which may be that of a member that every object inherits, such as `constructor`. */
export function findOwn(profiles: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}
