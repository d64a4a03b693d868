/** Stores the bytes of files in a PostgreSQL database, in pieces, so that every process of a service can read them. */
import type { Pool } from "../../../utils/postgres/pool.ts";
import type { SqlParameter } from "../../../utils/postgres/sql_value.ts";
import { type ByteStore, type Pieces, TooManyBytes } from "../bytes.ts";
import { toStoreError } from "./store_error.ts";

/** Size of a piece in bytes. A file has at least one piece, which may be empty. */
const PIECE_BYTES = 256 * 1024;

/** Opens the storage in the database of a pool, which the caller closes. */
export function openDatabaseBytes(pool: Pool): ByteStore {
  const run = (sql: string, parameters: readonly SqlParameter[] = []) => {
    return pool.use((connection) => connection.run(sql, parameters)).catch((error) => {
      throw toStoreError(error);
    });
  };
  const remove = async (id: string) => void await run(`DELETE FROM "filePieces" WHERE id = $1`, [id]);

  async function writePieces(id: string, pieces: Pieces, limit: number): Promise<number> {
    const insert = async (number: number, bytes: Uint8Array) => {
      await run(`INSERT INTO "filePieces" (id, number, bytes) VALUES ($1, $2, $3)`, [id, number, bytes]);
    };
    const piece = new Uint8Array(PIECE_BYTES);
    let [size, number, length] = [0, 0, 0];
    for await (const chunk of pieces) {
      size += chunk.length;
      if (size > limit) throw new TooManyBytes();
      for (let read = 0; read < chunk.length;) {
        const part = chunk.subarray(read, read + PIECE_BYTES - length);
        piece.set(part, length);
        [read, length] = [read + part.length, length + part.length];
        if (length < PIECE_BYTES) continue;
        await insert(number++, piece);
        length = 0;
      }
    }
    if (length > 0 || number === 0) await insert(number, piece.subarray(0, length));
    return size;
  }

  async function readPiece(id: string, number: number): Promise<Uint8Array | undefined> {
    const { rows: [row] } = await run(`SELECT bytes FROM "filePieces" WHERE id = $1 AND number = $2`, [id, number]);
    if (row?.bytes instanceof Uint8Array) return row.bytes;
    if (number === 0) throw new Deno.errors.NotFound(`The database has no file ${id}.`);
    return undefined;
  }

  return {
    async write(pieces, limit, id = crypto.randomUUID()) {
      try {
        return { id, size: await writePieces(id, pieces, limit) };
      } catch (error) {
        await remove(id).catch(() => {}); // It is an orphan, which is deleted later.
        throw error;
      }
    },
    read(id) {
      let number = 0;
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const bytes = await readPiece(id, number++);
          if (bytes === undefined) return controller.close();
          controller.enqueue(bytes);
          if (bytes.length < PIECE_BYTES) controller.close();
        },
      }, { highWaterMark: 0 });
    },
    remove,
    async list(before) {
      const condition = before === undefined ? "" : ` AND "writtenAt" < $1`;
      const parameters = before === undefined ? [] : [before.toISOString()];
      const { rows } = await run(`SELECT id FROM "filePieces" WHERE number = 0${condition}`, parameters);
      return rows.map(({ id }) => String(id));
    },
    close: () => Promise.resolve(),
  };
}
