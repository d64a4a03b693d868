/** Longest name of a signal, in characters. */
export const MAX_SIGNAL_NAME = 100;

/** Reports whether a value is the name of a signal. */
export function isSignalName(name: unknown): name is string {
  return typeof name === "string" && name.length > 0 && name.length <= MAX_SIGNAL_NAME;
}
