/** Creates indexes on the fields that a definition marks as `indexed`. */
import type { Log } from "../../lib/telemetry/log.ts";
import type { Application } from "../application/model/application.ts";
import { type Store, StoreFull } from "../store/store.ts";

/** Creates the indexes that a definition requires, and drops all others. If the disk is full, the next start retries. */
export async function indexFields(store: Store, { caseTypes }: Application, log: Log): Promise<void> {
  const names = [...caseTypes.values()].flatMap(({ fields }) =>
    [...fields.values()].filter(({ indexed }) => indexed === true).map(({ name }) => name)
  );
  try {
    await store.indexFields([...new Set(names)].map((name) => [name]));
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
    log(
      "Warning: The disk is full. The indexes of the fields with 'indexed: true' were not changed, so queries on new ones " +
        "read all cases. Free some space, then restart the service.",
      { level: "warning" },
    );
  }
}
