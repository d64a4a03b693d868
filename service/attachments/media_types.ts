/** Media types by file name. */
import { getMimeType } from "hono/utils/mime";

/** Media type of unknown files. */
const BYTES = "application/octet-stream";

/** The media type of a file: what its sender says, unless that says nothing, else what its extension says. */
export function guessMediaType(name: string, said: string = BYTES): string {
  const isSaid = said.toLowerCase() !== BYTES && /^[\w.+-]+\/[\w.+-]+$/.test(said);
  // Without a character set, because the encoding of the file is unknown.
  return isSaid ? said.toLowerCase() : getMimeType(name)?.split(";")[0] ?? BYTES;
}
