/** The requests and calls of `svc work`. */
import { testOperations } from "./_operation_tests.ts";

const A = "'ASSIGN-WORKBASKET ACME-WORK C-1!REVIEW'";
const ASSIGNMENT = "/svc/assignments/ASSIGN-WORKBASKET%20ACME-WORK%20C-1!REVIEW";

testOperations("work", {
  requests: {
    "work get-operator": { request: "GET /svc/operator" },
    "work inbox": { request: "GET /svc/inbox" },
    "work inbox --due 2026-01-31T17:00:00Z": { request: "GET /svc/inbox?due=2026-01-31T17%3A00%3A00Z" },
    "work inbox --type Permit --status Pending --text 'main street' --page 2 --page-size 5": {
      request: "GET /svc/inbox?type=Permit&status=Pending&text=main%20street&page=2&pageSize=5",
    },
    "work find --text harbour": { request: "GET /svc/cases?text=harbour" },
    "work find --business-id C-1": { request: "GET /svc/cases?businessID=C-1" },
    [`work take ${A}`]: { request: `POST ${ASSIGNMENT}/take` },
    [`work release ${A}`]: { request: `POST ${ASSIGNMENT}/release` },
    [`work transfer ${A} --to-operator rep@acme`]: {
      request: `PUT ${ASSIGNMENT}/assignee`,
      body: { operator: "rep@acme" },
    },
    [`work transfer ${A} --to-queue Desk`]: { request: `PUT ${ASSIGNMENT}/assignee`, body: { queue: "Desk" } },
  },
  steps: [
    {
      line: "work get-operator",
      as: "reviewer@city",
      says: { ID: "reviewer@city", "queues.0.ID": "Review" },
    },
    {
      line: "work inbox",
      says: { "assignments.0.ID": "{review}", "assignments.0.label": "Permit for Ada", hasMoreResults: false },
    },
    { line: "work find --text grace", says: { "cases.0.ID": "{other}", "cases.0.caseTypeName": "Permit" } },
    { line: "work find --business-id p-1", says: { "cases.0.ID": "{permit}", "cases.0.stageLabel": "Review" } },
    { line: "work take '{review}'", says: { "data.caseInfo.assignments.0.assigneeInfo.ID": "clerk@city" } },
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
