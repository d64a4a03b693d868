import type { SvcError } from "../../lib/errors.ts";

/** Reports whether an error shows that a service lacks an operation, which is not part of the specified API. */
export function isUnsupported({ code, status = 0 }: SvcError): boolean {
  return code === "INVALID_RESPONSE" || [403, 404, 405, 501].includes(status);
}
