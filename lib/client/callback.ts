/** The functions that a program gives to be told of something. */
import { getErrorMessage, SvcError, type SvcErrorOptions } from "../errors.ts";

/** Is told what a person should know, although nothing fails. */
export type Warn = (message: string) => void;

/** Tells a function of the option `name`. What it throws is its own fault, and not one of the network or of svc. */
export function tell<T>(name: string, told: ((value: T) => void) | undefined, value: T, more?: SvcErrorOptions): void {
  try {
    told?.(value);
  } catch (cause) {
    throw new SvcError("INVALID_ARGS", `${name} threw: ${getErrorMessage(cause)}`, {
      cause,
      hint: `Catch in ${name} what may fail.`,
      ...more,
    });
  }
}
