/** Gives the fields that a definition marks as `indexed` their indexes. */
import type { Application } from "../application/model/application.ts";
import { type Store, StoreFull } from "../store/store.ts";

/** Creates the indexes that a definition asks for, and drops others. If the disk is full, the next start tries again. */
export async function indexFields(store: Store, { caseTypes }: Application): Promise<void> {
  const names = [...caseTypes.values()].flatMap(({ fields }) =>
    [...fields.values()].filter(({ indexed }) => indexed === true).map(({ name }) => name)
  );
  try {
    await store.indexFields([...new Set(names)].map((name) => [name]));
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
  }
}
