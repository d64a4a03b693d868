/** Reports whether a value can be the ID of a process. A negative number would identify a process group. */
export function isProcessId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 2 ** 31;
}
