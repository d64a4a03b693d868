/**
 * Creates a permit and registers the application, so that the case is under review when the script ends.
 *
 *     svc workflow run intake.ts --allow-declared --input '{"Applicant":"Ada Lovelace","Address":"Main St 1","Area":40}'
 */
import { defineWorkflow } from "@svc/lib/workflow";
import { checkApplication } from "./helpers/application.ts";

export default defineWorkflow({
  name: "intake",
  allow: ["cases.create", "assignments.perform"],
  async run({ svc, input, log }) {
    const application = checkApplication(input);
    const created = await svc.cases.create({ type: "City-Permit-Work-Permit" });
    log(`Created ${created.id}.`);
    const assignment = created.nextAssignmentInfo;
    if (!assignment) throw new Error(`${created.id} has no assignment that this operator may perform.`);
    const registered = await svc.assignments.perform(assignment.ID, { action: "Register", data: application });
    log(`Registered: ${registered.status}.`);
    return { id: created.id, status: registered.status };
  },
});
