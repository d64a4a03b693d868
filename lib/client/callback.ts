/** Callbacks of a program. */
import { getErrorMessage, SvcError, type SvcErrorOptions } from "../errors.ts";

/** Receives warnings about problems that do not fail the call. */
export type Warn = (message: string) => void;

/** Calls the callback of an option. An error that it throws becomes `INVALID_ARGS`, not a failure of the network. */
export function invokeCallback<T>(
  name: string,
  callback: ((value: T) => void) | undefined,
  value: T,
  more?: SvcErrorOptions,
): void {
  try {
    callback?.(value);
  } catch (cause) {
    throw new SvcError("INVALID_ARGS", `${name} threw: ${getErrorMessage(cause)}`, {
      cause,
      hint: `Catch errors inside ${name}.`,
      ...more,
    });
  }
}
