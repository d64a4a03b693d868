/** The requests and calls of `svc pages`. */
import { C } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

testOperations("pages", {
  requests: {
    [`pages get Welcome --page-class Data-Portal`]: { request: "GET /pages/Welcome?pageClass=Data-Portal" },
    [`pages get-with-context Summary --data-context ${C}`]: {
      request: "POST /pages/Summary",
      body: { dataContext: "ACME-WORK C-1" },
    },
    [`pages dashboard Main`]: { request: "GET /dashboard/Main" },
    [`pages insight ByStatus`]: { request: "GET /insight/ByStatus" },
    [`pages channel Web`]: { request: "GET /channels/Web" },
    [`pages portal Desk`]: { request: "GET /portals/Desk" },
    [`pages localization nl_NL`]: { request: "GET /localizations/nl_NL" },
  },
  steps: [
    { line: "pages get Welcome --page-class Data-Portal", says: { id: "Welcome", "data.pageClass": "Data-Portal" } },
    {
      line: "pages get-with-context CaseSummary --data-context '{permit}'",
      says: { id: "CaseSummary", "data.caseInfo.ID": "{permit}" },
    },
    { line: "pages dashboard Permits", says: { id: "Permits", "data.insights.1.ID": "FeesByChannel" } },
    { line: "pages insight PermitsByStatus", says: { "data.rows.0": { pyStatusWork: "New", Permits: 1 } } },
    { line: "pages channel Web", says: { id: "Web", "data.portal.ID": "Desk" } },
    { line: "pages portal Desk", says: { id: "Desk", "data.pages.1.ID": "CaseSummary" } },
    { line: "pages localization nl_NL", says: { Fee: "Leges" } },
  ],
});
