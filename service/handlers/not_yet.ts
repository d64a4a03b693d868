/** Temporary: handlers that are being written. */
import { ServiceError } from "../errors.ts";
export function notYet<T extends object>(): T {
  // deno-lint-ignore no-explicit-any
  return new Proxy({}, {
    get: (_, name) => () => {
      throw new ServiceError(500, `${String(name)} is not served yet.`);
    },
  }) as any;
}
