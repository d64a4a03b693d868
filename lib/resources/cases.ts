/** The operations of `svc cases`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";
import type { JsonObject } from "../../utils/json.ts";

import { assignment, bulkActionsAnswer, caseAnswer, changedCaseAnswer, elementError, stage } from "./shared/case.ts";
import forms from "./case_forms.ts";
import { attachmentMembers, caseId, caseTag, content, pageViewType, viewType } from "./shared/params.ts";

const caseList = {
  help: "Case handles, separated by commas",
  type: "list",
  namesCase: true,
  to: "body:cases[].ID",
  required: true,
} as const;

const moveQuery = { ...viewType, cleanupProcesses: "boolean" } as const;

const bulkResult = {
  unchecked: {
    /** Case handle. */
    ID: "string",
    /** HTTP status for the case. Some services write it as text. */
    status: { oneOf: ["number", "string"] },
    /** Reasons why the case failed. */
    errorDetails: { list: elementError },
  },
} as const satisfies ObjectShape;

const bulkAnswer = {
  shape: {
    optional: {
      /** One element per case. Some services only count. */
      results: { list: bulkResult },
    },
    unchecked: {
      /** Number of cases on which the action was performed. */
      successCount: "number",
      /** Number of cases on which it failed. */
      failureCount: "number",
      /** Job that does the work in the background. */
      jobID: "string",
    },
  },
  outcomes: "case",
  list: "results",
} as const satisfies JsonAnswer;

const ancestor = {
  required: {
    /** Case handle. */
    ID: "string",
  },
  unchecked: {
    /** Display name of the case type. */
    name: "string",
    /** Requests that the case offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const ancestorList = {
  shape: {
    optional: {
      /** The nearest first. Missing for a case without parent. */
      ancestors: { list: ancestor },
    },
  },
  list: "ancestors",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const childCase = {
  required: ancestor.required,
  unchecked: {
    ...ancestor.unchecked,
    /** The short ID that people use. */
    businessID: "string",
    /** Case type ID. */
    caseTypeID: "string",
    /** Status. */
    status: "string",
    /** Urgency, 0 to 100. Some platform versions write it as text. */
    urgency: { oneOf: ["number", "string"] },
    /** Open assignments. */
    assignments: { list: assignment },
    /** Children. Missing for a case without children. */
    childCases: { list: "self" },
  },
} as const satisfies ObjectShape;

