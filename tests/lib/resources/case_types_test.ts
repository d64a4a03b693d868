/** The requests and calls of `svc case-types`. */
import { PERMIT } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

testOperations("caseTypes", {
  requests: {
    [`case-types list`]: { request: "GET /casetypes" },
    [`case-types get ACME-Work-Claim`]: { request: "GET /casetypes" },
    [`case-types get-action ACME-Work-Claim --action Create`]: {
      request: "GET /casetypes/ACME-Work-Claim/actions/Create",
    },
    [`case-types list-bulk-actions ACME-Work-Claim`]: { request: "GET /casetypes/ACME-Work-Claim/bulk-actions" },
  },
  steps: [
    { line: "case-types list", says: { "caseTypes.0.id": PERMIT } },
    { line: `case-types get ${PERMIT}`, says: { id: PERMIT, name: "Permit" } },
    {
      line: `case-types get-action ${PERMIT} --action Create`,
      says: { "uiResources.resources.fields.Applicant.0.maxLength": 80 },
    },
    { line: `case-types list-bulk-actions ${PERMIT}`, says: { "bulkActions.0.id": "pyUpdateCaseDetails" } },
  ],
});
