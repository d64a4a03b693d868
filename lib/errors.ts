/** The errors that svc throws: a code, a message, and a hint about what to do next. */
import { isNonEmptyString, isObjectList, isString, type JsonObject, type JsonValue } from "../utils/json.ts";
import { shellQuote } from "../utils/text/shell_quote.ts";

/** The codes of the HTTP statuses that have one of their own. */
const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
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

/** Every error code: first those of HTTP statuses, then those of errors that svc detects itself. */
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
  "OUTPUT_FAILED",
  "INVALID_RESPONSE",
  "WORKFLOW_FAILED",
  "WORKFLOW_DIVERGED",
  "OUTCOME_UNKNOWN",
  "STORE_DAMAGED",
  "JOURNAL_DAMAGED",
  "PERMISSION_DENIED",
  "INTERRUPTED",
  "INTERNAL_ERROR",
] as const;

/** A code that names the kind of an error. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One issue that the service reports about a request, or svc about a script. Services may add members. */
export interface ErrorDetail extends JsonObject {
  /** Code of the issue, or a sentence. */
  message?: string;
  /** Description in the language of the user. */
  localizedValue?: string;
  /** Path of the field, e.g. `.Applicant` or `.Documents(1).Title`, or of the embedded page that contains it. */
  erroneousInputOutputFieldInPage?: string;
  /** Property of the embedded page, or name of the parameter. */
  erroneousInputOutputIdentifier?: string;
  /** File of the script. */
  file?: string;
  /** Line in the file, starting at 1. */
  line?: number;
  /** Column in the line, starting at 1. */
  column?: number;
  /** Files and lines from which this line of the script was called, the innermost first, e.g. `main.ts:8`. */
  callers?: string[];
}

/** The error of one attempt of a call. */
export interface ErrorAttempt extends JsonObject {
  /** Code of the error. */
  code?: ErrorCode;
  /** HTTP status, if there was a response. */
  status?: number;
  /** One sentence that describes the error. */
  message?: string;
  /** Milliseconds from the start of the call to the failure of the attempt. */
  afterMilliseconds?: number;
}

/** A command line that helps with an error. */
export interface HintCommand {
  /** Arguments after `svc`, unquoted, e.g. `["auth", "diagnose"]`. */
  readonly args: readonly string[];
  /** Purpose as an infinitive, e.g. `to find the step that fails`. */
  readonly purpose: string;
}

/** An option of a function that helps with an error. On the command line it is a flag. */
export interface HintOption {
  /** Name in camel case, e.g. `ifMatch`. */
  readonly name: string;
  /** Purpose as an infinitive, e.g. `to send the entity tag that you last read`. */
  readonly purpose: string;
}

/** Advice on an error. */
export interface Hint {
  /** Advice in full sentences. */
  readonly text?: string;
  /** Options that help. */
  readonly options?: readonly HintOption[];
  /** Command lines that help, the best one first. */
  readonly commands?: readonly HintCommand[];
}

/** Additional properties of an error. */
export interface SvcErrorOptions extends ErrorOptions {
  /** HTTP status, if there was a response. */
  status?: number | undefined;
  /** The service's classification of the error, e.g. `Resource not found`. */
  classification?: string | undefined;
  /** One element per issue, e.g. per invalid field. */
  details?: ErrorDetail[] | undefined;
  /** Permission name of the operation that failed, e.g. `cases.get`. */
  operation?: string | undefined;
  /** The service's identifier of the request, for its operators' logs. */
  requestId?: string | undefined;
  /** Advice on the next step. A string is short for a hint with a text only. */
  hint?: string | Hint | undefined;
  /** Errors of the attempts, if there was more than one attempt. */
  attempts?: ErrorAttempt[] | undefined;
  /** `Retry-After` header of the response: a number of seconds or an HTTP date. */
  retryAfter?: string | undefined;
  /** True if a change may have been applied although the call failed. */
  outcomeUnknown?: boolean | undefined;
  /** True if the service itself rejected the request, not a gateway or proxy in front of it. */
  rejectedByService?: boolean | undefined;
  /** True if the response repeats the first response to the same idempotency key. */
  replayed?: boolean | undefined;
  /** The body of a response that is not valid: JSON, or its text. */
  raw?: JsonValue | undefined;
}

/** An error as plain data, as it is printed to stderr and passed to workflow scripts. */
export interface ErrorRecord
  extends Pick<SvcErrorOptions, "status" | "classification" | "details" | "operation" | "requestId" | "attempts"> {
  /** Code of the error. */
  code: ErrorCode;
  /** One sentence that describes the error. */
  message: string;
  /** Advice on the next step. */
  hint?: string;
}

