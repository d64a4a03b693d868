/** Storage of files that are too large for the database. */

/** Pieces of bytes, one after another. */
export type Pieces = AsyncIterable<Uint8Array>;

/** A stored file. */
export interface Written {
  /** The name under which it is found. */
  readonly id: string;
  /** Number of bytes. */
  readonly size: number;
}

/** There were more bytes than allowed. */
export class TooManyBytes extends Error {}

/** The file storage cannot be reached. A later attempt may succeed. */
export class BytesUnavailable extends Error {}

/** Names of stored files. The directory or bucket may contain other files. */
const NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reports whether a name is one that a byte store generates. */
export function isStoredName(name: string): boolean {
  return NAME.test(name);
}

/** Stores the bytes of files under generated names: a user's file name never becomes a path. */
export interface ByteStore {
  /** Writes all pieces, to a new name by default. Resolves when they are durable; after a failure, nothing is stored. */
  write(pieces: Pieces, limit: number, id?: string): Promise<Written>;
  /** Returns the bytes. The file is opened on the first read. */
  read(id: string): ReadableStream<Uint8Array>;
  /** Deletes a file, if it exists. */
  remove(id: string): Promise<void>;
  /** Lists the names of all stored files, or of those that were written before a time. */
  list(before?: Date): Promise<string[]>;
  /** Deletes files that a backup kept when they were removed. Missing if backups keep none. */
  removePostponed?(): Promise<void>;
  /** Deletes interrupted uploads that began before a time. Missing if `list` includes them. */
  removeInterrupted?(before: Date): Promise<void>;
  /** Deletes temporary storage. */
  close(): Promise<void>;
}
