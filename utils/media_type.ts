/** Media types by file name. */
import { getMimeType } from "hono/utils/mime";

/** Media type of unknown files. */
const BYTES = "application/octet-stream";

/** Returns the declared media type of a file, or the type for its extension if the declared type is unspecific. */
export function guessMediaType(name: string, declared: string = BYTES): string {
  const isDeclared = declared.toLowerCase() !== BYTES && /^[\w.+-]+\/[\w.+-]+$/.test(declared);
  // Without a character set, because the encoding of the file is unknown.
  return isDeclared ? declared.toLowerCase() : getMimeType(name)?.split(";")[0] ?? BYTES;
}
