/** Stores bytes as files of a folder. */
import { SvcError } from "../../lib/errors.ts";
import { FileLock } from "../../utils/fs/file_lock.ts";
import { makePrivateDirectory } from "../../utils/fs/private_file.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { syncFolder } from "../../utils/fs/sync_folder.ts";
import { readChunks, writeAll } from "../../utils/fs/chunks.ts";
import { type ByteStore, isStoredName, type Pieces, TooManyBytes } from "./bytes.ts";

/** Opens the storage in a folder, which the first write creates. Without a folder, it is temporary. */
export function openBytes(folder?: string): ByteStore {
  let temporary: string | undefined;
  const postponed = new Set<string>();
  // Synchronous, so that concurrent writes create only one folder.
  const getFolder = () => folder ?? (temporary ??= Deno.makeTempDirSync({ prefix: "svc-files-" }));
  return {
    async write(pieces, limit, id = crypto.randomUUID()) {
      if (folder !== undefined) await makePrivateDirectory(folder);
      const size = await writeNew(`${getFolder()}/${id}`, pieces, limit);
      if (folder !== undefined) await syncFolder(folder);
      return { id, size };
    },
    read: (id) => readChunks(async () => await Deno.open(`${getFolder()}/${id}`)),
    async remove(id) {
      if (folder !== undefined && await areKept(folder)) postponed.add(id);
      else await Deno.remove(`${getFolder()}/${id}`).catch(ignoreMissing);
    },
    async removePostponed() {
      for (const id of [...postponed]) {
        postponed.delete(id); // `remove` adds it again during a backup.
        await this.remove(id);
      }
    },
    async list(before) {
      const path = folder ?? temporary;
      const names = path === undefined ? [] : await listStoredFiles(path);
      if (before === undefined) return names;
      const isOld = await Promise.all(names.map((name) => wasWrittenBefore(`${path}/${name}`, before)));
      return names.filter((_, index) => isOld[index]);
    },
    async close() {
      if (temporary !== undefined) await Deno.remove(temporary, { recursive: true });
    },
  };
}

/** Keeps the files of a folder from being removed, until the result is disposed of. */
export async function keepBytes(folder: string): Promise<Disposable> {
  const lock = await FileLock.tryAcquire(keepFile(folder)).catch((error) => {
    if (isReadOnly(error)) return new DisposableStack(); // No service can remove files of a directory on such a place.
    throw error;
  });
  if (lock !== undefined) return lock;
  throw new SvcError("CONFLICT", "Another command is backing up or verifying the same data.", {
    hint: "Wait until it has finished.",
  });
}

/** Reports whether a file cannot be created because its directory is read-only. */
function isReadOnly(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied ||
    (error instanceof Error && /read-only file system/i.test(error.message));
}

/** Returns the path of the lock file of `keepBytes`. */
export function keepFile(folder: string): string {
  return `${folder}.lock`;
}

async function areKept(folder: string): Promise<boolean> {
  return await FileLock.isHeld(keepFile(folder)).catch(ignoreMissing) ?? false;
}

/** Deletes the stored files of a folder, and the folder if it is empty then. */
export async function removeBytes(folder: string): Promise<void> {
  for (const name of await listStoredFiles(folder)) await Deno.remove(`${folder}/${name}`);
  const isEmpty = (await readEntries(folder))?.length === 0;
  if (isEmpty) await Deno.remove(folder);
}

async function listStoredFiles(folder: string): Promise<string[]> {
  const entries = await readEntries(folder) ?? [];
  return entries.filter(({ name, isFile }) => isFile && isStoredName(name)).map(({ name }) => name);
}

async function wasWrittenBefore(file: string, time: Date): Promise<boolean> {
  const written = (await Deno.stat(file).catch(ignoreMissing))?.mtime ?? undefined;
  return written !== undefined && written < time;
}

/** Lists a folder. Returns undefined if it does not exist. */
async function readEntries(folder: string): Promise<Deno.DirEntry[] | undefined> {
  return await Array.fromAsync(Deno.readDir(folder)).catch(ignoreMissing);
}

async function writeNew(path: string, pieces: Pieces, limit: number): Promise<number> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  try {
    let size = 0;
    for await (const piece of pieces) {
      size += piece.length;
      if (size > limit) throw new TooManyBytes();
      await writeAll(file, piece);
    }
    await file.sync();
    return size;
  } catch (error) {
    await Deno.remove(path).catch(ignoreMissing);
    throw error;
  }
}
