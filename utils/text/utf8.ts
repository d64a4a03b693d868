/** Bytes that should be text. */

/** The text of bytes in UTF-8, without a byte order mark; undefined where they are none: half a text is a wrong one. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // The decoder's error says no more than that.
  }
}
