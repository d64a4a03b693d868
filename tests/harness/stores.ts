/** Stores and cases for tests of what every store promises. */
import { openPostgresStore, type PostgresStoreOptions } from "../../service/store/postgres/postgres_store.ts";
import { openSqliteStore } from "../../service/store/sqlite/sqlite_store.ts";
import type { Store, StoredCase } from "../../service/store/store.ts";
import { type TestSchema, useTestSchema } from "./postgres_schema.ts";

/**
 * Seconds that tests wait for a lock of PostgreSQL. The default is too short for many units of one case on a busy
 * machine.
 */
export const LOCK_SECONDS = 25;

/** Defines a test for each kind of store. The test receives an empty store, which is closed after it. */
export function testStores(name: string, test: (store: Store) => Promise<void>): void {
  Deno.test(`${name} (SQLite)`, async () => {
    const store = openSqliteStore(":memory:");
    await test(store).finally(() => store.close());
  });
  Deno.test(`${name} (PostgreSQL)`, () => withPostgresStore(test));
}

/** Runs a test with a store on PostgreSQL, whose tables are removed after it. */
export async function withPostgresStore(
  test: (store: Store, schema: TestSchema) => Promise<void>,
  options: PostgresStoreOptions = {},
): Promise<void> {
  await using schema = useTestSchema();
  const store = await openPostgresStore(schema.parsed, { lockSeconds: LOCK_SECONDS, ...options });
  await test(store, schema).finally(() => store.close());
}

/** Creates a case whose identifier ends with a number. Cases with higher numbers are newer. */
export function newStoredCase(n: number, change: Partial<StoredCase> = {}): StoredCase {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  return {
    ...{ id: `W P-${n}`, businessId: `P-${n}`, typeId: "T", status: "Open", urgency: 10, stageId: "S" },
    ...{ createdBy: "ada", createdAt: at, updatedBy: "ada", updatedAt: at, tag: "1", content: {}, flow: {} },
    ...change,
  };
}
