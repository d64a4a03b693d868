/**
 * Registers one application per row of a CSV file. The header row names the fields. A row that fails is reported and does
 * not stop the others.
 *
 *     svc workflow run import_csv.ts --each applications.csv --concurrency 8 --allow-declared > results.ndjson
 */
import { defineWorkflow } from "@svc/lib/workflow";
import { checkApplication } from "./helpers/application.ts";

export default defineWorkflow<Record<string, string>>({
  name: "import-csv",
  allow: ["cases.create", "assignments.perform"],
  async run({ svc, input }) {
    // Check the row before creating a case, so that an invalid row leaves no case behind and can be fixed and retried.
    const data = checkApplication(input);
    const created = await svc.cases.create({ type: "City-Permit-Work-Permit", data });
    const assignment = created.nextAssignmentInfo;
    if (!assignment) throw new Error(`${created.id} has no assignment that this operator may perform.`);
    const { status } = await svc.assignments.perform(assignment.ID, { action: "Register" });
    return { id: created.id, status };
  },
});
