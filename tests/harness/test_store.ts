/**
 * The store of the service under test. With `SVC_TEST_STORE=postgres` it is a schema of its own on PostgreSQL, otherwise it
 * is embedded.
 */
import { locateFiles } from "../../service/server/directory.ts";
import { openPostgresStore } from "../../service/store/postgres/postgres_store.ts";
import { openSqliteStore } from "../../service/store/sqlite/sqlite_store.ts";
import type { Store } from "../../service/store/store.ts";
import { parseLocation } from "../../utils/postgres/location.ts";
import { repeatUnits } from "./repeating_store.ts";

const KIND = Deno.env.get("SVC_TEST_STORE") ?? "sqlite";
if (KIND !== "sqlite" && KIND !== "postgres") throw new TypeError(`SVC_TEST_STORE is ${KIND}, not sqlite or postgres.`);

/** Locations of the stores by data directory, so that a service finds its store again. */
const locations = new Map<string, string>();

const resources = new AsyncDisposableStack();
if (KIND === "postgres") Deno.test.afterAll(() => resources.disposeAsync());

/** Opens an empty store. If it is embedded, it runs each unit of work twice. */
export async function openTestStore(): Promise<Store> {
  if (KIND === "sqlite") return repeatUnits(openSqliteStore(":memory:"));
  return await openPostgresStore((await useSchema()).parsed);
}

/** Chooses the store of a service that is started with options. */
export async function chooseStore(data?: string): Promise<{ store?: string }> {
  if (KIND === "sqlite") return {};
  const store = (data && locations.get(data)) ?? (await useSchema()).location;
  if (data !== undefined) locations.set(data, store);
  return { store };
}

/** Opens the store of a service that was started with a data directory. */
export async function openStoreOf(data: string): Promise<Store> {
  const location = locations.get(data);
  if (location === undefined) return openSqliteStore(locateFiles(data).database);
  return await openPostgresStore(parseLocation(location, "public"));
}

async function useSchema() {
  const { useTestSchema } = await import("./postgres_schema.ts"); // It starts a server.
  return resources.use(useTestSchema());
}