/** The optional properties of a record, and the checks of their values. */
const RECORD_CHECKS: { readonly [M in Exclude<keyof ErrorRecord, "code" | "message">]-?: (value: unknown) => boolean } =
  {
    status: (value) => typeof value === "number",
    classification: isString,
    details: isObjectList,
    operation: isString,
    requestId: isString,
    hint: isString,
    attempts: isObjectList,
  };

const RECORD_PROPERTIES = Object.keys(RECORD_CHECKS) as (keyof typeof RECORD_CHECKS)[];

/** Properties that help to retry a call. They are not part of a record. */
const RETRY_PROPERTIES = ["retryAfter", "outcomeUnknown", "rejectedByService", "replayed"] as const satisfies Exclude<
  keyof SvcErrorOptions,
  keyof ErrorRecord
>[];

/**
 * The error that every function of this library throws.
 *
 * @example Handle a missing case
 * ```ts
 * import { createClient, SvcError } from "@svc/lib";
 *
 * const svc = createClient();
 * try {
 *   await svc.cases.get("no such case");
 * } catch (error) {
 *   if (!(error instanceof SvcError) || error.code !== "NOT_FOUND") throw error;
 *   console.log("not found");
 * }
 * ```
 */
export class SvcError extends Error {
  /** Name of the class. */
  override readonly name = "SvcError";
  /** Code of the error. */
  readonly code: ErrorCode;
  /** HTTP status, if there was a response. */
  declare readonly status?: number;
  /** The service's classification of the error. */
  declare readonly classification?: string;
  /** One element per issue. */
  declare readonly details?: ErrorDetail[];
  /** Permission name of the operation that failed, e.g. `cases.get`. */
  declare readonly operation?: string;
  /** The service's identifier of the request. */
  declare readonly requestId?: string;
  /** Advice on the next step. */
  declare readonly hint?: string;
  /** Errors of the attempts, if there was more than one attempt. */
  declare readonly attempts?: ErrorAttempt[];
  /** `Retry-After` header of the response: a number of seconds or an HTTP date. */
  declare readonly retryAfter?: string;
  /** True if a change may have been applied although the call failed: to repeat it could apply it twice. */
  declare readonly outcomeUnknown?: boolean;
  /**
   * True if the service itself rejected the request, not a gateway or proxy in front of it. A service that supports
   * idempotency keys would have repeated its first response if an earlier attempt had been applied.
   */
  declare readonly rejectedByService?: boolean;
  /** True if the response repeats the first response to the same idempotency key. */
  declare readonly replayed?: boolean;
  /** The body of a response that does not have the promised form: JSON, or its text. It is not enumerable. */
  declare readonly raw?: JsonValue;
  readonly #hint: string | Hint | undefined;

