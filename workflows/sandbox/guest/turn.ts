/** Turns of the event loop: when one begins, all promises that were settled in the last have had their consequences. */

/** It is not read before it is needed: the runtime then loads code that takes longer than loading a script. */
const immediate = Object.getOwnPropertyDescriptor(globalThis, "setImmediate");

let schedule: ((callback: () => void) => unknown) | undefined;

/** Resolves in the next turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    schedule ??= immediate?.get?.call(globalThis) ?? immediate?.value;
    schedule?.(resolve);
  });
}
