/** Media types by file name. */
import mime from "mime";

/** Media type of unknown files. */
const BYTES = "application/octet-stream";

/** Returns the declared media type of a file, or the type for its extension if the declared type is unspecific. */
export function guessMediaType(name: string, declared: string = BYTES): string {
  const isDeclared = declared.toLowerCase() !== BYTES && /^[\w.+-]+\/[\w.+-]+$/.test(declared);
  // The slash prevents that a name without a dot counts as an extension.
  return isDeclared ? declared.toLowerCase() : mime.getType(`/${name}`) ?? BYTES;
}
