/** Bytes as files of a folder. */
import { makePrivateDirectory } from "../../lib/auth/private_file.ts";
import { ignoreMissing } from "../../lib/missing_file.ts";
import { readPieces, writePiece } from "../../lib/pieces.ts";
import { type ByteStore, type Pieces, TooManyBytes } from "./bytes.ts";

/** Bytes in a folder, made when the first are written; without one, in a temporary folder that goes with the process. */
export function openBytes(folder?: string): ByteStore {
  let made: Promise<string> | undefined;
  const place = () => made ??= makeFolder(folder);
  return {
    async write(pieces, limit) {
      const id = crypto.randomUUID();
      const path = `${await place()}/${id}`;
      try {
        return { id, size: await writeNew(path, pieces, limit) };
      } catch (error) {
        await Deno.remove(path).catch(ignoreMissing);
        throw error;
      }
    },
    read: (id) => readPieces(async () => await Deno.open(`${await place()}/${id}`)),
    async remove(id) {
      await Deno.remove(`${await place()}/${id}`).catch(ignoreMissing);
    },
    async list() {
      if (folder === undefined && made === undefined) return [];
      return (await Array.fromAsync(Deno.readDir(await place()))).map(({ name }) => name);
    },
    async close() {
      if (folder === undefined && made !== undefined) await Deno.remove(await made, { recursive: true });
    },
  };
}

async function makeFolder(folder: string | undefined): Promise<string> {
  if (folder === undefined) return await Deno.makeTempDir({ prefix: "svc-files-" });
  await makePrivateDirectory(folder);
  return folder;
}

async function writeNew(path: string, pieces: Pieces, limit: number): Promise<number> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > limit) throw new TooManyBytes();
    await writePiece(file, piece);
  }
  await file.sync();
  return size;
}
