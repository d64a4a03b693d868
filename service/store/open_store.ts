/** Opens the store of a service. */
import { openSqliteStore } from "./sqlite/sqlite_store.ts";
import type { Store } from "./store.ts";

/**
 * Opens a database by its location: the path of a file, or `:memory:`. Creates a missing file, unless a service has used it
 * before (`isKnown`).
 */
export function openStore(location: string, { isKnown = false }: { readonly isKnown?: boolean } = {}): Promise<Store> {
  return Promise.resolve(openSqliteStore(location, isKnown));
}
