/** Stores for tests of what every store promises. */
import { openPostgresStore, type PostgresStoreOptions } from "../../service/store/postgres/postgres_store.ts";
import { openSqliteStore } from "../../service/store/sqlite/sqlite_store.ts";
import type { Store } from "../../service/store/store.ts";
import { type TestSchema, useTestSchema } from "./postgres_schema.ts";

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
  const store = await openPostgresStore(schema.parsed, options);
  await test(store, schema).finally(() => store.close());
}
