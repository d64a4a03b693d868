/** The one family of errors: what went wrong, as a code, and what to do about it, as a hint. */
import { isObjectList, isString, type JsonObject } from "../utils/json.ts";

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  408: "TIMEOUT",
  409: "CONFLICT",
  412: "PRECONDITION_FAILED",
  422: "VALIDATION_FAIL",
  423: "LOCKED",
  424: "FAILED_DEPENDENCY",
  428: "PRECONDITION_REQUIRED",
  429: "RATE_LIMITED",
  500: "INTERNAL_SERVER_ERROR",
};

/** What can go wrong: the service's statuses by name, then what the client finds by itself. */
export const ERROR_CODES = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "NOT_FOUND",
  "TIMEOUT",
  "CONFLICT",
  "PRECONDITION_FAILED",
  "VALIDATION_FAIL",
  "LOCKED",
  "FAILED_DEPENDENCY",
  "PRECONDITION_REQUIRED",
  "RATE_LIMITED",
  "INTERNAL_SERVER_ERROR",
  "SERVER_ERROR",
  "HTTP_ERROR",
  "INVALID_ARGS",
  "INVALID_CONFIG",
  "NETWORK_ERROR",
  "MISSING_ETAG",
  "BULK_PARTIAL_FAILURE",
  "INVALID_RESPONSE",
  "WORKFLOW_FAILED",
  "WORKFLOW_DIVERGED",
  "OUTCOME_UNKNOWN",
  "PERMISSION_DENIED",
  "INTERRUPTED",
  "INTERNAL_ERROR",
] as const;

/** What can go wrong, by its name. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One finding: of the service about a call, or of svc about a script. Services may say more of it. */
export interface ErrorDetail extends JsonObject {
  /** A code, or a sentence. */
  message?: string;
  /** The sentence for people. */
  localizedValue?: string;
  /** The field, e.g. `.Applicant`, or the embedded page that holds it. */
  erroneousInputOutputFieldInPage?: string;
  /** The property of the embedded page, or the name of the parameter. */
  erroneousInputOutputIdentifier?: string;
  /** The file of the script. */
  file?: string;
  /** The line in that file, from 1. */
  line?: number;
  /** The column in that line, from 1. */
  column?: number;
}

/** What one attempt of a call failed with. */
export interface ErrorAttempt extends JsonObject {
  /** What went wrong. */
  code?: ErrorCode;
  /** HTTP status, where the service answered. */
  status?: number;
  /** One sentence for people. */
  message?: string;
  /** Milliseconds from the beginning of the call until the attempt had failed. */
  afterMilliseconds?: number;
}

/** What an error can say beyond its code and message. */
export interface SvcErrorOptions extends ErrorOptions {
  /** HTTP status, where the service answered. */
  status?: number;
  /** The service's own class of the error, e.g. `Resource not found`. */
  classification?: string;
  /** One element per finding, e.g. per field of a content that did not fit. */
  details?: ErrorDetail[];
  /** The operation that failed, by its permission name, e.g. `cases.get`. */
  operation?: string;
  /** The service's identifier of the request, for its operators' logs. */
  requestId?: string;
  /** What the user can do next, in one sentence. */
  hint?: string;
  /** What each attempt failed with, where there was more than one. */
  attempts?: ErrorAttempt[];
  /** When to come back: the service's `Retry-After` as it came, a number of seconds or an HTTP date. */
  retryAfter?: string;
  /** Says of a changing call that the service may have done it all the same. */
  outcomeUnknown?: boolean;
  /** Says that the service itself has judged the call, and not who stands before it. */
  judged?: boolean;
  /** Says that the service has given its first answer to a repeated idempotency key again. */
  replayed?: boolean;
}

/** An error as it is written to stderr, and as it crosses to a workflow: without what is for who repeats the call. */
export interface ErrorRecord
  extends Omit<SvcErrorOptions, "cause" | "retryAfter" | "outcomeUnknown" | "judged" | "replayed"> {
  /** What went wrong. */
  code: ErrorCode;
  /** One sentence for people. */
  message: string;
}

/** What a record may have beside code and message, and what each of that is. */
const CHECKS: { readonly [M in Exclude<keyof ErrorRecord, "code" | "message">]-?: (value: unknown) => boolean } = {
  status: (value) => typeof value === "number",
  classification: isString,
  details: isObjectList,
  operation: isString,
  requestId: isString,
  hint: isString,
  attempts: isObjectList,
};

const MEMBERS = Object.keys(CHECKS) as (keyof typeof CHECKS)[];

/** What an error may have that its record has not. */
const UNRECORDED = ["retryAfter", "outcomeUnknown", "judged", "replayed"] as const satisfies readonly Exclude<
  keyof SvcErrorOptions,
  keyof ErrorRecord
>[];

/**
 * The error that every function of this library throws.
 *
 * @example Telling a missing case from other failures
 * ```ts
 * import { createClient, SvcError } from "@svc/lib";
 *
 * const svc = createClient();
 * try {
 *   await svc.cases.get("no such case");
 * } catch (error) {
 *   if (!(error instanceof SvcError) || error.code !== "NOT_FOUND") throw error;
 *   console.log("gone");
 * }
 * ```
 */
