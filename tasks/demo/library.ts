/** The second part of the demo: creates and resolves a case with the library. */
import { createClient } from "@svc/lib";

const svc = createClient();
const created = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Grace" } });
const next = await svc.assignments.getNext();
const result = await svc.assignments.perform(next.id, { action: "Withdraw", data: { Reason: "Moved away" } });
console.log(created.id, "was", created.status, "and is", result.status);
