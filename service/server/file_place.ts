/**
 * Opens the directory or bucket with the uploaded files of a shared database. A marker file identifies it, so that a service
 * detects the files of another database, and a directory that is not mounted.
 */
import { SvcError } from "../../lib/errors.ts";
import { FILE_KIND, toFileItem } from "../attachments/files.ts";
import { type ByteStore, BytesUnavailable } from "../store/bytes.ts";
import { type FilePlaceOptions, IN_DATABASE, isBucket, openFilePlace } from "../store/open_bytes.ts";
import type { Store, StoredItem, StoreServer } from "../store/store.ts";

/** Identifier of the marker. Its name is random, and its bytes are its name. */
export const MARKER_ID = "00000000-0000-4000-8000-000000000000";

/** Opens the storage of uploaded files: the database by default. Throws if it does not belong to the database. */
export async function openFiles(
  store: Store,
  { files }: Pick<StoreServer, "files">,
  place: string = IN_DATABASE,
  options: FilePlaceOptions = {},
): Promise<ByteStore> {
  const marker = await store.read((tx) => tx.getItem(FILE_KIND, MARKER_ID));
  if (place === IN_DATABASE) {
    if (marker === undefined || await readMarker(files) === marker.content.name) return files;
    throw new SvcError("INVALID_CONFIG", "The uploaded files of this database are in a directory or a bucket.", {
      hint: "Name it with --files.",
    });
  }
  const bytes = await openFilePlace(place, options);
  try {
    const name = await checkPlace(store, bytes, place, marker);
    return isBucket(place) ? bytes : guardDirectory(bytes, place, name);
  } catch (error) {
    throw explainFilesError("--files", place, error);
  }
}

/** Checks that a place belongs to the database. Returns the name in its marker, which is created if both are new. */
async function checkPlace(store: Store, bytes: ByteStore, place: string, marker?: StoredItem): Promise<string> {
  const found = await readMarker(bytes);
  if (found !== undefined) {
    if (found === marker?.content.name) return found;
    throw new SvcError("INVALID_CONFIG", `${place} contains the files of another database.`, {
      hint: "Name another directory or bucket with --files.",
    });
  }
  const newest = await store.read((tx) => tx.listItems(FILE_KIND, undefined, { limit: 2 }));
  const other = newest.find(({ id }) => id !== MARKER_ID);
  if (other === undefined) {
    if ((await bytes.list()).length > 0) {
      throw new SvcError("INVALID_CONFIG", `${place} contains files, but this database has none.`, {
        hint: "Name an empty directory or bucket with --files.",
      });
    }
  } else if (marker !== undefined || await readFirst(bytes, other.id) === undefined) {
    throw new SvcError("INVALID_CONFIG", `${place} does not contain the files of this database.`, {
      hint: "Check the location, and that the directory is mounted. To move the files, use 'svc service copy'.",
    });
  }
  const name = await store.transact(async (tx) => {
    const existing = await tx.getItem(FILE_KIND, MARKER_ID); // Another service may have added it in the meantime.
    if (existing !== undefined) return String(existing.content.name);
    const name = crypto.randomUUID();
    const at = new Date().toISOString();
    await tx.putItem(toFileItem({ id: MARKER_ID, name, type: "text/plain", size: name.length, links: 1, by: "", at }));
    return name;
  });
  await bytes.write(ReadableStream.from([new TextEncoder().encode(name)]), Infinity, MARKER_ID).catch(async (error) => {
    if (await readMarker(bytes) !== name) throw error; // Another service has written it.
  });
  return name;
}

/**
 * Checks the marker of a directory before each use: a file that is written while the directory is not mounted would be lost.
 * Throws `BytesUnavailable` if the marker cannot be read.
 */
function guardDirectory(bytes: ByteStore, place: string, name: string): ByteStore {
  const check = async () => {
    const found = await readMarker(bytes).catch((cause) => {
      throw new BytesUnavailable(`${place} cannot be read.`, { cause });
    });
    if (found !== name) throw new BytesUnavailable(`${place} no longer contains the files of this database.`);
  };
  async function* read(id: string) {
    await check();
    yield* bytes.read(id);
  }
  return {
    ...bytes,
    async write(pieces, limit, id) {
      await check();
      return await bytes.write(pieces, limit, id);
    },
    read: (id) => ReadableStream.from(read(id)),
    async remove(id) {
      await check();
      await bytes.remove(id);
    },
  };
}

/** Opens a directory or bucket that a flag names, and checks that it can be read. */
export async function openNamedFiles(flag: string, place: string, options: FilePlaceOptions): Promise<ByteStore> {
  const bytes = await openFilePlace(place, options);
  await readMarker(bytes).catch((error) => {
    throw explainFilesError(flag, place, error);
  });
  return bytes;
}

async function readMarker(bytes: ByteStore): Promise<string | undefined> {
  const first = await readFirst(bytes, MARKER_ID);
  return first && new TextDecoder().decode(first);
}

/** Reads the first chunk of a file. Returns undefined if the file does not exist. */
async function readFirst(bytes: ByteStore, id: string): Promise<Uint8Array | undefined> {
  const reader = bytes.read(id).getReader();
  try {
    return (await reader.read()).value ?? new Uint8Array();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  } finally {
    await reader.cancel().catch(() => {}); // A failed read is reported above.
  }
}

function explainFilesError(flag: string, place: string, error: unknown): unknown {
  if (error instanceof SvcError || error instanceof Deno.errors.NotCapable || !(error instanceof Error)) return error;
  const isUnavailable = error instanceof BytesUnavailable;
  return new SvcError(
    isUnavailable ? "NETWORK_ERROR" : "INVALID_CONFIG",
    `${flag}: ${place} cannot be used. ${error.message}`,
    {
      cause: error,
      hint: isUnavailable
        ? "Check the endpoint, and that the storage service is running."
        : "Check that it exists, and that you may read and write it.",
    },
  );
}
