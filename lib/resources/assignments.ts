/** The operations of `svc assignments`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonObject } from "../../utils/json.ts";

import { assignmentAnswer, changedAssignmentAnswer, changedCaseAnswer, viewAnswer } from "./shared/case.ts";
import {
  action,
  assignmentTag,
  attachmentMembers,
  automationFlags,
  calculation,
  calculationOfForm,
  content,
  formQuery,
  refresh,
  viewType,
} from "./shared/params.ts";

const assignmentId = {
  name: "assignmentId",
  help: "Assignment handle, e.g. 'ASSIGN-WORKLIST ACME-WORK C-1!INTAKE'",
  type: "string",
  to: "path:assignmentID",
  required: true,
  reserved: ["next"],
} as const;

const operations = {
  /**
   * Reads an assignment with its case and its actions.
   *
   * Errors: `NOT_FOUND` for an assignment that does not exist or has been performed.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { nextAssignmentInfo: next } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * if (next) console.log(await svc.assignments.get(next.ID));
   * ```
   */
  get: {
    summary: "Read an assignment",
    method: "GET",
    path: "/assignments/{assignmentID}",
    args: [assignmentId],
    accepts: { query: { ...viewType, pageName: "text" } },
    answer: assignmentAnswer,
    example: [
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE'",
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --format yaml",
    ],
    seeAlso: ["assignments get-action --help", "help formatting"],
  },
  /**
   * Gets the next assignment that the caller may perform: the most urgent, then the oldest. An assignment from a queue
   * moves to the worklist of the caller.
   *
   * Errors: `NOT_FOUND` if no assignment is available.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const next = await svc.assignments.getNext();
   * console.log(next.id);
   * ```
   */
  getNext: {
    summary: "Get the next assignment: the most urgent, then the oldest",
    method: "GET",
    path: "/assignments/next",
    takes: true,
    accepts: { query: { ...viewType, pageName: "text" } },
    answer: assignmentAnswer,
    example: ["--fields id", "--format yaml --profile reviewer"],
    seeAlso: ["assignments perform --help"],
  },
  /**
   * Reads the form of an assignment's action: content in `data.caseInfo.content`, fields and components in `uiResources`.
   *
   * Errors: `NOT_FOUND`, `FORBIDDEN` for the assignment of another operator, `CONFLICT` for an action that it does not have.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { nextAssignmentInfo: next } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * if (next) console.log(await svc.assignments.getAction(next.ID, { action: "Register" }));
   * ```
   */
  getAction: {
    summary: "Read the form of an assignment's action",
    method: "GET",
    path: "/assignments/{assignmentID}/actions/{actionID}",
    args: [assignmentId],
    flags: {
      /** Action ID. */
      action,
    },
    accepts: { query: formQuery },
    answer: viewAnswer,
    example: [
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register",
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --format yaml",
    ],
  },
  /**
   * Performs an assignment and returns the case, with `nextAssignmentInfo` if the caller can perform another assignment.
   * The client first reads the entity tag, unless you pass `ifMatch`.
   *
   * Errors: `PRECONDITION_FAILED` if the case has changed since, `FORBIDDEN` for the assignment of another operator,
   * `CONFLICT` for an action that it does not have, `VALIDATION_FAIL` with a detail per field, `MISSING_ETAG`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { nextAssignmentInfo: next } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * if (next) await svc.assignments.perform(next.ID, { action: "Register", data: { Applicant: "Ada" } });
   * ```
   */
  perform: {
    summary: "Perform an assignment: submit one of its actions",
    method: "PATCH",
    path: "/assignments/{assignmentID}/actions/{actionID}",
    args: [assignmentId],
    flags: {
      /** Action ID. */
      action,
      ...content,
      ...automationFlags,
    },
    tagFrom: { path: "/assignments/{assignmentID}" },
    tagDemand: "always",
    interactive: true,
    accepts: { query: viewType, body: attachmentMembers },
    answer: changedCaseAnswer,
    example: [
      `'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data '{"Applicant":"Ada"}'`,
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --set Applicant=Ada --file plan.pdf",
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data @applicant.json",
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --interactive",
    ],
    seeAlso: ["assignments get-next --help", "assignments get-action --help"],
  },
  /**
   * Saves a draft of an assignment's action: the assignment stays open and its case unchanged.
   *
   * Errors: as `perform`, but required fields may be missing.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { nextAssignmentInfo: next } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * if (next) await svc.assignments.save(next.ID, { action: "Register", data: { Applicant: "Ada" } });
   * ```
   */
  save: {
    summary: "Save a draft of an assignment's action",
    method: "PATCH",
    path: "/assignments/{assignmentID}/actions/{actionID}/save",
    args: [assignmentId],
    flags: {
      /** Action ID. */
      action,
      ...content,
    },
    ...assignmentTag,
    accepts: { query: viewType, body: attachmentMembers },
    answer: changedAssignmentAnswer,
    example: [
      `'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data '{"Applicant":"Ada"}'`,
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data @applicant.json",
    ],
    seeAlso: ["assignments perform --help"],
  },
  /**
   * Computes fields and conditions of an assignment's action and saves nothing. The response has the fields in
   * `data.caseInfo.content` and the conditions in `uiResources.context_data`, and omits unknown ones.
   *
   * Errors: `NOT_FOUND`, `CONFLICT` for an action that the assignment does not have.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { nextAssignmentInfo: next } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const data = { calculations: { fields: [{ name: ".Fee", context: "content" }] } };
   * if (next) console.log(await svc.assignments.recalculate(next.ID, { action: "Register", data }));
   * ```
   */
  recalculate: {
    summary: "Compute fields of an assignment's action without saving",
    method: "PATCH",
    reads: true,
    conditional: true,
    path: "/assignments/{assignmentID}/actions/{actionID}/recalculate",
    args: [assignmentId],
    flags: {
      /** Action ID. */
      action,
      /** Calculation request: properties and conditions to compute. */
      data: calculation,
    },
    ...assignmentTag,
    accepts: calculationOfForm,
    answer: viewAnswer,
    example: [
      `'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data '{"calculations":{"fields":[{"name":".Fee","context":"content"}]}}'`,
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data @calculation.json",
    ],
  },
  /**
   * Computes the form of an assignment's action as it would be with changed content, and saves nothing. The content may be
   * incomplete. With `interestPage` the response shows one row of a list.
   *
   * Errors: `BAD_REQUEST` for page instructions that cannot be applied, `CONFLICT` for an action that the assignment does not
   * have.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { nextAssignmentInfo: next } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * if (next) console.log(await svc.assignments.refreshAction(next.ID, { action: "Register", data: { Applicant: "Ada" } }));
   * ```
   */
  refreshAction: {
    summary: "Compute the form of an assignment's action from changed content, without saving",
    method: "PATCH",
    reads: true,
    conditional: true,
    path: "/assignments/{assignmentID}/actions/{actionID}/refresh",
    args: [assignmentId],
    flags: {
      /** Action ID. */
      action,
      ...refresh,
    },
    ...assignmentTag,
    answer: viewAnswer,
    example: [
      `'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data '{"Channel":"Desk"}'`,
      "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data @form.json --interest-page '.Documents(1)'",
    ],
  },
  /**
   * Goes back to the previous step of a screen flow; the submitted content is saved as a draft.
   *
   * Errors: `VALIDATION_FAIL` on the first step.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { nextAssignmentInfo: next } = await svc.cases.stageGo(id, { stage: "Review" });
   * if (next) {
   *   await svc.assignments.perform(next.ID, { action: "CheckApplication", data: { Address: "Main Street 1" } });
   *   await svc.assignments.navigateBack(next.ID);
   * }
   * ```
   */
  navigateBack: {
    summary: "Go back to the previous step of an assignment",
    method: "PATCH",
    path: "/assignments/{assignmentID}/navigation_steps/previous",
    args: [assignmentId],
    flags: content,
    ...assignmentTag,
    accepts: { query: viewType, body: attachmentMembers },
    answer: changedAssignmentAnswer,
    example: [
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW'",
      `'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --data '{"Channel":"Desk"}'`,
    ],
  },
  /**
   * Goes to a step of a screen flow that was already visited; the submitted content is saved as a draft.
   *
   * Errors: `NOT_FOUND` for an unknown step, `CONFLICT` for the current one.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { nextAssignmentInfo: next } = await svc.cases.stageGo(id, { stage: "Review" });
   * if (next) {
   *   await svc.assignments.perform(next.ID, { action: "CheckApplication", data: { Address: "Main Street 1" } });
   *   await svc.assignments.navigateToStep(next.ID, { step: "AssignmentSF1" });
   * }
   * ```
   */
  navigateToStep: {
    summary: "Go to a visited step of an assignment",
    method: "PATCH",
    path: "/assignments/{assignmentID}/navigation_steps/{stepID}",
    args: [assignmentId],
    flags: {
      /** Step ID. */
      step: { help: "Step ID", type: "string", to: "path:stepID", required: true, reserved: ["previous"] },
      ...content,
    },
    ...assignmentTag,
    accepts: { query: viewType, body: attachmentMembers },
    answer: changedAssignmentAnswer,
    example: [
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --step AssignmentSF1",
      `'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --step AssignmentSF2 --data '{"Channel":"Desk"}'`,
    ],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** An assignment with its case. */
export type AssignmentAnswer<Content = JsonObject> = AnswerOf<Operations["get"], Content>;

/** An assignment after a change. A service may omit any member. */
export type ChangedAssignmentAnswer<Content = JsonObject> = AnswerOf<Operations["save"], Content>;

/** Parameters of `assignments.getAction`. */
export type AssignmentsGetActionParams = ParamsOf<Operations["getAction"]>;

/** Parameters of `assignments.perform`. */
export type AssignmentsPerformParams<Content = JsonObject> = ParamsOf<Operations["perform"], Content>;

/** Parameters of `assignments.save`. */
export type AssignmentsSaveParams<Content = JsonObject> = ParamsOf<Operations["save"], Content>;

/** Parameters of `assignments.recalculate`. */
export type AssignmentsRecalculateParams = ParamsOf<Operations["recalculate"]>;

/** Parameters of `assignments.refreshAction`. */
export type AssignmentsRefreshActionParams<Content = JsonObject> = ParamsOf<Operations["refreshAction"], Content>;

/** Parameters of `assignments.navigateBack`. */
export type AssignmentsNavigateBackParams<Content = JsonObject> = ParamsOf<Operations["navigateBack"], Content>;

/** Parameters of `assignments.navigateToStep`. */
export type AssignmentsNavigateToStepParams<Content = JsonObject> = ParamsOf<Operations["navigateToStep"], Content>;
