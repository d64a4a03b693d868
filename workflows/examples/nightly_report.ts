/**
 * Counts permits by status and sums their fees. It only reads, so it can run from cron with few permissions:
 *
 *     svc workflow run nightly_report.ts --allow data.query,data.count --format table --fields byStatus
 */
import { defineWorkflow, type JsonObject } from "@svc/lib/workflow";

export default defineWorkflow<{ channel?: string } | undefined>({
  name: "nightly-report",
  allow: ["data.count", "data.query"],
  async run({ svc, input, log }) {
    const dataViewParameters: JsonObject = input?.channel === undefined ? {} : { Channel: input.channel };
    const [all, rows] = await Promise.all([
      svc.data.count("D_Permits", { params: dataViewParameters }),
      svc.data.query("D_Permits", {
        data: {
          dataViewParameters,
          query: {
            select: ["pyStatusWork"],
            aggregations: {
              Permits: { field: "pyID", summaryFunction: "COUNT" },
              Fees: { field: "Fee", summaryFunction: "SUM" },
            },
          },
        },
      }),
    ]);
    const byStatus = (rows.data ?? []).map(({ pyStatusWork, Permits, Fees }) => ({
      status: pyStatusWork,
      permits: Permits,
      fees: Fees,
    }));
    log(`${all.resultCount} permits with ${byStatus.length} statuses.`);
    return { total: all.resultCount, byStatus };
  },
});