export class SvcError extends Error {
  /** The class's name, as it shows in a log. */
  override readonly name = "SvcError";
  /** What went wrong. */
  readonly code: ErrorCode;
  /** HTTP status, where the service answered. */
  declare readonly status?: number;
  /** The service's own class of the error. */
  declare readonly classification?: string;
  /** One element per finding. */
  declare readonly details?: ErrorDetail[];
  /** The operation that failed, e.g. `cases.get`. */
  declare readonly operation?: string;
  /** The service's identifier of the request. */
  declare readonly requestId?: string;
  /** What the user can do next. */
  declare readonly hint?: string;
  /** What each attempt failed with, where there was more than one. */
  declare readonly attempts?: ErrorAttempt[];
  /** When to come back: the service's `Retry-After` as it came, a number of seconds or an HTTP date. */
  declare readonly retryAfter?: string;
  /** Whether the service may have done a changing call all the same: to repeat it could do it twice. */
  declare readonly outcomeUnknown?: boolean;
  /**
   * Whether the service itself has judged the call, and not who stands before it: had it been done before under its key,
   * the service would have said so.
   */
  declare readonly judged?: boolean;
  /** Whether it is the service's first answer to a repeated idempotency key, given again. */
  declare readonly replayed?: boolean;

  /** Makes an error of a code, with a sentence for people and what else is known. */
  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    // A member that is there and undefined would show in every log.
    for (const name of [...MEMBERS, ...UNRECORDED]) {
      if (options[name] !== undefined) Object.assign(this, { [name]: options[name] });
    }
  }

  /** The error as plain data; members that are not known are absent. */
  toJSON(): ErrorRecord {
    const record: ErrorRecord = { code: this.code, message: this.message };
    for (const name of MEMBERS) if (this[name] !== undefined) Object.assign(record, { [name]: this[name] });
    return record;
  }

  /** The same error, known to have happened in an operation. */
  during(operation: string): SvcError {
    return this.operation === undefined ? this.with({ operation }) : this;
  }

  /** The same error, of which more is known. */
  with(more: SvcErrorOptions, message: string = this.message): SvcError {
    const unrecorded: SvcErrorOptions = Object.fromEntries(UNRECORDED.map((name) => [name, this[name]]));
    const known = new SvcError(this.code, message, { ...this.toJSON(), cause: this.cause, ...unrecorded, ...more });
    known.stack = this.stack?.replace(this.message, () => message); // Where it was thrown, not where more was known.
    return known;
  }
}

/** The error of a call that its caller no longer wants. */
export function cancelledCall(options: ErrorOptions = {}): SvcError {
  return new SvcError("INTERRUPTED", "The call was cancelled.", options);
}

/** The code of an HTTP status of 300 or more. */
export function codeOfStatus(status: number): ErrorCode {
  return CODE_OF_STATUS[status] ?? (status >= 500 ? "SERVER_ERROR" : "HTTP_ERROR");
}

/** What a `Retry-After` says (RFC 9110): seconds, or a date in milliseconds since 1970; nothing where it is neither. */
export function readRetryAfter(retryAfter: string = ""): { seconds?: number; date?: number } {
  if (/^\d+$/.test(retryAfter)) return { seconds: Number(retryAfter) };
  // A number that is none of seconds can pass for a year: a date has letters.
  const date = /[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? {} : { date };
}

/** What to do about a refusal for the moment, by its `Retry-After`. */
export function hintOfWait(retryAfter?: string): string {
  const { seconds, date } = readRetryAfter(retryAfter);
  const wait = seconds !== undefined ? `${retryAfter} seconds` : date !== undefined ? `until ${retryAfter}` : undefined;
  return `Wait ${wait ?? "a few seconds"}, then try again.`;
}

/** The error that a record describes; undefined where it is none. What a member cannot be is left out. */
export function errorOfRecord(record: JsonObject): SvcError | undefined {
  const { code, message } = record;
  const known = ERROR_CODES.find((one) => one === code);
  if (known === undefined || typeof message !== "string") return undefined;
  const members = MEMBERS.filter((name) => CHECKS[name](record[name]));
  return new SvcError(known, message, Object.fromEntries(members.map((name) => [name, record[name]])));
}

/** What a thrown value says: anything can be thrown. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Any thrown value as an error of the family; what nobody foresaw is a defect of ours and says so. */
export function toSvcError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  const message = reasonOf(thrown);
  if (thrown instanceof Deno.errors.NotCapable || (isImportFailure(thrown) && message.startsWith("Requires "))) {
    return new SvcError("PERMISSION_DENIED", message, {
      cause: thrown,
      hint: "Put that flag into the 'deno install -f …' or 'deno run …' that svc was installed or started with.",
    });
  }
  return new SvcError("INTERNAL_ERROR", message, {
    cause: thrown,
    hint: isImportFailure(thrown)
      ? "The installed program is incomplete, or was built again while it ran. Build it with 'deno task build'."
      : "This is a defect of svc. SVC_DEBUG=1 shows where it happened.",
  });
}

/** Tells whether a module could not be loaded, be it that it is missing or that Deno has no permission to load it. */
export function isImportFailure(thrown: unknown): thrown is TypeError {
  return thrown instanceof TypeError && "code" in thrown && thrown.code === "ERR_MODULE_NOT_FOUND";
}
