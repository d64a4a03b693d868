/** Prepares a store for the queries that a definition declares: those of fields that are `indexed`, and insights. */
import type { Log } from "../../lib/telemetry/log.ts";
import type { Application } from "../application/model/application.ts";
import { buildInsightQuery } from "../data/insights.ts";
import { listSums } from "../store/case_sums.ts";
import { type Store, StoreFull } from "../store/store.ts";

/** A preparation that takes at least this long is logged. */
const SLOW_MILLISECONDS = 1000;

/**
 * Creates the indexes that a definition requires, maintains the sums that its insights show, and drops all others. If the disk
 * is full, the next start retries.
 */
export async function indexFields(store: Store, { caseTypes, insights }: Application, log: Log): Promise<void> {
  const names = [...caseTypes.values()].flatMap(({ fields }) =>
    [...fields.values()].filter(({ indexed }) => indexed === true).map(({ name }) => name)
  );
  const started = performance.now();
  try {
    // The values of the caller do not matter: sums depend only on the fields of a query.
    const sums = listSums([...insights.values()].map((insight) => buildInsightQuery(insight, "")));
    await store.indexFields([...new Set(names)].map((name) => [name]), sums);
    const milliseconds = performance.now() - started;
    if (milliseconds >= SLOW_MILLISECONDS) {
      log(`Prepared indexes of fields and sums of insights in ${(milliseconds / 1000).toFixed(1)} s.`);
    }
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
    log(
      "Warning: The disk is full. The indexes of the fields with 'indexed: true' and the sums of insights were not changed, " +
        "so queries on new ones read all cases. Free some space, then restart the service.",
      { level: "warning" },
    );
  }
}
