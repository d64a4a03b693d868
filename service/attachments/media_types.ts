/** What files are, by their names. */
import { getMimeType } from "hono/utils/mime";

/** What a file of unknown kind is. */
const BYTES = "application/octet-stream";

/** The media type of a file: what its sender says, unless that says nothing, else what its extension says. */
export function guessMediaType(name: string, said: string = BYTES): string {
  const isSaid = said.toLowerCase() !== BYTES && /^[\w.+-]+\/[\w.+-]+$/.test(said);
  // Without the character set that comes with texts: nobody has looked which one it is.
  return isSaid ? said.toLowerCase() : getMimeType(name)?.split(";")[0] ?? BYTES;
}
