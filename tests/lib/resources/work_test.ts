/** The requests and calls of `svc work`. */
import { testOperations } from "./_operation_tests.ts";

const A = "'ASSIGN-WORKBASKET ACME-WORK C-1!REVIEW'";
const ASSIGNMENT = "/svc/assignments/ASSIGN-WORKBASKET%20ACME-WORK%20C-1!REVIEW";

testOperations("work", {
  requests: {
    [`work release ${A}`]: { request: `POST ${ASSIGNMENT}/release` },
    [`work transfer ${A} --to-operator rep@acme`]: {
      request: `PUT ${ASSIGNMENT}/assignee`,
      body: { operator: "rep@acme" },
    },
    [`work transfer ${A} --to-queue Desk`]: { request: `PUT ${ASSIGNMENT}/assignee`, body: { queue: "Desk" } },
  },
  steps: [
    { line: "assignments get-next", says: { id: "{review}" } },
    {
      line: "work release '{review}'",
      says: { id: "{review}", "data.caseInfo.assignments.0.assigneeInfo.ID": "Review" },
    },
    { line: "assignments get-next", as: "reviewer@city", says: { id: "{review}" } },
    {
      line: "work transfer '{review}' --to-operator clerk@city",
      as: "reviewer@city",
      says: { "data.caseInfo.assignments.0.assigneeInfo.ID": "clerk@city" },
    },
  ],
});
