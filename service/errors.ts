/** What the service answers when it cannot do what was asked: a status and the body that DX API clients read. */
import type { ErrorDetail as SvcErrorDetail } from "../lib/errors.ts";
import type { JsonObject } from "../utils/json.ts";

/** What each status is called, and the sentence for people. */
const KINDS = {
  400: ["Invalid inputs", "One or more inputs are invalid"],
  401: ["Unauthorized", "Invalid or expired token"],
  403: ["Insufficient security", "User is not allowed to access or update the resource"],
  404: ["Resource not found", "The resource cannot be found."],
  405: ["Method not allowed", "The resource does not take this method."],
  409: ["Conflict", "The request conflicts with the state of the resource."],
  412: ["Precondition failed", "The resource has changed since it was read."],
  413: ["Content too large", "The request body is too large."],
  422: ["Validation fail", "Validation failed: Errors Detected."],
  423: ["Locked", "The resource is locked."],
  424: ["Dependent resource fail", "A resource that this one depends on has failed."],
  428: ["Precondition required", "The entity tag of the resource is needed."],
  500: ["Internal server error", "The service failed."],
} as const;

/** A status that the service answers instead of success. */
export type FailureStatus = keyof typeof KINDS;

/** One finding. */
export interface ErrorDetail extends SvcErrorDetail {
  /** A code, or a sentence. */
  message: string;
}

/** A finding that has no code, with the place where it is. */
export function finding(sentence: string, place: Partial<ErrorDetail> = {}): ErrorDetail {
  return { message: sentence, localizedValue: sentence, ...place };
}

/** Findings of a kind that are told: a body can hold a million rows, each without what it needs. */
export const TOLD = 1000;

/** Thrown by whatever serves an operation; becomes the answer. */
export class ServiceError extends Error {
  /** The class's name, as it shows in a log. */
  override readonly name = "ServiceError";
  /** HTTP status. */
  readonly status: FailureStatus;
  /** What kind of failure it is. */
  readonly classification: string;
  /** The sentence for people. */
  readonly localizedValue: string;
  /** One element per finding. */
  readonly details: readonly ErrorDetail[];
  /** Further members of the body, for the few resources whose errors have some. */
  readonly members: JsonObject;

  /** Makes a failure from a sentence, or from its findings. */
  constructor(status: FailureStatus, findings: string | readonly ErrorDetail[], members: JsonObject = {}) {
    const details = typeof findings === "string" ? [finding(findings)] : findings;
    super(details.map((detail) => detail.localizedValue ?? detail.message).join(" "));
    this.status = status;
    [this.classification, this.localizedValue] = KINDS[status];
    this.details = details;
    this.members = members;
  }

  /** The body of the answer. */
  toBody(): JsonObject {
    return {
      errorClassification: this.classification,
      localizedValue: this.localizedValue,
      errorDetails: this.details.map((detail) => ({ ...detail })),
      ...this.members,
    };
  }
}

/** A 422: the generic finding that clients expect first, then one per field. */
export function validationFailure(findings: readonly ErrorDetail[]): ServiceError {
  const generic = { message: "Error_Validation_Fail", localizedValue: "Validation failed: Errors Detected." };
  return new ServiceError(422, [generic, ...findings]);
}
