/** The configuration directory, and the profiles in its `config.json`. */
import type { Warn } from "../client/callback.ts";
import { variable } from "./environment.ts";
import { getErrorMessage, SvcError } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { warnIfExposed, warnOfOthers } from "./exposed.ts";
import { checkProfile, checkProfileName, isProfileMember, type Profile } from "./profile.ts";

const SAVE_SECONDS = 10;

/** The text of `config.json`, checked. */
interface Config extends JsonObject {
  profiles: { [name: string]: Profile };
}

/** The directory of profiles and tokens: `SVC_CONFIG_DIR`, or `.svc-cli` in the home directory. */
export function configDirectory(): string {
  const directory = findConfigDirectory();
  if (directory !== undefined) return directory;
  throw new SvcError("INVALID_CONFIG", "There is no home directory to look for the configuration in.", {
    hint: "Set SVC_CONFIG_DIR to a directory of your own.",
  });
}

/** That directory; undefined where there is no home, as in many containers. */
export function findConfigDirectory(): string | undefined {
  const own = variable("SVC_CONFIG_DIR");
  if (own !== undefined) return own;
  const home = variable("HOME") ?? variable("USERPROFILE");
  return home && `${home}/.svc-cli`;
}

/** The file that holds the profiles. */
export function configFile(directory: string): string {
  return `${directory}/config.json`;
}

/** A profile by name; undefined where there is none. */
export function findProfile(name: string, directory: string, warn: Warn): Profile | undefined {
  checkProfileName(name);
  const config = readConfig(configFile(directory), warn);
  return Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
}

/** Writes a profile; other profiles and members that svc does not know stay as they are. */
export async function saveProfile(
  name: string,
  profile: Profile,
  directory: string = configDirectory(),
): Promise<void> {
  checkProfileName(name);
  checkProfile(profile, `profiles.${name}`);
  try {
    await writeProfile(name, profile, directory);
  } catch (error) {
    throw unwritable(directory, error);
  }
}

/** What went wrong in writing below the configuration directory. */
export function unwritable(directory: string, cause: unknown): unknown {
  if (cause instanceof SvcError || cause instanceof Deno.errors.NotCapable) return cause;
  if (cause instanceof DOMException) {
    return new SvcError("TIMEOUT", `Another process has kept ${directory} locked for ${SAVE_SECONDS} s.`, {
      cause,
      hint: "End the svc process that hangs, then try again.",
    });
  }
  return new SvcError("INVALID_CONFIG", `${directory} cannot be written: ${getErrorMessage(cause)}.`, {
    cause,
    hint: "Check who owns it, or set SVC_CONFIG_DIR to a directory of your own.",
  });
}

async function writeProfile(name: string, profile: Profile, directory: string): Promise<void> {
  const { FileLock } = await import("../../utils/fs/file_lock.ts");
  const { makePrivateDirectory, writePrivateFile } = await import("../../utils/fs/private_file.ts");
  const { resolveLink } = await import("../../utils/fs/resolve_link.ts");
  await makePrivateDirectory(directory);
  using _lock = await FileLock.acquire(`${directory}/config.lock`, AbortSignal.timeout(SAVE_SECONDS * 1000));
  const path = configFile(directory);
  const config = readConfig(path, () => {});
  const before = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  const profiles = { ...config.profiles, [name]: { ...unknownMembers(before), ...profile } };
  await writePrivateFile(await resolveLink(path), JSON.stringify({ ...config, profiles }, null, 2) + "\n");
}

/** All profiles by name. */
export function allProfiles(directory: string = configDirectory()): Readonly<Record<string, Profile>> {
  return readConfig(configFile(directory), () => {}).profiles;
}

/** What is wrong when a profile does not exist, and how to make one. */
export function missingProfile(name: string, directory: string): SvcError {
  const path = configFile(directory);
  const example = { profiles: { [name]: { baseUrl: "https://…", clientId: "…", clientSecret: "…" } } };
  const question = didYouMean(name, Object.keys(allProfiles(directory)), (one) => JSON.stringify(one));
  return new SvcError("INVALID_CONFIG", `There is no profile ${JSON.stringify(name)} in ${path}.`, {
    hint:
      `${question}Set SVC_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET, or put ${
        JSON.stringify(example)
      } into ${path}. ` +
      "'svc service start' makes a profile for a service of its own.",
  });
}

/** A configuration is never for others to change: it says where the secret goes, and may name a program to run. */
function warnOfConfig(path: string, { profiles }: Config, warn: Warn): void {
  const has = (member: keyof Profile) => Object.values(profiles).some((profile) => profile[member] !== undefined);
  if (has("clientSecret")) warnIfExposed(path, warn);
  else if (has("clientSecretCommand")) warnOfOthers(path, "names a program that svc runs for the secret", warn);
  else warnOfOthers(path, "says where the secret is sent", warn, ["change"]);
}

/** Reads at once: for a small file that every command needs, waiting for the event loop takes longer than reading. */
function readConfig(path: string, warn: Warn): Config {
  const text = readOptional(path);
  if (text === undefined) return { profiles: {} };
  const config = checkConfig(parse(text, path), path);
  warnOfConfig(path, config, warn);
  return config;
}

function readOptional(path: string): string | undefined {
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
      hint: "Check what it is and who owns it.",
    });
  }
}

/** The parser's own message can quote the text, and with it a secret: only its position is passed on. */
function parse(text: string, path: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    const place = error instanceof Error ? / \(line \d+ column \d+\)/.exec(error.message)?.[0] ?? "" : "";
    throw new SvcError("INVALID_CONFIG", `${path} is not valid JSON${place}.`, {
      hint: "Correct it: a comma or a quotation mark too many or too few is the usual cause.",
    });
  }
}

function checkConfig(value: JsonValue, path: string): Config {
  const place = (member: string) => `${path}: ${member}`;
  if (!isJsonObject(value)) throw invalidConfig(`${path} must hold a JSON object.`);
  const { profiles = {} } = value;
  if (!isJsonObject(profiles)) throw invalidConfig(`${place("profiles")} must be an object.`);
  const checked: [string, Profile][] = Object.entries(profiles).map(([name, profile]) => {
    checkProfile(profile, place(`profiles.${name}`));
    return [name, profile];
  });
  return { ...value, profiles: Object.fromEntries(checked) };
}

function unknownMembers(profile: Profile = {}): JsonObject {
  return Object.fromEntries(Object.entries(profile).filter(([name]) => !isProfileMember(name)));
}

function invalidConfig(message: string): SvcError {
  return new SvcError("INVALID_CONFIG", message, { hint: 'It looks like {"profiles": {"default": {…}}}.' });
}
