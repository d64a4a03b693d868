/** Errors of requests that a service does not serve. */
import { SvcError } from "../errors.ts";

/** Statuses for requests that a service does not know, or does not allow this caller. */
const UNKNOWN: readonly (number | undefined)[] = [403, 404, 405, 410, 501];

/** Further statuses for requests that a service does not support, e.g. for a data view. */
const UNSUPPORTED: readonly (number | undefined)[] = [400, 422];

/** Reports whether an error shows that a service does not know a request, e.g. by a web page instead of JSON. */
export function isUnknown(error: unknown): error is SvcError {
  return error instanceof SvcError && (error.code === "INVALID_RESPONSE" || UNKNOWN.includes(error.status));
}

/** Reports whether an error shows that a service does not know or does not support a request. */
export function isUnserved(error: unknown): error is SvcError {
  return isUnknown(error) || (error instanceof SvcError && UNSUPPORTED.includes(error.status));
}
