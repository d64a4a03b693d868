/** Answers that are not what their operation promised. */
import { toSvcError } from "../errors.ts";
import { isRead, type Operation } from "../operation.ts";

/** The error of an answer that is not what was promised: the service has answered, so a change may be done. */
export function spoiled(operation: Operation, error: unknown): unknown {
  return isRead(operation) ? error : toSvcError(error).with({ outcomeUnknown: true });
}
