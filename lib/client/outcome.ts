/** Whether a change that failed may have been done all the same. */
import { type SvcError, toSvcError } from "../errors.ts";
import { isRead, type Operation } from "../operation/operation.ts";

/** Whether a request that was under way, and was sent once, may have been done although it failed with this error. */
export function mayBeDone({ code, status, retryAfter, cause }: SvcError): boolean {
  if (code === "INVALID_RESPONSE") return true; // A proxy may have markOutcomeUnknown the answer to what was done.
  // A 303 shows where the result is, a 424 says that something else failed: the service had begun.
  if (status === 303 || status === 424) return true;
  if (status !== undefined && status < 200) return true; // It goes on in another protocol.
  // A 5xx leaves open what became of the request; only a 503 with Retry-After is a refusal.
  if (status !== undefined) return status >= 500 && !(status === 503 && retryAfter !== undefined);
  if (code === "NETWORK_ERROR") {
    return !(cause instanceof Error && joinMessages(cause).includes("client error (Connect)"));
  }
  return code === "TIMEOUT" || code === "INTERRUPTED";
}

function joinMessages({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${joinMessages(cause)}` : message;
}

/** The error of an answer that is not what was promised: the service has answered, so a change may be done. */
export function markOutcomeUnknown(operation: Operation, error: unknown): unknown {
  return isRead(operation) ? error : toSvcError(error).with({ outcomeUnknown: true });
}