const descendantList = {
  shape: {
    optional: {
      /** In the order in which they were created. Missing for a case without children. */
      childCases: { list: childCase },
    },
  },
  list: "childCases",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const attachmentCategory = {
  required: {
    /** Category ID. An attachment has it as `category`. */
    ID: "string",
  },
  unchecked: {
    /** Display name. */
    name: "string",
    /** True if the caller may see its attachments. */
    canView: "boolean",
    /** True if the caller may add attachments to it. */
    canCreate: "boolean",
    /** True if the caller may change its attachments. */
    canEdit: "boolean",
    /** True if the caller may delete attachments that the caller added. */
    canDeleteOwn: "boolean",
    /** True if the caller may delete all attachments. */
    canDeleteAll: "boolean",
  },
} as const satisfies ObjectShape;

const attachmentCategoryList = {
  shape: {
    optional: {
      /** In the order of the case type. Some services omit an empty list. */
      attachment_categories: { list: attachmentCategory },
    },
  },
  list: "attachment_categories",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const stageList = {
  shape: {
    required: {
      /** In order. */
      stages: { list: stage },
    },
  },
  list: "stages",
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Creates a case of a type and puts it on its first step. `nextAssignmentInfo` names the next assignment of the
   * caller.
   *
   * Errors: `NOT_FOUND` for an unknown type or process, `FORBIDDEN` for a parent case that the caller may not change,
   * `VALIDATION_FAIL` with a detail per field for invalid content.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const created = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * console.log(created.id, created.nextAssignmentInfo?.ID);
   * ```
   */
  create: {
    summary: "Create a case",
    method: "POST",
    creates: true,
    path: "/cases",
    flags: {
      /** Case type ID. */
      type: { help: "Case type ID", type: "string", to: "body:caseTypeID", required: true },
      ...content,
      /** Handle of the parent case. */
      parentCaseId: { help: "Handle of the parent case", type: "string", namesCase: true, to: "body:parentCaseID" },
      /** Process that starts the case, as the case type names it. */
      process: {
        help: "Process that starts the case, as the case type names it",
        type: "string",
        to: "body:processID",
      },
    },
    interactive: true,
    accepts: {
      query: { ...viewType, pageName: "text" },
      body: attachmentMembers,
    },
    answer: caseAnswer,
    status: 201,
    example: [
      `--type City-Permit-Work-Permit --data '{"Applicant":"Ada"}'`,
      "--type City-Permit-Work-Permit --set Applicant=Ada --set 'Address=Canal 1'",
      "--type City-Permit-Work-Permit --data @applicant.json --fields id,nextAssignmentInfo",
      "--type City-Permit-Work-Permit --data - < applicant.json",
    ],
    seeAlso: ["assignments perform --help", "case-types list --help"],
  },
  /**
   * Reads a case: status, stages, open assignments, and the fields of its details view.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { status, data } = await svc.cases.get(id);
   * console.log(status, data.caseInfo.content);
   * ```
   */
  get: {
    summary: "Read a case",
    method: "GET",
    path: "/cases/{caseID}",
    args: [caseId],
    accepts: { query: { ...pageViewType, pageName: "text" } },
    answer: caseAnswer,
    example: ["'CITY-PERMIT-WORK P-1' --fields id,status", "'CITY-PERMIT-WORK P-1' --format yaml"],
    seeAlso: ["cases get-view --help", "help formatting"],
  },
  /**
   * Deletes a case. Only a case that has never left its create stage can be deleted.
   *
   * Errors: `FORBIDDEN` for a case that has moved on, `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.cases.delete(id);
   * ```
   */
  delete: {
    summary: "Delete a case that is still in its create stage",
    method: "DELETE",
    path: "/cases/{caseID}",
    args: [caseId],
    answer: "nothing",
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --dry-run"],
  },
  /**
   * Discards the saved drafts of a case and returns the case.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.cases.discardUpdates(id);
   * ```
   */
  discardUpdates: {
    summary: "Discard the saved drafts of a case and release its lock",
    method: "DELETE",
    path: "/cases/{caseID}/updates",
    args: [caseId],
    accepts: { query: pageViewType },
    answer: changedCaseAnswer,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --fields etag"],
  },
  ...forms,
  /**
   * Lists the parent of a case in `ancestors`, then its parent, and so on; the object is empty for a case without parent.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { ancestors = [] } = await svc.cases.listAncestors(id);
   * console.log(ancestors.map((ancestor) => ancestor.ID));
   * ```
   */
  listAncestors: {
    summary: "List the parent of a case, its parent, and so on",
    method: "GET",
    path: "/cases/{caseID}/ancestors",
    args: [caseId],
    answer: ancestorList,
    example: ["'CITY-PERMIT-WORK P-2'", "'CITY-PERMIT-WORK P-2' --format table"],
  },
  /**
   * Lists the children of a case in `childCases`, each with its own; the object is empty for a case without children.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { childCases = [] } = await svc.cases.listDescendants(id);
   * console.log(childCases.map((child) => child.ID));
   * ```
   */
  listDescendants: {
    summary: "List the children of a case, their children, and so on",
    method: "GET",
    path: "/cases/{caseID}/descendants",
    args: [caseId],
    answer: descendantList,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --format yaml"],
  },
  /**
   * Lists the attachment categories of a case in `attachment_categories`, with the rights of the caller in each.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { attachment_categories = [] } = await svc.cases.listAttachmentCategories(id);
   * console.log(attachment_categories.filter(({ canCreate }) => canCreate).map(({ ID }) => ID));
   * ```
   */
  listAttachmentCategories: {
    summary: "List the attachment categories of a case and the caller's rights",
    method: "GET",
    path: "/cases/{caseID}/attachment_categories",
    args: [caseId],
    accepts: { query: { type: ["File", "URL"] } },
    answer: attachmentCategoryList,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --format table"],
  },
  /**
   * Lists the stages of a case, with the processes and steps of each.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { stages } = await svc.cases.listStages(id);
   * console.log(stages.map((stage) => `${stage.name}: ${stage.visited_status}`));
   * ```
   */
  listStages: {
    summary: "List the stages of a case, with their processes and steps",
    method: "GET",
    path: "/cases/{caseID}/stages",
    args: [caseId],
    answer: stageList,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --format table"],
  },
  /**
   * Moves a case to a stage, by name or ID, and removes the open assignments of the stage that it leaves.
   *
   * Errors: `NOT_FOUND` for an unknown stage, `CONFLICT` for its current stage, `PRECONDITION_FAILED` for a stale
   * `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const moved = await svc.cases.stageGo(id, { stage: "Decision" });
   * console.log(moved.data?.caseInfo?.stageLabel);
   * ```
   */
  stageGo: {
    summary: "Move a case to a stage",
    method: "PUT",
    path: "/cases/{caseID}/stages/{stageID}",
    args: [caseId],
    flags: {
      /** Stage name or ID. */
      stage: { help: "Stage name or ID", type: "string", to: "path:stageID", required: true },
    },
    ...caseTag,
    accepts: { query: moveQuery },
    answer: changedCaseAnswer,
    example: [
      "'CITY-PERMIT-WORK P-1' --stage Decision",
      "'CITY-PERMIT-WORK P-1' --stage Decision --fields status,stageLabel",
    ],
    seeAlso: ["cases list-stages --help"],
  },
  /**
   * Moves a case to its next stage.
   *
   * Errors: `CONFLICT` for a case in its last stage, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const moved = await svc.cases.stageNext(id);
   * console.log(moved.data?.caseInfo?.stageLabel);
   * ```
   */
  stageNext: {
    summary: "Move a case to its next stage",
    method: "POST",
    path: "/cases/{caseID}/stages/next",
    args: [caseId],
    ...caseTag,
    accepts: { query: moveQuery },
    answer: changedCaseAnswer,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --fields status,nextAssignmentInfo"],
    seeAlso: ["cases list-stages --help"],
  },
  /**
   * Starts an optional process of a case.
   *
   * Errors: `NOT_FOUND` for a process that the case does not offer now.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.cases.startProcess(id, { process: "Site_Visit" });
   * ```
   */
  startProcess: {
    summary: "Start an optional process of a case",
    method: "POST",
    path: "/cases/{caseID}/processes/{processID}",
    args: [caseId],
    flags: {
      /** Process ID. */
      process: { help: "Process ID", type: "string", to: "path:processID", required: true },
    },
    accepts: { query: viewType },
    answer: changedCaseAnswer,
    example: [
      "'CITY-PERMIT-WORK P-1' --process Site_Visit",
      "'CITY-PERMIT-WORK P-1' --process Site_Visit --fields nextAssignmentInfo",
    ],
    seeAlso: ["cases list-stages --help"],
  },
  /**
   * Lists the actions that all of the cases have.
   *
   * Errors: `BAD_REQUEST`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { bulkActions = [] } = await svc.cases.bulkActions({ cases: [id] });
   * console.log(bulkActions.map((action) => action.ID));
   * ```
   */
  bulkActions: {
    summary: "List the actions that several cases have in common",
    method: "POST",
    reads: true,
    path: "/cases/bulk-actions",
    flags: {
      /** Case handles, separated by commas. */
      cases: caseList,
    },
    answer: bulkActionsAnswer,
    example: [
      "--cases 'CITY-PERMIT-WORK P-1,CITY-PERMIT-WORK P-2'",
      "--cases 'CITY-PERMIT-WORK P-1,CITY-PERMIT-WORK P-2' --format table",
    ],
    seeAlso: ["cases bulk-perform --help"],
  },
  /**
   * Performs an action on several cases. `results` has the outcome for each case. A failure does not stop the others.
   * With the running mode `async`, a hosted service returns a `jobID` at once and does the work in the background.
   *
   * Errors: `BAD_REQUEST`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const done = await svc.cases.bulkPerform({
   *   action: "pyUpdateCaseDetails",
   *   cases: [id],
   *   data: { Applicant: "Grace" },
   * });
   * console.log(done.results);
   * ```
   */
  bulkPerform: {
    summary: "Perform an action on several cases",
    method: "PATCH",
    path: "/cases",
    flags: {
      /** Action ID. */
      action: { help: "Action ID", type: "string", to: "query:actionID", required: true },
      /** Case handles, separated by commas. */
      cases: caseList,
      ...content,
      /** Do the work in the background and return a job. */
      runningMode: {
        help: "Do the work in the background and return a job",
        type: "string",
        choices: ["async"],
        to: "query:runningMode",
        variant: "hosted",
      },
    },
    accepts: { body: attachmentMembers },
    answer: bulkAnswer,
    status: 207,
    example: [
      `--action pyUpdateCaseDetails --cases 'CITY-PERMIT-WORK P-1,CITY-PERMIT-WORK P-2' --data '{"Channel":"Desk"}'`,
      "--action pyUpdateCaseDetails --cases 'CITY-PERMIT-WORK P-1,CITY-PERMIT-WORK P-2' --data @details.json --format table",
    ],
    seeAlso: ["cases bulk-actions --help"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** A case. */
export type CaseAnswer<Content = JsonObject> = AnswerOf<Operations["get"], Content>;

/** A case after a change. A service may omit any member. */
export type ChangedCaseAnswer<Content = JsonObject> = AnswerOf<Operations["stageGo"], Content>;

/** The envelope of a case. */
export type CaseData<Content = JsonObject> = CaseAnswer<Content>["data"];

/** A case, in the shape of DX API v2. */
export type CaseInfo<Content = JsonObject> = CaseData<Content>["caseInfo"];

/** A stage of a case. */
export type StageInfo = NonNullable<CaseInfo["stages"]>[number];

/** An optional process of a case. */
export type ProcessInfo = NonNullable<CaseInfo["availableProcesses"]>[number];

/** An open assignment, as a case lists it. */
export type AssignmentInfo = NonNullable<CaseInfo["assignments"]>[number];

/** The operator or queue to which an assignment is routed. */
export type AssigneeInfo = NonNullable<AssignmentInfo["assigneeInfo"]>;

/** An action of an assignment or of a case. */
export type ActionInfo = NonNullable<AssignmentInfo["actions"]>[number];

/** A reference to the next assignment. */
export type NextAssignmentInfo = NonNullable<CaseAnswer["nextAssignmentInfo"]>;

/** The outcome of a bulk call for each case. */
export type BulkAnswer = AnswerOf<Operations["bulkPerform"]>;

/** The outcome of a bulk call for one case. */
export type BulkResult = NonNullable<BulkAnswer["results"]>[number];

/** The actions that can be performed on several cases. */
export type BulkActionsAnswer = AnswerOf<Operations["bulkActions"]>;

/** Reason why one element of a call failed. */
export type ElementError = NonNullable<BulkResult["errorDetails"]>[number];

/** The parent of a case, its parent, and so on. */
export type AncestorsAnswer = AnswerOf<Operations["listAncestors"]>;

/** A case among the ancestors of another. */
export type AncestorInfo = NonNullable<AncestorsAnswer["ancestors"]>[number];

/** The children of a case, and theirs. */
export type DescendantsAnswer = AnswerOf<Operations["listDescendants"]>;

/** A case among the descendants of another, with its own. */
export type ChildCase = NonNullable<DescendantsAnswer["childCases"]>[number];

/** The attachment categories of a case. */
export type AttachmentCategoriesAnswer = AnswerOf<Operations["listAttachmentCategories"]>;

/** An attachment category, and the caller's rights in it. */
export type AttachmentCategoryInfo = NonNullable<AttachmentCategoriesAnswer["attachment_categories"]>[number];

/** The stages of a case. */
export type StagesAnswer = AnswerOf<Operations["listStages"]>;

/** Parameters of `cases.create`. */
export type CasesCreateParams<Content = JsonObject> = ParamsOf<Operations["create"], Content>;

/** Parameters of `cases.stageGo`. */
export type CasesStageGoParams = ParamsOf<Operations["stageGo"]>;

/** Parameters of `cases.startProcess`. */
export type CasesStartProcessParams = ParamsOf<Operations["startProcess"]>;

/** Parameters of `cases.bulkActions`. */
export type CasesBulkActionsParams = ParamsOf<Operations["bulkActions"]>;

/** Parameters of `cases.bulkPerform`. */
export type CasesBulkPerformParams<Content = JsonObject> = ParamsOf<Operations["bulkPerform"], Content>;
