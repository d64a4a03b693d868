/** The operations of `svc case-types`. */
import type { Group } from "../operation/operation.ts";

const caseTypeId = {
  name: "caseTypeId",
  help: "Case type ID, e.g. City-Permit-Work-Permit",
  type: "string",
  to: "path:caseTypeID",
  required: true,
} as const;

/** The operations by name. */
export const operations = {
  /**
   * Lists the case types that the caller may create.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { caseTypes } = await svc.caseTypes.list();
   * console.log(caseTypes.map((type) => type.name));
   * ```
   */
  list: {
    summary: "List the case types that the caller may create",
    method: "GET",
    path: "/casetypes",
    answer: "caseTypes",
    example: "",
  },
  /**
   * Reads one case type: the service lists them all, and the client picks it.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const type = await svc.caseTypes.get("City-Permit-Work-Permit");
   * console.log(type.name);
   * ```
   */
  get: {
    summary: "Read one case type",
    method: "GET",
    path: "/casetypes",
    args: [{ ...caseTypeId, to: "pick:caseTypes.ID" }],
    answer: "caseType",
    example: "City-Permit-Work-Permit",
  },
  /**
   * Reads the form of a case type's creation action or bulk action.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const form = await svc.caseTypes.getAction("City-Permit-Work-Permit", { action: "Create" });
   * console.log(form.uiResources);
   * ```
   */
  getAction: {
    summary: "Read the form of a case type's creation action or bulk action",
    method: "GET",
    path: "/casetypes/{caseTypeID}/actions/{actionID}",
    args: [caseTypeId],
    flags: { action: { help: "Action ID, e.g. Create", type: "string", to: "path:actionID", required: true } },
    answer: "view",
    example: "City-Permit-Work-Permit --action Create",
  },
  /**
   * Lists the bulk actions of a case type. Only hosted services have it.
   *
   * Errors: `NOT_FOUND` for an unknown type, and from a service of another variant.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { bulkActions = [] } = await svc.caseTypes.listBulkActions("City-Permit-Work-Permit");
   * console.log(bulkActions.map((action) => action.ID));
   * ```
   */
  listBulkActions: {
    summary: "List the bulk actions of a case type",
    method: "GET",
    path: "/casetypes/{caseTypeID}/bulk-actions",
    args: [caseTypeId],
    variant: "hosted",
    answer: "bulkActions",
    example: "City-Permit-Work-Permit",
  },
} as const satisfies Group;
