/** Decides whether a failed change may have been applied. */
import { type SvcError, toSvcError } from "../errors.ts";
import { isRead, type Operation } from "../operation/operation.ts";

/** Reports whether a request that was sent once may have been applied, although it failed with an error. */
export function mayBeDone({ code, status, retryAfter, cause }: SvcError): boolean {
  if (code === "INVALID_RESPONSE") return true; // A proxy may have damaged the response to an applied change.
  // The service has started: a 303 refers to the result, a 424 reports that a dependency failed.
  if (status === 303 || status === 424) return true;
  if (status !== undefined && status < 200) return true; // The exchange continues in another protocol.
  if (status === 408) return true; // A gateway may have given up on the response.
  // A 5xx does not tell whether the request was applied, except a 503 with Retry-After: that rejects it.
  if (status !== undefined) return status >= 500 && !(status === 503 && retryAfter !== undefined);
  if (code === "NETWORK_ERROR") {
    return !(cause instanceof Error && joinMessages(cause).includes("client error (Connect)"));
  }
  return code === "TIMEOUT" || code === "INTERRUPTED";
}

/** Returns the messages of an error and its causes, separated by colons. */
export function joinMessages({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${joinMessages(cause)}` : message;
}

/** Marks the error of an invalid response: the service has responded, so a change may have been applied. */
export function markOutcomeUnknown(operation: Operation, error: unknown): unknown {
  return isRead(operation) ? error : toSvcError(error).with({ outcomeUnknown: true });
}
