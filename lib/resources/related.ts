/** The operations of `svc related`. */
import type { Group } from "../operation.ts";
import { caseId } from "./common.ts";

const relatedCaseId = { help: "Handle of the related case", type: "string", required: true } as const;

/** The operations by name. */
export const operations = {
  list: {
    summary: "List the cases related to a case",
    method: "GET",
    path: "/cases/{caseID}/related_cases",
    args: [caseId],
    answer: "object",
    example: "'CITY-PERMIT-WORK P-1'",
  },
  add: {
    summary: "Relate a case to another",
    method: "POST",
    path: "/cases/{caseID}/related_cases",
    args: [caseId],
    flags: {
      relatedCaseId: { ...relatedCaseId, to: "body:cases[0].ID" },
      relationship: { help: "Relationship type", type: "string", to: "body:cases[0].relationship", required: true },
    },
    answer: "multiStatus",
    status: 207,
    example: "'CITY-PERMIT-WORK P-1' --related-case-id 'CITY-PERMIT-WORK P-2' --relationship duplicate",
  },
  delete: {
    summary: "Remove the relation of a case to another",
    method: "DELETE",
    path: "/cases/{caseID}/related_cases/{related_caseID}",
    args: [caseId],
    flags: { relatedCaseId: { ...relatedCaseId, to: "path:related_caseID" } },
    answer: "nothing",
    example: "'CITY-PERMIT-WORK P-1' --related-case-id 'CITY-PERMIT-WORK P-2'",
  },
} as const satisfies Group;
