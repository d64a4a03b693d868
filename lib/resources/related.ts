/** The operations of `svc related`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";

import { multiStatusAnswer } from "./shared/case.ts";
import { caseId } from "./shared/params.ts";

const relatedCaseId = {
  help: "Handle of the related case",
  type: "string",
  namesCase: true,
  required: true,
} as const;

const relatedCase = {
  required: {
    /** Case handle. */
    ID: "string",
  },
  unchecked: {
    /** Relationship. Some services omit it. */
    relationship: "string",
    /** `outgoing` if the relation was added to this case, `incoming` if it was added to the related case. */
    direction: { values: ["outgoing", "incoming"] },
    /** The short ID that people use. */
    businessID: "string",
    /** Label of the case. */
    name: "string",
    /** Status. */
    status: "string",
    /** Display name of the case type. */
    caseTypeName: "string",
    /** Requests that the case offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const relatedCaseList = {
  shape: {
    required: {
      /** In the order in which they were related. */
      associatedCases: { list: relatedCase },
    },
  },
  list: "associatedCases",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Lists the related cases of a case with their relationships, in the order in which they were added.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { associatedCases } = await svc.related.list(id);
   * console.log(associatedCases.map((related) => `${related.ID}: ${related.relationship}`));
   * ```
   */
  list: {
    summary: "List the cases related to a case",
    method: "GET",
    path: "/cases/{caseID}/related_cases",
    args: [caseId],
    answer: relatedCaseList,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --format table"],
  },
  /**
   * Relates a case to another. Both cases list the relation. The response has one element with the outcome. The command
   * fails with `BULK_PARTIAL_FAILURE` if the element failed. The entity tags of the cases do not change.
   *
   * Errors: `NOT_FOUND`, `PRECONDITION_FAILED` for a stale `ifMatch`. Status of the element: 404 for an unknown
   * case, 400 for the case itself, 403 for a case that the caller may not change, 409 for a case that is already related.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const other = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Grace" } });
   * const [added] = await svc.related.add(id, { relatedCaseId: other.id, relationship: "duplicate" });
   * console.log(added?.status);
   * ```
   */
  add: {
    summary: "Relate a case to another case",
    method: "POST",
    path: "/cases/{caseID}/related_cases",
    args: [caseId],
    flags: {
      /** Handle of the related case. */
      relatedCaseId: { ...relatedCaseId, to: "body:cases[0].ID" },
      /** Relationship type. */
      relationship: {
        help: "Relationship type",
        type: "string",
        to: "body:cases[0].relationship",
        required: true,
        assumed: "",
      },
    },
    answer: multiStatusAnswer,
    status: 207,
    example: [
      "'CITY-PERMIT-WORK P-1' --related-case-id 'CITY-PERMIT-WORK P-2' --relationship duplicate",
      "'CITY-PERMIT-WORK P-1' --related-case-id 'CITY-PERMIT-WORK P-2' --relationship duplicate --dry-run",
    ],
  },
  /**
   * Removes the relation between two cases. The order of the cases does not matter.
   *
   * Errors: `NOT_FOUND`, `FORBIDDEN` unless the caller may change both cases, `CONFLICT` for a case that is not related,
   * `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const other = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Grace" } });
   * await svc.related.add(id, { relatedCaseId: other.id, relationship: "duplicate" });
   * await svc.related.delete(id, { relatedCaseId: other.id });
   * ```
   */
  delete: {
    summary: "Remove the relation of a case to another",
    method: "DELETE",
    path: "/cases/{caseID}/related_cases/{related_caseID}",
    args: [caseId],
    flags: {
      /** Handle of the related case. */
      relatedCaseId: { ...relatedCaseId, to: "path:related_caseID" },
    },
    answer: "nothing",
    example: [
      "'CITY-PERMIT-WORK P-1' --related-case-id 'CITY-PERMIT-WORK P-2'",
      "'CITY-PERMIT-WORK P-1' --related-case-id 'CITY-PERMIT-WORK P-2' --dry-run",
    ],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** The cases that are related to a case. */
export type RelatedCasesAnswer = AnswerOf<Operations["list"]>;

/** A related case. */
export type RelatedCaseInfo = RelatedCasesAnswer["associatedCases"][number];

/** Parameters of `related.add`. */
export type RelatedAddParams = ParamsOf<Operations["add"]>;

/** Parameters of `related.delete`. */
export type RelatedDeleteParams = ParamsOf<Operations["delete"]>;
