/** The operations of `svc tags`. */
import type { Group } from "../operation.ts";
import { caseId } from "./common.ts";

/** The operations by name. */
export const operations = {
  list: {
    summary: "List the tags of a case",
    method: "GET",
    path: "/cases/{caseID}/tags",
    args: [caseId],
    answer: "object",
    example: "'CITY-PERMIT-WORK P-1'",
  },
  add: {
    summary: "Add tags to a case",
    method: "POST",
    path: "/cases/{caseID}/tags",
    args: [caseId],
    flags: {
      tag: { help: "Tag name", type: "list", repeatable: true, to: "body:tags[].Name", required: true },
    },
    answer: "multiStatus",
    status: 207,
    example: "'CITY-PERMIT-WORK P-1' --tag urgent --tag heritage",
  },
  delete: {
    summary: "Remove a tag from a case",
    method: "DELETE",
    path: "/cases/{caseID}/tags/{tagID}",
    args: [caseId],
    flags: { tag: { help: "Tag name or key", type: "string", to: "path:tagID", required: true } },
    answer: "nothing",
    example: "'CITY-PERMIT-WORK P-1' --tag urgent",
  },
} as const satisfies Group;
