/** Stores bytes as objects of a bucket. */
import { type ByteStore, isStoredName, type Pieces, TooManyBytes } from "../bytes.ts";
import { type Bucket, BucketError } from "./bucket.ts";

/** Size of a part in bytes. A smaller file is one object without parts. */
const PART_BYTES = 8 * 1024 * 1024;

/** Largest number of parts of an upload. */
const MAX_PARTS = 10_000;

/** Opens the storage in a bucket. */
export function openBucketBytes(bucket: Bucket): ByteStore {
  return {
    write: async (pieces, limit, id = crypto.randomUUID()) => ({
      id,
      size: await writeObject(bucket, id, pieces, limit),
    }),
    read: (id) => readObject(bucket, id),
    remove: (id) => bucket.delete(id),
    async list(before) {
      const names: string[] = [];
      for await (const { name, at } of bucket.list()) {
        if (isStoredName(name) && (before === undefined || at < before)) names.push(name);
      }
      return names;
    },
    async removeInterrupted(before) {
      for await (const { name, at, uploadId } of bucket.listUploads()) {
        if (isStoredName(name) && at < before) await bucket.abortUpload(name, uploadId).catch(ignoreNotFound);
      }
    },
    close: () => Promise.resolve(),
  };
}

async function writeObject(bucket: Bucket, id: string, pieces: Pieces, limit: number): Promise<number> {
  let size = 0;
  let upload: Upload | undefined;
  try {
    // S3 requires that only the last part is short.
    for await (const { part, isLast } of cutParts(pieces, (count) => checkSize(size += count, limit))) {
      if (isLast && upload === undefined) await bucket.put(id, part);
      else await (upload ??= await Upload.begin(bucket, id)).add(part);
    }
    await upload?.complete();
    return size;
  } catch (error) {
    await upload?.abort().catch(() => {}); // Interrupted uploads are removed later.
    throw error;
  }
}

function checkSize(size: number, limit: number): void {
  if (size > limit) throw new TooManyBytes();
}

/** Cuts bytes into parts. There is at least one part, which may be empty. */
async function* cutParts(
  pieces: Pieces,
  count: (bytes: number) => void,
): AsyncGenerator<{ readonly part: Uint8Array<ArrayBuffer>; readonly isLast: boolean }> {
  let part = new Uint8Array(PART_BYTES);
  let length = 0;
  for await (const piece of pieces) {
    count(piece.length);
    for (let read = 0; read < piece.length;) {
      if (length === PART_BYTES) {
        yield { part, isLast: false };
        [part, length] = [new Uint8Array(PART_BYTES), 0];
      }
      const taken = piece.subarray(read, read + PART_BYTES - length);
      part.set(taken, length);
      [read, length] = [read + taken.length, length + taken.length];
    }
  }
  yield { part: part.subarray(0, length), isLast: true };
}

/** An upload in parts. */
class Upload {
  readonly #bucket: Bucket;
  readonly #name: string;
  readonly #id: string;
  readonly #tags: string[] = [];

  private constructor(bucket: Bucket, name: string, id: string) {
    this.#bucket = bucket;
    this.#name = name;
    this.#id = id;
  }

  static async begin(bucket: Bucket, name: string): Promise<Upload> {
    return new Upload(bucket, name, await bucket.createUpload(name));
  }

  async add(part: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#tags.length === MAX_PARTS) throw new TooManyBytes();
    this.#tags.push(await this.#bucket.putPart(this.#name, this.#id, this.#tags.length + 1, part));
  }

  async complete(): Promise<void> {
    await this.#bucket.completeUpload(this.#name, this.#id, this.#tags);
  }

  async abort(): Promise<void> {
    await this.#bucket.abortUpload(this.#name, this.#id);
  }
}

function readObject(bucket: Bucket, id: string): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      reader ??= (await bucket.get(id).catch(explainMissing)).getReader();
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader?.cancel(reason),
  }, { highWaterMark: 0 });

  function explainMissing(error: unknown): never {
    if (error instanceof BucketError && error.status === 404) {
      throw new Deno.errors.NotFound(`The bucket has no file ${id}.`, { cause: error });
    }
    throw error;
  }
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof BucketError && error.status === 404)) throw error;
}
