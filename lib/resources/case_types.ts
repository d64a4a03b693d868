/** The operations of `svc case-types`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";

import { bulkActionsAnswer, viewAnswer } from "./shared/case.ts";

const caseTypeId = {
  name: "caseTypeId",
  help: "Case type ID, e.g. City-Permit-Work-Permit",
  type: "string",
  to: "path:caseTypeID",
  required: true,
} as const;

const caseType = {
  required: {
    /** Case type ID. `cases.create` takes it as `type`. */
    ID: "string",
  },
  unchecked: {
    /** Display name. */
    name: "string",
    /** Requests that the case type offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const caseTypeAnswer = { shape: caseType } as const satisfies JsonAnswer;

const caseTypeList = {
  shape: {
    required: {
      /** In the order of the application. */
      caseTypes: { list: caseType },
    },
  },
  list: "caseTypes",
} as const satisfies JsonAnswer;

const operations = {
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
    answer: caseTypeList,
    example: ["", "--format table"],
    seeAlso: ["cases create --help"],
  },
  /**
   * Reads one case type. The client picks it from the list of all.
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
    answer: caseTypeAnswer,
    example: ["City-Permit-Work-Permit", "City-Permit-Work-Permit --format yaml"],
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
    flags: {
      /** Action ID, e.g. Create. */
      action: {
        help: "Action ID, e.g. Create",
        type: "string",
        to: "path:actionID",
        required: true,
      },
    },
    accepts: { query: { bulkContextID: "text", bulkContextType: "text" } },
    answer: viewAnswer,
    example: ["City-Permit-Work-Permit --action Create", "City-Permit-Work-Permit --action Create --format yaml"],
  },
  /**
   * Lists the bulk actions of a case type. Only the hosted variant supports it.
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
    answer: bulkActionsAnswer,
    example: ["City-Permit-Work-Permit", "City-Permit-Work-Permit --format table"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** The case types that the caller may create. */
export type CaseTypesAnswer = AnswerOf<Operations["list"]>;

/** A case type, as a list contains it. */
export type CaseTypeInfo = CaseTypesAnswer["caseTypes"][number];

/** A case type. */
export type CaseTypeAnswer = AnswerOf<Operations["get"]>;

/** Parameters of `caseTypes.getAction`. */
export type CaseTypesGetActionParams = ParamsOf<Operations["getAction"]>;
