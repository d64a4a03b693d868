/** The answer of a call whose script shall not go on: it ends with its process. */

/** Never settles. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
