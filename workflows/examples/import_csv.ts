/**
 * Registers one application per row of a spreadsheet; the header row names the fields. A row that fails is named and
 * stops no other.
 *
 *     svc workflow run import_csv.ts --each applications.csv --concurrency 8 --allow-declared > results.ndjson
 */
import { defineWorkflow, isSvcError } from "@svc/lib/workflow";
import { checkApplication } from "./helpers/application.ts";

export default defineWorkflow<Record<string, string>>({
  name: "import-csv",
  allow: ["cases.create", "assignments.perform", "cases.delete"],
  async run({ svc, input, log }) {
    // Checked before anything is created: a bad row leaves nothing behind.
    const application = checkApplication(input);
    const created = await svc.cases.create({ type: "City-Permit-Work-Permit" });
    const assignment = created.nextAssignmentInfo;
    if (!assignment) throw new Error(`${created.id} has no assignment that this client may perform.`);
    try {
      const { status } = await svc.assignments.perform(assignment.ID, { action: "Register", data: application });
      return { id: created.id, status };
    } catch (error) {
      if (!isSvcError(error) || error.code !== "VALIDATION_FAIL") throw error;
      // The service refuses the row: the case that was begun for it is taken back.
      log(`Deleting ${created.id}: ${error.message}`);
      await svc.cases.delete(created.id);
      throw error;
    }
  },
});
