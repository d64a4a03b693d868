/**
 * The format of a backup: a tar archive of the database and the uploaded files. Its last entry is a manifest with the
 * size and the digest of each, so that an incomplete archive is detected.
 */
import { createHash } from "node:crypto";
import { createTarDecoder, createTarPacker } from "modern-tar";
import { SvcError } from "../../lib/errors.ts";
import { readChunks, writeAll } from "../../utils/fs/chunks.ts";
import { parseJsonObject } from "../../utils/json.ts";
import { findMismatch, type ObjectOf } from "../../utils/shape.ts";

/** Entry of the database. */
export const DATABASE_ENTRY = "service.db";

/** Beginning of the entries of uploaded files. */
export const FILES_FOLDER = "files/";

const MANIFEST_ENTRY = "manifest.json";
const FILE_ENTRY = /^files\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MANIFEST_LIMIT = 512 * 1024 * 1024;

const manifestShape = {
  required: {
    /** Version of the format. */
    format: "number",
    /** ISO 8601 time, UTC, with milliseconds. */
    createdAt: "string",
    /** File of the application definition. Empty for the sample application. */
    app: "string",
    /** The other entries. */
    entries: { list: { required: { name: "string", size: "number", sha256: "string" } }, deep: true },
  },
} as const;

/** The description of a backup. */
export type Manifest = ObjectOf<typeof manifestShape>;

type Entry = Manifest["entries"][number];

/** Time and application of an archive. */
export type ArchiveDescription = Pick<Manifest, "createdAt" | "app">;

/** A file to archive. */
export interface ArchiveSource {
  /** Name of the entry. */
  readonly name: string;
  /** Path of the file. */
  readonly path: string;
}

/** Writes an archive to a new file. Its bytes are on the disk when this resolves. */
export async function writeArchive(
  path: string,
  sources: Iterable<ArchiveSource>,
  about: ArchiveDescription,
): Promise<void> {
  using target = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const { readable, controller } = createTarPacker();
  const writing = (async () => {
    for await (const chunk of readable) await writeAll(target, chunk);
  })();
  const add = async (name: string, size: number, content: AsyncIterable<Uint8Array>) => {
    const writer = controller.add({ name, size, mode: 0o600 }).getWriter();
    const digest = new Digest();
    for await (const chunk of content) {
      digest.update(chunk);
      // If the archive fails, for example on a full disk, the write would never resolve.
      await Promise.race([writer.write(chunk), writing]);
    }
    await writer.close();
    return digest.toEntry(name);
  };
  const entries: Entry[] = [];
  for (const { name, path } of sources) {
    const { size } = await Deno.stat(path);
    entries.push(await add(name, size, readChunks(() => Deno.open(path))));
  }
  const manifest = new TextEncoder().encode(JSON.stringify({ format: 1, ...about, entries }));
  await add(MANIFEST_ENTRY, manifest.length, ReadableStream.from([manifest]));
  controller.finalize();
  await writing;
  await target.sync();
}

/** Receives the content of an entry. */
export type Receive = (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>;

/** Reads an archive and checks it against its manifest. Throws `STORE_DAMAGED` if an entry is missing or has changed. */
export async function readArchive(path: string, receive: Receive): Promise<Manifest> {
  const found = new Map<string, Entry>();
  let manifest: Manifest | undefined;
  try {
    for await (const { header, body } of readChunks(() => Deno.open(path)).pipeThrough(createTarDecoder())) {
      if (header.name === MANIFEST_ENTRY && header.size <= MANIFEST_LIMIT) {
        manifest = parseManifest(path, await new Response(body).text());
      } else if (header.name === DATABASE_ENTRY || FILE_ENTRY.test(header.name)) {
        const digest = new Digest();
        await receive(header.name, digest.observe(body));
        found.set(header.name, digest.toEntry(header.name));
      } else {
        throw damaged(path, `it has an unknown entry ${JSON.stringify(header.name)}`);
      }
    }
  } catch (error) {
    if (error instanceof SvcError || error instanceof Deno.errors.NotFound) throw error;
    throw damaged(path, error instanceof Error ? error.message : String(error), error);
  }
  if (manifest === undefined) throw damaged(path, "its end is missing");
  for (const { name, size, sha256 } of manifest.entries) {
    const entry = found.get(name);
    if (entry === undefined) throw damaged(path, `${name} is missing`);
    if (entry.size !== size || entry.sha256 !== sha256) throw damaged(path, `${name} has changed`);
    found.delete(name);
  }
  if (found.size > 0) throw damaged(path, "it has entries that its manifest does not list");
  return manifest;
}

function parseManifest(path: string, text: string): Manifest {
  const value: unknown = parseJsonObject(text);
  if (!isManifest(value)) throw damaged(path, "its manifest is not valid");
  if (value.format === 1) return value;
  throw new SvcError("INVALID_ARGS", `${path} has format ${value.format}, which this version of svc cannot read.`, {
    hint: "Use a newer version of svc.",
  });
}

function isManifest(value: unknown): value is Manifest {
  return findMismatch(value, manifestShape) === undefined;
}

function damaged(path: string, reason: string, cause?: unknown): SvcError {
  return new SvcError("STORE_DAMAGED", `${path} is not a complete backup: ${reason}.`, {
    cause,
    hint: "Use another backup. A damaged one is never restored.",
  });
}

/** The size and the digest of a content. */
class Digest {
  readonly #hash = createHash("sha256");
  #size = 0;

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
  }

  async *observe(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.update(chunk);
      yield chunk;
    }
  }

  toEntry(name: string): Entry {
    return { name, size: this.#size, sha256: this.#hash.digest("hex") };
  }
}
