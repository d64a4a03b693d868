/** The requests and calls of `svc related`. */
import { C, CASE } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

testOperations("related", {
  requests: {
    [`related list ${C}`]: { request: `GET ${CASE}/related_cases` },
    [`related add ${C} --related-case-id 'ACME-WORK C-2' --relationship duplicate`]: {
      request: `POST ${CASE}/related_cases`,
      body: { cases: [{ ID: "ACME-WORK C-2", relationship: "duplicate" }] },
    },
    [`related delete ${C} --related-case-id 'ACME-WORK C-2'`]: {
      request: `DELETE ${CASE}/related_cases/ACME-WORK%20C-2`,
    },
  },
  steps: [
    {
      line: "related add '{permit}' --related-case-id '{other}' --relationship duplicate",
      says: { "0.ID": "{other}", "0.status": "201" },
    },
    {
      line: "related list '{other}'",
      says: { "associatedCases.0.id": "{permit}", "associatedCases.0.relationship": "duplicate" },
    },
    { line: "related delete '{other}' --related-case-id '{permit}'" },
  ],
});
