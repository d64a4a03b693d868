/** What a profile may say, and the check of each member where it enters: from the file or from a program. */
import { SvcError } from "../errors.ts";
import { isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";

/** Most characters that a profile's name may have: it becomes part of a file's name. */
const NAME_LIMIT = 64;
/** Separators, what some file system refuses in a name, and control characters. */
// deno-lint-ignore no-control-regex
const NOT_IN_NAME = /[\u0000-\u001f\u007f-\u009f/\\<>:"|?*]/;

/** Seconds that a call may be given: timers do not reach much further than that. */
const LONGEST_TIMEOUT = 86_400;

/** Where the API and the token endpoint of a service are unless it is said otherwise. */
export const DEFAULT_PATHS = { apiRoot: "/dx-api/v2", tokenPath: "/oauth2/token" } as const;

/** A service, and who the caller is there. Members that svc does not know are kept. */
export interface Profile extends JsonObject {
  /** Address of the service, e.g. `https://svc.example`. */
  baseUrl?: string;
  /** Client ID. */
  clientId?: string;
  /** Client secret. */
  clientSecret?: string;
  /** A program with its arguments whose standard output is the client secret. */
  clientSecretCommand?: string[];
  /** Path of the API below the base URL; `/dx-api/v2` without it. */
  apiRoot?: string;
  /** Path of the token endpoint below the base URL; `/oauth2/token` without it. */
  tokenPath?: string;
  /** Seconds that a call may take; 30 without it. */
  timeoutSeconds?: number;
  /** Whether `http://` is allowed beyond this machine. */
  allowInsecureHttp?: boolean;
  /** Whether the service knows `Idempotency-Key`; it does, unless it is said. */
  idempotencyKeys?: boolean;
}

/** A check, and the end of the sentence "… must be". */
interface Rule {
  readonly must: string;
  readonly holds: (value: unknown) => boolean;
}

const PATH_RULE = { must: 'a path such as "/dx-api/v2", without a query', holds: isPath };
const BOOLEAN_RULE: Rule = { must: "true or false", holds: (value) => typeof value === "boolean" };
const TEXT_RULE: Rule = { must: "a text that is not empty", holds: isNonEmptyString };

/** What the seconds of a call must be. */
export const TIMEOUT_RULE = {
  must: `a number of seconds above 0 and at most ${LONGEST_TIMEOUT}`,
  holds: (value: unknown): boolean => typeof value === "number" && value > 0 && value <= LONGEST_TIMEOUT,
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

/** The members of a profile that svc knows. */
export type ProfileMember = keyof typeof RULES;

/** Whether svc knows a member of this name. */
export function isProfileMember(name: string): name is ProfileMember {
  return Object.hasOwn(RULES, name);
}

/** Refuses a value that a member cannot have; `place` names it in the message. */
export function checkMember(member: ProfileMember, value: unknown, place: string): void {
  const { must, holds } = RULES[member];
  if (!holds(value)) throw invalid(`${place} must be ${must}.`);
}

/** Refuses what is no profile; `place` names it in the message, e.g. `profiles.default`. */
export function checkProfile(value: JsonValue | undefined, place: string): asserts value is Profile {
  if (!isJsonObject(value)) throw invalid(`${place} must be an object.`);
  for (const member of Object.keys(RULES)) {
    const content = value[member];
    if (isProfileMember(member) && content !== undefined) checkMember(member, content, `${place}.${member}`);
  }
  if (value.clientSecret !== undefined && value.clientSecretCommand !== undefined) {
    throw invalid(`${place} must have clientSecret or clientSecretCommand, not both.`);
  }
}

/** Refuses a name that cannot be part of a file's name everywhere. */
export function checkProfileName(name: string): void {
  if (name !== "" && name.length <= NAME_LIMIT && !name.startsWith(".") && !NOT_IN_NAME.test(name)) return;
  throw new SvcError("INVALID_ARGS", `${JSON.stringify(name)} cannot name a profile.`, {
    hint: `Use letters, digits, "-", "_" and ".", not "." first, and at most ${NAME_LIMIT} of them.`,
  });
}

/** Whether an address may be used: `https`, or `http` to this machine. */
export function isSecure(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" || hostname === "localhost" || hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function invalid(message: string): SvcError {
  return new SvcError("INVALID_CONFIG", message, { hint: "Correct it, then try again." });
}

function isServiceUrl(value: unknown): boolean {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (!url || typeof value !== "string") return false;
  const plain = url.username === "" && url.password === "" && !/[?#]/.test(value);
  return plain && (url.protocol === "https:" || url.protocol === "http:");
}

/** A path that a URL parser leaves as it is. */
function isPath(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("/") && URL.parse("http://host" + value)?.pathname === value;
}
