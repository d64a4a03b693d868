/**
 * Registers one application per row of a spreadsheet; the header row names the fields. A row that fails is named and
 * stops no other.
 *
 *     svc workflow run import_csv.ts --each applications.csv --concurrency 8 --allow-declared > results.ndjson
 */
import { defineWorkflow } from "@svc/lib/workflow";
import { checkApplication } from "./helpers/application.ts";

export default defineWorkflow<Record<string, string>>({
  name: "import-csv",
  allow: ["cases.create", "assignments.perform"],
  async run({ svc, input }) {
    // What is wrong with a row shows before there is a case: nothing is left behind, and `retry` takes the mended row.
    const data = checkApplication(input);
    const created = await svc.cases.create({ type: "City-Permit-Work-Permit", data });
    const assignment = created.nextAssignmentInfo;
    if (!assignment) throw new Error(`${created.id} has no assignment that this client may perform.`);
    const { status } = await svc.assignments.perform(assignment.ID, { action: "Register" });
    return { id: created.id, status };
  },
});
