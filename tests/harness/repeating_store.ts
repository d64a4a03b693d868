/** A store that runs each unit of work twice, as a database server may. */
import type { Store } from "../../service/store/store.ts";

class RolledBack extends Error {}

/** Makes a store roll each unit of work that changes data back when it has succeeded, and run it again. */
export function repeatUnits(store: Store): Store {
  return {
    async transact(work) {
      const rolledBack = await store.transact(async (tx) => {
        await work(tx);
        throw new RolledBack();
      }).catch((error: unknown) => error);
      if (!(rolledBack instanceof RolledBack)) throw rolledBack;
      return await store.transact(work);
    },
    read: (work, operator) => store.read(work, operator),
    indexFields: (fields, sums) => store.indexFields(fields, sums),
    readLoad: () => store.readLoad(),
    close: () => store.close(),
  };
}
