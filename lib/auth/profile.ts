import { SvcError } from "../errors.ts";
import { isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";

/** A profile name becomes part of a file name. */
const MAX_NAME_LENGTH = 64;
/** Separators, control characters, and characters that some file systems reject. */
// deno-lint-ignore no-control-regex
const NOT_IN_NAME = /[\u0000-\u001f\u007f-\u009f/\\<>:"|?*]/;

/** Timers support little more than this. */
const MAX_TIMEOUT_SECONDS = 86_400;

/** Default paths of the API and the token endpoint. */
export const DEFAULT_PATHS = { apiRoot: "/dx-api/v2", tokenPath: "/oauth2/token" } as const;

/** A service and the client's credentials for it. Unknown members are preserved. */
export interface Profile extends JsonObject {
  /** Address of the service, e.g. `https://svc.example`. */
  baseUrl?: string;
  /** Client ID. */
  clientId?: string;
  /** Client secret. */
  clientSecret?: string;
  /** Program and arguments of a command that prints the client secret. */
  clientSecretCommand?: string[];
  /** Path of the API below the base URL. Default: `/dx-api/v2`. */
  apiRoot?: string;
  /** Path of the token endpoint below the base URL. Default: `/oauth2/token`. */
  tokenPath?: string;
  /** Timeout of a call in seconds. Default: 30. */
  timeoutSeconds?: number;
  /** Allows `http://` to other machines. */
  allowInsecureHttp?: boolean;
  /** Set to false if the service does not support `Idempotency-Key`. Default: true. */
  idempotencyKeys?: boolean;
}

/** A check of a value, and the end of the sentence "… must be". */
interface Rule {
  readonly must: string;
  readonly holds: (value: unknown) => boolean;
}

const PATH_RULE: Rule = { must: 'a path such as "/dx-api/v2", without a query', holds: isPath };
const BOOLEAN_RULE: Rule = { must: "true or false", holds: (value) => typeof value === "boolean" };
const TEXT_RULE: Rule = { must: "a non-empty text", holds: isNonEmptyString };

/** The rule for timeouts in seconds. */
export const TIMEOUT_RULE = {
  must: `a number of seconds above 0 and at most ${MAX_TIMEOUT_SECONDS}`,
  holds: (value: unknown): boolean => typeof value === "number" && value > 0 && value <= MAX_TIMEOUT_SECONDS,
} as const;

const RULES = {
  baseUrl: {
    must: "an http or https address without user name, query or fragment, such as https://svc.example",
    holds: isServiceUrl,
  },
  clientId: TEXT_RULE,
  clientSecret: TEXT_RULE,
  clientSecretCommand: {
    must: "an array with a program and its arguments",
    holds: (value) =>
      Array.isArray(value) && isNonEmptyString(value[0]) && value.every((part) => typeof part === "string"),
  },
  apiRoot: PATH_RULE,
  tokenPath: { ...PATH_RULE, must: 'a path such as "/oauth2/token", without a query' },
  timeoutSeconds: TIMEOUT_RULE,
  allowInsecureHttp: BOOLEAN_RULE,
  idempotencyKeys: BOOLEAN_RULE,
} as const satisfies Record<string, Rule>;

/** The members of a profile. */
export type ProfileMember = keyof typeof RULES;

/** Reports whether a profile has a member of this name. */
export function isProfileMember(name: string): name is ProfileMember {
  return Object.hasOwn(RULES, name);
}

/** The members of a profile, each with the values that it takes. */
export const PROFILE_MEMBERS: readonly { readonly name: string; readonly value: string }[] = Object.entries(RULES).map((
  [name, { must }],
) => ({ name, value: must }));

/** Throws unless the value is valid for the member. The message starts with the place. */
export function checkMember(member: ProfileMember, value: unknown, place: string): void {
  const { must, holds } = RULES[member];
  if (!holds(value)) throw invalidProfile(`${place} must be ${must}.`);
}

/** Throws unless the value is a profile. The message starts with the place, e.g. `profiles.default`. */
export function checkProfile(value: JsonValue | undefined, place: string): asserts value is Profile {
  if (!isJsonObject(value)) throw invalidProfile(`${place} must be an object.`);
  for (const member of Object.keys(RULES)) {
    const content = value[member];
    if (isProfileMember(member) && content !== undefined) checkMember(member, content, `${place}.${member}`);
  }
  if (value.clientSecret !== undefined && value.clientSecretCommand !== undefined) {
    throw invalidProfile(`${place} must have clientSecret or clientSecretCommand, not both.`);
  }
}

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
  return protocol === "https:" || hostname === "localhost" || hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function invalidProfile(message: string): SvcError {
  return new SvcError("INVALID_CONFIG", message, { hint: "Correct it, then try again." });
}

function isServiceUrl(value: unknown): boolean {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (!url || typeof value !== "string") return false;
  const isPlain = url.username === "" && url.password === "" && !/[?#]/.test(value);
  return isPlain && (url.protocol === "https:" || url.protocol === "http:");
}

/** Reports whether a value is a path that URL parsing does not change. */
function isPath(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("/") && URL.parse("http://host" + value)?.pathname === value;
}
