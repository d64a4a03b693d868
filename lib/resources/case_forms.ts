/** The operations of `svc cases` on the forms of a case: its actions and its views. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonObject } from "../../utils/json.ts";

import { changedCaseAnswer, viewAnswer } from "./shared/case.ts";
import {
  action,
  attachmentMembers,
  automationFlags,
  calculation,
  calculationMembers,
  calculationOfForm,
  caseId,
  caseTag,
  content,
  formQuery,
  refresh,
  view,
  viewType,
} from "./shared/params.ts";

const operations = {
  /**
   * Reads the form of a case action: content in `data.caseInfo.content`, fields and components in `uiResources`.
   *
   * Errors: `NOT_FOUND`, `CONFLICT` for an action that the case does not have now.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const form = await svc.cases.getAction(id, { action: "pyUpdateCaseDetails" });
   * console.log(form.data.caseInfo.content);
   * ```
   */
  getAction: {
    summary: "Read the form of a case action",
    method: "GET",
    path: "/cases/{caseID}/actions/{actionID}",
    args: [caseId],
    flags: {
      /** Action ID. */
      action,
    },
    accepts: { query: formQuery },
    answer: viewAnswer,
    example: [
      "'CITY-PERMIT-WORK P-1' --action pyUpdateCaseDetails",
      "'CITY-PERMIT-WORK P-1' --action Expedite --format yaml",
    ],
  },
  /**
   * Performs a case-wide or stage-wide action and returns the case.
   *
   * Errors: `CONFLICT` for an action that the case does not have now, `PRECONDITION_FAILED` for a stale `ifMatch`,
   * `VALIDATION_FAIL` with a detail per field.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.cases.performAction(id, { action: "pyUpdateCaseDetails", data: { Applicant: "Grace" } });
   * ```
   */
  performAction: {
    summary: "Perform a case-wide or stage-wide action",
    method: "PATCH",
    path: "/cases/{caseID}/actions/{actionID}",
    args: [caseId],
    flags: {
      /** Action ID. */
      action,
      ...content,
      ...automationFlags,
    },
    ...caseTag,
    interactive: true,
    accepts: {
      query: { ...viewType, excludeAdditionalActions: "boolean" },
      body: attachmentMembers,
    },
    answer: changedCaseAnswer,
    example: [
      `'CITY-PERMIT-WORK P-1' --action pyUpdateCaseDetails --data '{"Applicant":"Ada"}'`,
      "'CITY-PERMIT-WORK P-1' --action pyUpdateCaseDetails --data @details.json",
    ],
    seeAlso: ["cases get-action --help", "cases bulk-perform --help"],
  },
  /**
   * Computes fields and conditions of a case action and saves nothing. The response has the fields in
   * `data.caseInfo.content` and the conditions in `uiResources.context_data`, and omits unknown ones.
   *
   * Errors: `NOT_FOUND`, `CONFLICT` for an action that the case does not have now.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const data = { calculations: { fields: [{ name: ".Fee", context: "content" }] } };
   * const form = await svc.cases.recalculate(id, { action: "pyUpdateCaseDetails", data });
   * console.log(form.data.caseInfo.content?.Fee);
   * ```
   */
  recalculate: {
    summary: "Compute fields of a case action without saving",
    method: "PATCH",
    reads: true,
    conditional: true,
    path: "/cases/{caseID}/actions/{actionID}/recalculate",
    args: [caseId],
    flags: {
      /** Action ID. */
      action,
      /** Calculation request: properties and conditions to compute. */
      data: calculation,
    },
    ...caseTag,
    accepts: calculationOfForm,
    answer: viewAnswer,
    example: [
      `'CITY-PERMIT-WORK P-1' --action pyUpdateCaseDetails --data '{"calculations":{"fields":[{"name":".Fee","context":"content"}]}}'`,
      "'CITY-PERMIT-WORK P-1' --action pyUpdateCaseDetails --data @calculation.json",
    ],
  },
  /**
   * Computes the form of a case action as it would be with changed content, and saves nothing. The content may be
   * incomplete. With `interestPage` the response shows one row of a list.
   *
   * Errors: `BAD_REQUEST` for page instructions that cannot be applied, `CONFLICT` for an action that the case does not have
   * now.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const form = await svc.cases.refreshAction(id, { action: "pyUpdateCaseDetails", data: { Applicant: "Grace" } });
   * console.log(form.data.caseInfo.content);
   * ```
   */
  refreshAction: {
    summary: "Compute the form of a case action from changed content, without saving",
    method: "PATCH",
    reads: true,
    conditional: true,
    path: "/cases/{caseID}/actions/{actionID}/refresh",
    args: [caseId],
    flags: {
      /** Action ID. */
      action,
      ...refresh,
    },
    ...caseTag,
    answer: viewAnswer,
    example: [
      `'CITY-PERMIT-WORK P-1' --action pyUpdateCaseDetails --data '{"Channel":"Desk"}'`,
      "'CITY-PERMIT-WORK P-1' --action pyUpdateCaseDetails --data @details.json --format yaml",
    ],
  },
  /**
   * Reads a view of a case: content in `data.caseInfo.content`, fields and components in `uiResources`.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const details = await svc.cases.getView(id, { view: "pyDetails" });
   * console.log(details.data.caseInfo.content);
   * ```
   */
  getView: {
    summary: "Read a view of a case",
    method: "GET",
    path: "/cases/{caseID}/views/{viewID}",
    args: [caseId],
    flags: {
      /** View ID. */
      view,
    },
    answer: viewAnswer,
    example: [
      "'CITY-PERMIT-WORK P-1' --view pyDetails",
      "'CITY-PERMIT-WORK P-1' --view Summary | jq .data.caseInfo.content",
    ],
    seeAlso: ["cases get --help"],
  },
  /**
   * Computes a view as it would be with changed content, and saves nothing. The content may be incomplete. With
   * `interestPage` it is a view of the case or of the row, and the response shows the row.
   *
   * Errors: `NOT_FOUND`, `BAD_REQUEST` for page instructions that cannot be applied.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const details = await svc.cases.refreshView(id, { view: "pyDetails", data: { Applicant: "Grace" } });
   * console.log(details.data.caseInfo.content);
   * ```
   */
  refreshView: {
    summary: "Compute a view of a case from changed content, without saving",
    method: "PATCH",
    reads: true,
    path: "/cases/{caseID}/views/{viewID}/refresh",
    args: [caseId],
    flags: {
      /** View ID. */
      view,
      ...refresh,
    },
    answer: viewAnswer,
    example: [
      `'CITY-PERMIT-WORK P-1' --view pyDetails --data '{"Channel":"Desk"}'`,
      "'CITY-PERMIT-WORK P-1' --view pyDetails --data @case.json --interest-page '.Documents(1)'",
    ],
  },
  /**
   * Computes calculated fields and conditions of a view and saves nothing. The response omits unknown ones.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const data = { calculations: { fields: [{ name: ".Fee", context: "content" }] } };
   * const view = await svc.cases.calcFields(id, { view: "pyDetails", data });
   * console.log(view.data.caseInfo.content?.Fee);
   * ```
   */
  calcFields: {
    summary: "Compute calculated fields of a view",
    method: "POST",
    reads: true,
    path: "/cases/{caseID}/views/{viewID}/calculated_fields",
    args: [caseId],
    flags: {
      /** View ID. */
      view,
      /** Calculation request: properties and conditions to compute. */
      data: calculation,
    },
    accepts: { body: calculationMembers },
    answer: viewAnswer,
    example: [
      `'CITY-PERMIT-WORK P-1' --view pyDetails --data '{"calculations":{"fields":[{"name":".Fee","context":"content"}]}}'`,
      `'CITY-PERMIT-WORK P-1' --view pyDetails --data '{"calculations":{"fields":[{"name":".Cost","context":"content.Documents(1)"}]}}'`,
    ],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** Content of a view, and the view. */
export type ViewAnswer<Content = JsonObject> = AnswerOf<Operations["getView"], Content>;

/** Parameters of `cases.getAction`. */
export type CasesGetActionParams = ParamsOf<Operations["getAction"]>;

/** Parameters of `cases.performAction`. */
export type CasesPerformActionParams<Content = JsonObject> = ParamsOf<Operations["performAction"], Content>;

/** Parameters of `cases.recalculate`. */
export type CasesRecalculateParams = ParamsOf<Operations["recalculate"]>;

/** Parameters of `cases.refreshAction`. */
export type CasesRefreshActionParams<Content = JsonObject> = ParamsOf<Operations["refreshAction"], Content>;

/** Parameters of `cases.getView`. */
export type CasesGetViewParams = ParamsOf<Operations["getView"]>;

/** Parameters of `cases.refreshView`. */
export type CasesRefreshViewParams<Content = JsonObject> = ParamsOf<Operations["refreshView"], Content>;

/** Parameters of `cases.calcFields`. */
export type CasesCalcFieldsParams = ParamsOf<Operations["calcFields"]>;
