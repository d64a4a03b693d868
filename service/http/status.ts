/** Maps results and errors to status codes, and describes errors as bodies. */
import type { JsonObject } from "../../utils/json.ts";
import { DomainError, type DomainErrorKind, type Issue, ServiceError } from "../errors.ts";

/** Statuses of results that differ from the status of their operation. */
const RESULTS = { done: 200, created: 201, accepted: 202, perElement: 207 } as const;

/** A successful result. */
export type Result = keyof typeof RESULTS;

/** Kind of an error that exists only in HTTP. */
type RequestErrorKind =
  | "Unauthorized"
  | "MethodNotAllowed"
  | "TimedOut"
  | "ContentTooLarge"
  | "HeadTooLarge"
  | "UnsupportedMediaType"
  | "KeyReused"
  | "InsufficientStorage"
  | "Damaged"
  | "Unavailable";

/** Options of a request error. */
interface RequestErrorOptions extends ErrorOptions {
  /** Seconds after which the client can repeat the request. */
  readonly retryAfter?: number;
}

/** An error of the request itself. Malformed requests are `Invalid`, unknown paths `NotFound`. */
export class RequestError extends ServiceError {
  readonly kind: RequestErrorKind;
  /** Seconds after which the client can repeat the request. */
  readonly retryAfter: number | undefined;

  /** Creates an error from a sentence, or from its issues. */
  constructor(kind: RequestErrorKind, problem: string | readonly Issue[], options: RequestErrorOptions = {}) {
    super(problem, options);
    this.kind = kind;
    this.retryAfter = options.retryAfter;
  }
}

/** An error that has a status. */
export type KnownError = DomainError | RequestError;

interface Failure {
  readonly status: number;
  readonly classification: string;
  readonly sentence: string;
}

/** Every kind of error with its response. A kind that is missing here does not compile. */
const FAILURES: Readonly<Record<DomainErrorKind | RequestErrorKind, Failure>> = {
  Invalid: { status: 400, classification: "Invalid inputs", sentence: "One or more inputs are invalid" },
  Unauthorized: { status: 401, classification: "Unauthorized", sentence: "Invalid or expired token" },
  Forbidden: {
    status: 403,
    classification: "Insufficient security",
    sentence: "User is not allowed to access or update the resource",
  },
  NotFound: { status: 404, classification: "Resource not found", sentence: "The resource cannot be found." },
  MethodNotAllowed: {
    status: 405,
    classification: "Method not allowed",
    sentence: "The resource does not allow this method.",
  },
  Conflict: {
    status: 409,
    classification: "Conflict",
    sentence: "The request conflicts with the state of the resource.",
  },
  Stale: {
    status: 412,
    classification: "Precondition failed",
    sentence: "The resource has changed since it was read.",
  },
  TimedOut: { status: 408, classification: "Request timeout", sentence: "The request did not arrive in time." },
  ContentTooLarge: { status: 413, classification: "Content too large", sentence: "The request body is too large." },
  ValidationFailed: {
    status: 422,
    classification: "Validation fail",
    sentence: "Validation failed: Errors Detected.",
  },
  Unsupported: { status: 422, classification: "Validation fail", sentence: "Validation failed: Errors Detected." },
  KeyReused: { status: 422, classification: "Validation fail", sentence: "Validation failed: Errors Detected." },
  Locked: { status: 423, classification: "Locked", sentence: "The resource is locked." },
  DependencyFailed: {
    status: 424,
    classification: "Dependent resource fail",
    sentence: "A resource that this one depends on has failed.",
  },
  EntityTagRequired: {
    status: 428,
    classification: "Precondition required",
    sentence: "The entity tag of the resource is required.",
  },
  UnsupportedMediaType: {
    status: 415,
    classification: "Unsupported media type",
    sentence: "The format of the request body is not supported.",
  },
  HeadTooLarge: { status: 431, classification: "Headers too large", sentence: "The headers are too large." },
  OperationFailed: { status: 500, classification: "Internal server error", sentence: "The service failed." },
  InsufficientStorage: {
    status: 507,
    classification: "Insufficient storage",
    sentence: "The service has no space to store the change.",
  },
  Damaged: { status: 500, classification: "Internal server error", sentence: "Stored data is damaged." },
  Unavailable: { status: 503, classification: "Service unavailable", sentence: "The service cannot respond now." },
};

/** Reports whether an error has a status. Any other error is a defect of the service. */
export function isKnownError(error: unknown): error is KnownError {
  return error instanceof DomainError || error instanceof RequestError;
}

/** Returns the status of a result or of an error. */
export function toStatus(result: Result | KnownError): number {
  return typeof result === "string" ? RESULTS[result] : FAILURES[result.kind].status;
}

/** Describes an error as the body of a response. */
export function describeError({ kind, details }: KnownError, members: JsonObject = {}): JsonObject {
  const { classification, sentence } = FAILURES[kind];
  return {
    errorClassification: classification,
    localizedValue: sentence,
    errorDetails: describeDetails({ details }),
    ...members,
  };
}

/** Describes the issues of an error. */
export function describeDetails({ details }: Pick<ServiceError, "details">): JsonObject[] {
  return details.map((detail) => ({ ...detail }));
}
