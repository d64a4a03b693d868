/** What may be an idempotency key: both ends of a request refuse anything else. */

/** The end of the sentence "… must be". */
export const KEY_FORM = "1 to 255 printable ASCII characters";

/** Whether a value may be a key. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,255}$/.test(value);
}
