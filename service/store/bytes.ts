/** Bytes that are too many for the database: the one narrow way to where they are. */

/** Pieces of bytes, one after another. */
export type Pieces = AsyncIterable<Uint8Array>;

/** What was written. */
export interface Written {
  /** The name under which it is found. */
  readonly id: string;
  /** Number of bytes. */
  readonly size: number;
}

/** There were more bytes than allowed. */
export class TooManyBytes extends Error {}

/** Bytes by names of its own: nobody else's name ever becomes a place. */
export interface ByteStore {
  /** Writes all pieces and answers when they are durable; leaves nothing behind where it fails. */
  write(pieces: Pieces, limit: number): Promise<Written>;
  /** The bytes, opened when the first are asked for. */
  read(id: string): ReadableStream<Uint8Array>;
  /** Removes bytes, if they are there. */
  remove(id: string): Promise<void>;
  /** The names of all bytes; whatever else is in the same place is not ours. */
  list(): Promise<string[]>;
  /** Lets go of what was kept for this process alone. */
  close(): Promise<void>;
}
