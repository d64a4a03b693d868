/** Decodes texts in the charset of their media type. */

/** Returns the charset of a media type such as `text/plain; charset="iso-8859-1"`. */
export function findCharset(mediaType: string): string | undefined {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(mediaType) ?? [];
  return quoted ?? plain;
}

/** Creates a decoder. Returns undefined for an unknown charset. */
export function createDecoder(charset: string, options?: TextDecoderOptions): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, options);
  } catch {
    return undefined;
  }
}

/** Decodes a text. Returns undefined if the charset is unknown, or if any byte is invalid. */
export function decodeText(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return createDecoder(charset, { fatal: true })?.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the charset whose byte order mark is at the start of a text. */
export function findMarkedCharset([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
