/** Errors of the domain. They do not depend on a protocol: `http/status.ts` maps each kind to a response. */
import type { ErrorDetail } from "../lib/errors.ts";

/** One problem in a request. */
export interface Issue extends ErrorDetail {
  /** Code of the issue, or a sentence. */
  message: string;
}

/** Creates an issue without a code, with the place where it was found. */
export function createIssue(sentence: string, place: Partial<Issue> = {}): Issue {
  return { message: sentence, localizedValue: sentence, ...place };
}

/** Maximum number of issues of one kind in an error: a body can hold a million rows, each with an issue. */
export const MAX_ISSUES = 1000;

/** Kind of a domain error. */
export type DomainErrorKind =
  | "Invalid"
  | "ValidationFailed"
  | "Unsupported"
  | "NotFound"
  | "Forbidden"
  | "Conflict"
  | "Stale"
  | "EntityTagRequired"
  | "Locked"
  | "DependencyFailed"
  | "OperationFailed";

/** The reason why an operation was not performed, with its issues. */
export abstract class ServiceError extends Error {
  /** The kind, which decides about the response. */
  abstract readonly kind: string;
  /** The problems, at least one. */
  readonly details: readonly Issue[];

  /** Creates an error from a sentence, or from its issues. */
  constructor(problem: string | readonly Issue[], options?: ErrorOptions) {
    const details = typeof problem === "string" ? [createIssue(problem)] : problem;
    super(details.map(({ localizedValue, message }) => localizedValue ?? message).join(" "), options);
    this.details = details;
  }
}

/** An error that the rules of a subject throw. */
export abstract class DomainError extends ServiceError {
  abstract override readonly kind: DomainErrorKind;
}

/** The arguments have the wrong format, or name something that they may not name. */
export class Invalid extends DomainError {
  readonly kind = "Invalid";
}

/** The submitted content violates the rules of its fields. */
export class ValidationFailed extends DomainError {
  readonly kind = "ValidationFailed";

  /** Creates an error from the issues. A generic issue, which clients expect, comes first. */
  constructor(issues: readonly Issue[]) {
    super([{ message: "Error_Validation_Fail", localizedValue: "Validation failed: Errors Detected." }, ...issues]);
  }
}

/** The resource does not support the operation. */
export class Unsupported extends DomainError {
  readonly kind = "Unsupported";
}

/** The resource does not exist, or the caller may not know that it exists. */
export class NotFound extends DomainError {
  readonly kind = "NotFound";
}

/** The caller may not do this. */
export class Forbidden extends DomainError {
  readonly kind = "Forbidden";
}

/** The state of the resource does not allow the operation. */
export class Conflict extends DomainError {
  readonly kind = "Conflict";
}

/** The resource has changed since the caller read it. */
export class Stale extends DomainError {
  readonly kind = "Stale";
}

/** The operation needs the entity tag of the resource. */
export class EntityTagRequired extends DomainError {
  readonly kind = "EntityTagRequired";
}

/** Another operator, or an operation in progress, has locked the resource. */
export class Locked extends DomainError {
  readonly kind = "Locked";
}

/** Another system, which the operation needs, has failed. */
export class DependencyFailed extends DomainError {
  readonly kind = "DependencyFailed";
}

/** The application definition or the service does not allow the operation to succeed. */
export class OperationFailed extends DomainError {
  readonly kind = "OperationFailed";
}
