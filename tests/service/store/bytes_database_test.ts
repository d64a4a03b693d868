/** Files in a PostgreSQL database. */
import assert from "node:assert/strict";
import { type ByteStore, TooManyBytes } from "../../../service/store/bytes.ts";
import { openDatabaseBytes } from "../../../service/store/postgres/bytes_database.ts";
import { STORE_SCHEMA } from "../../../service/store/postgres/schema.ts";
import { StoreBusy } from "../../../service/store/store.ts";
import { migrate } from "../../../utils/postgres/migrate.ts";
import type { PoolOptions } from "../../../utils/postgres/pool.ts";
import { type TestSchema, useTestSchema } from "../../harness/postgres_schema.ts";

async function withBytes(
  work: (bytes: ByteStore, schema: TestSchema) => Promise<void>,
  options: Partial<PoolOptions> = {},
): Promise<void> {
  await using schema = useTestSchema();
  const pool = await schema.open(options);
  await migrate(pool, schema.parsed, STORE_SCHEMA);
  await work(openDatabaseBytes(pool), schema).finally(() => pool.close());
}

function cut(bytes: Uint8Array<ArrayBuffer>, size: number): ReadableStream<Uint8Array> {
  const count = Math.ceil(bytes.length / size);
  return ReadableStream.from(
    Array.from({ length: count }, (_, index) => bytes.slice(index * size, (index + 1) * size)),
  );
}

Deno.test("a file of any size is read as it was written, in whatever chunks", () =>
  withBytes(async (bytes) => {
    for (const size of [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]) {
      const content = new Uint8Array(size);
      for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536));
      for (const chunk of [1_000_000, 70_001]) {
        const written = await bytes.write(cut(content, chunk), size);
        assert.equal(written.size, size);
        assert.deepEqual(await new Response(bytes.read(written.id)).bytes(), content, `${size} bytes`);
      }
    }
  }));

Deno.test("a file that is too large or whose client disconnects leaves nothing, and a removed file is missing", () =>
  withBytes(async (bytes) => {
    await assert.rejects(bytes.write(cut(new Uint8Array(600_000), 65_536), 599_999), TooManyBytes);
    const broken = async function* () {
      yield await Promise.resolve(new Uint8Array(300_000));
      throw new TypeError("The client has disconnected.");
    };
    await assert.rejects(bytes.write(broken(), 1_000_000), TypeError);
    assert.deepEqual(await bytes.list(), []);
    const { id } = await bytes.write(cut(new Uint8Array(10), 3), 10);
    assert.deepEqual(await bytes.list(), [id]);
    assert.deepEqual(await bytes.list(new Date(Date.now() - 3600_000)), []);
    await bytes.remove(id);
    await bytes.remove(id);
    await assert.rejects(new Response(bytes.read(id)).bytes(), Deno.errors.NotFound);
  }));

for (const [what, limits] of [["a lock", { lockSeconds: 0.1 }], ["the server", { statementSeconds: 0.1 }]] as const) {
  Deno.test(`an upload that waits too long for ${what} can be repeated`, () =>
    withBytes(async (bytes, schema) => {
      const other = await schema.open();
      await other.use(async (connection) => {
        await connection.run(`BEGIN; LOCK TABLE "filePieces"`);
        await assert.rejects(bytes.write(cut(new Uint8Array(10), 3), 10), StoreBusy);
      });
      await other.close();
    }, limits));
}
