/** The operations of `svc followers`. */
import type { Group } from "../operation.ts";
import { caseId } from "./common.ts";

/** The operations by name. */
export const operations = {
  list: {
    summary: "List the followers of a case",
    method: "GET",
    path: "/cases/{caseID}/followers",
    args: [caseId],
    answer: "object",
    example: "'CITY-PERMIT-WORK P-1'",
  },
  add: {
    summary: "Let a user follow a case",
    method: "POST",
    path: "/cases/{caseID}/followers",
    args: [caseId],
    flags: { user: { help: "User ID", type: "string", to: "body:users[0].ID", required: true } },
    answer: "multiStatus",
    status: 207,
    example: "'CITY-PERMIT-WORK P-1' --user clerk@city",
  },
  delete: {
    summary: "Let a user no longer follow a case",
    method: "DELETE",
    path: "/cases/{caseID}/followers/{followerID}",
    args: [caseId],
    flags: { user: { help: "User ID", type: "string", to: "path:followerID", required: true } },
    answer: "nothing",
    example: "'CITY-PERMIT-WORK P-1' --user clerk@city",
  },
} as const satisfies Group;
