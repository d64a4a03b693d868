/** The operations of `svc case-types`. */
import type { Group } from "../operation.ts";

const caseTypeId = {
  name: "caseTypeId",
  help: "Case type ID, e.g. City-Permit-Work-Permit",
  type: "string",
  to: "path:caseTypeID",
  required: true,
} as const;

/** The operations by name. */
export const operations = {
  list: {
    summary: "List the case types that the caller may create",
    method: "GET",
    path: "/casetypes",
    answer: "caseTypes",
    example: "",
  },
  get: {
    summary: "Read one case type",
    method: "GET",
    path: "/casetypes",
    args: [{ ...caseTypeId, to: "pick:caseTypes.ID" }],
    answer: "caseType",
    example: "City-Permit-Work-Permit",
  },
  getAction: {
    summary: "Read the form of a case type's creation action or bulk action",
    method: "GET",
    path: "/casetypes/{caseTypeID}/actions/{actionID}",
    args: [caseTypeId],
    flags: { action: { help: "Action ID, e.g. Create", type: "string", to: "path:actionID", required: true } },
    answer: "view",
    example: "City-Permit-Work-Permit --action Create",
  },
  listBulkActions: {
    summary: "List the bulk actions of a case type",
    method: "GET",
    path: "/casetypes/{caseTypeID}/bulk-actions",
    args: [caseTypeId],
    variant: "hosted",
    answer: "object",
    example: "City-Permit-Work-Permit",
  },
} as const satisfies Group;