  /** Creates an error with a code, one sentence that describes it, and additional properties. */
  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.#hint = options.hint;
    const properties = { ...options, hint: this.renderHint() };
    // Undefined properties would show in logs.
    for (const name of [...RECORD_PROPERTIES, ...RETRY_PROPERTIES]) {
      if (properties[name] !== undefined) Object.assign(this, { [name]: properties[name] });
    }
    if (options.raw !== undefined) Object.defineProperty(this, "raw", { value: options.raw });
  }

  /** Returns name and message, and a line for each invalid field or parameter. */
  override toString(): string {
    const issues = (this.details ?? []).map((detail) => [nameField(detail), detail.localizedValue ?? detail.message]);
    const lines = issues.flatMap(([field, text]) => field === "" || !text ? [] : [`  ${field}: ${text}`]);
    return [`${this.name}: ${this.message}`, ...lines].join("\n");
  }

  /** Returns the error as plain data, without undefined properties. */
  toJSON(): ErrorRecord {
    const record: ErrorRecord = { code: this.code, message: this.message };
    for (const name of RECORD_PROPERTIES) if (this[name] !== undefined) Object.assign(record, { [name]: this[name] });
    return record;
  }

  /** Returns the hint as text. Its options are written as in a program, unless `formatOption` formats their names. */
  renderHint(formatOption: (name: string) => string = (name) => name): string | undefined {
    if (typeof this.#hint !== "object") return this.#hint;
    const { text, options = [], commands = [] } = this.#hint;
    const lines = commands.map(({ args, purpose }) => `'${formatCommandLine(args)}' ${purpose}`);
    const sentences = [
      text,
      ...options.map(({ name, purpose }) => `Pass ${formatOption(name)} ${purpose}.`),
      lines.length > 0 ? `Run ${lines.join(", or ")}.` : undefined,
    ];
    return sentences.filter(Boolean).join(" ") || undefined;
  }

  /** Returns the error with the name of the operation that failed, unless it already has one. */
  withOperation(operation: string): SvcError {
    return this.operation === undefined ? this.with({ operation }) : this;
  }

  /** Returns a copy of the error with other properties, and with another message if one is passed. */
  with(options: SvcErrorOptions, message: string = this.message): SvcError {
    const retry: SvcErrorOptions = Object.fromEntries(RETRY_PROPERTIES.map((name) => [name, this[name]]));
    const own = { ...this.toJSON(), ...retry, cause: this.cause, hint: this.#hint, raw: this.raw };
    const copy = new SvcError(this.code, message, { ...own, ...options });
    // The stack shows where the original was thrown.
    if (this.stack !== undefined) copy.stack = this.stack.replace(this.message, () => message);
    return copy;
  }
}

/** Returns the path of the field or the name of the parameter that an issue is about; empty if it is about none. */
export function nameField(
  { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: member }: ErrorDetail,
): string {
  return [page, member].filter(isNonEmptyString).join("").replace(/^\./, "");
}

/** Formats a command line of svc so that it can be pasted into a shell. */
export function formatCommandLine(args: readonly string[]): string {
  return ["svc", ...args.map(shellQuote)].join(" ");
}

/** Creates the error of a call that was cancelled with its signal. */
export function createCancelledError(options: ErrorOptions = {}): SvcError {
  return new SvcError("INTERRUPTED", "The call was cancelled.", options);
}

/** Returns the code for an HTTP status of 300 or more. */
export function getErrorCode(status: number): ErrorCode {
  return STATUS_CODES[status] ?? (status >= 500 ? "SERVER_ERROR" : "HTTP_ERROR");
}

/**
 * Parses a `Retry-After` header (RFC 9110) into whole seconds, or a date in milliseconds since 1970. Returns neither for
 * other text. Some servers send fractions of a second, which are rounded up.
 */
export function parseRetryAfter(retryAfter: string = ""): { seconds?: number; date?: number } {
  if (/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(retryAfter)) return { seconds: Math.ceil(Number(retryAfter)) };
  // Date.parse() takes other numbers for years. An HTTP date has letters.
  const date = /[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? {} : { date };
}

/** Returns the delay that a `Retry-After` header requests in milliseconds, or 0. */
export function getRetryDelay(retryAfter: string | undefined, now: number): number {
  const { seconds = 0, date = now } = parseRetryAfter(retryAfter);
  return Math.max(seconds * 1000, date - now);
}

/** Returns the hint for a temporary failure with this `Retry-After` header. */
export function createRetryHint(retryAfter?: string): string {
  const { seconds, date } = parseRetryAfter(retryAfter);
  const count = seconds === 1 ? "1 second" : `${seconds} seconds`;
  const wait = seconds !== undefined ? count : date !== undefined ? `until ${retryAfter}` : undefined;
  return `Wait ${wait ?? "a few seconds"}, then try again.`;
}

/** Converts a record back to an error. Omits invalid properties. Returns undefined if code or message are invalid. */
export function parseErrorRecord(record: JsonObject): SvcError | undefined {
  const { message } = record;
  const code = ERROR_CODES.find((known) => known === record.code);
  if (code === undefined || typeof message !== "string") return undefined;
  const names = RECORD_PROPERTIES.filter((name) => RECORD_CHECKS[name](record[name]));
  return new SvcError(code, message, Object.fromEntries(names.map((name) => [name, record[name]])));
}

/** Reports whether a thrown value is an error of the library. */
export function isSvcError(thrown: unknown): thrown is SvcError {
  return thrown instanceof SvcError;
}

/** Returns the message of a thrown value, which need not be an error. */
export function getErrorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Converts any thrown value to an `SvcError`. An unexpected one becomes an `INTERNAL_ERROR`. */
export function toSvcError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  const message = getErrorMessage(thrown);
  if (thrown instanceof Deno.errors.NotCapable || (isImportFailure(thrown) && message.startsWith("Requires "))) {
    return new SvcError("PERMISSION_DENIED", message, {
      cause: thrown,
      hint: "Add that flag to the 'deno install' or 'deno run' command that installs or starts svc.",
    });
  }
  return new SvcError("INTERNAL_ERROR", message, {
    cause: thrown,
    hint: isImportFailure(thrown)
      ? "The installed program is incomplete or was replaced while it ran. Build it with 'deno task build'."
      : "This is a bug in svc. Set SVC_DEBUG=1 to see where it happened.",
  });
}

/** Reports whether a module could not be loaded because it is missing or Deno lacks the permission to load it. */
export function isImportFailure(thrown: unknown): thrown is TypeError {
  return thrown instanceof TypeError && "code" in thrown && thrown.code === "ERR_MODULE_NOT_FOUND";
}
