/** A store whose units of work are observed, for metrics and traces. */
import type { Store } from "../store/store.ts";

/** Kind of a unit of work. */
export type UnitKind = "change" | "read";

/** Runs a unit of work of a kind. */
export type UnitObserver = <T>(kind: UnitKind, run: () => Promise<T>) => Promise<T>;

/** Returns a store that runs each unit of work through an observer. */
export function observeStore(store: Store, observe: UnitObserver): Store {
  return {
    server: store.server,
    transact: (work) => observe("change", () => store.transact(work)),
    read: (work, operator) => observe("read", () => store.read(work, operator)),
    indexFields: (fields, sums) => store.indexFields(fields, sums),
    readLoad: () => store.readLoad(),
    close: () => store.close(),
  };
}
