/** The rule for idempotency keys, which client and service check. */

/** The end of the sentence "… must be". */
export const KEY_FORM = "1 to 255 printable ASCII characters";

/** Reports whether a value is a valid key. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,255}$/.test(value);
}
