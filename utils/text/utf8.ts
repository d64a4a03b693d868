/** Decodes UTF-8 without a byte order mark. Returns undefined if any byte is invalid. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // The decoder's error adds nothing.
  }
}
