/** Shapes of a case, its assignments, its views, and what became of the elements of a call. */
import type { JsonAnswer } from "../../operation/answer.ts";
import type { ObjectShape } from "../../../utils/shape.ts";

/** Shape of an action. */
export const actionShape = {
  required: {
    /** Action ID, e.g. `EnterDetails`. Operations take it as `action`. */
    ID: "string",
    /** Display name. */
    name: "string",
  },
  unchecked: {
    /** Kind of action: of an assignment (`FlowAction`), of the whole case, or of its current stage. */
    type: { values: ["FlowAction", "Case", "Stage"] },
    /** Requests that the action offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const assignee = {
  required: {
    /** ID of the operator or of the queue. */
    ID: "string",
  },
  unchecked: {
    /** Display name. */
    name: "string",
    /** Kind: the worklist of an operator, or a queue. */
    type: { values: ["worklist", "workbasket"] },
  },
} as const satisfies ObjectShape;

/** Shape of an open assignment. */
export const assignment = {
  required: {
    /** Assignment handle, e.g. `ASSIGN-WORKLIST ACME-WORK C-3!INTAKE_FLOW`. */
    ID: "string",
    /** Display name. */
    name: "string",
  },
  unchecked: {
    /** ID of the process to which it belongs. */
    processID: "string",
    /** Display name of the process. */
    processName: "string",
    /** Instructions for the person who performs it. */
    instructions: "string",
    /** Operator or queue to which it is routed. */
    assigneeInfo: assignee,
    /** True if the caller may perform it, as text. */
    canPerform: { values: ["true", "false"], closed: true },
    /** True if it is a step of a screen flow, as text. */
    isMultiStep: { values: ["true", "false"], closed: true },
    /** Urgency, 0 to 100. Some platform versions write it as text. */
    urgency: { oneOf: ["number", "string"] },
    /** Time at which it was created. */
    createTime: "string",
    /** Time at which it is due. Only the embedded service sends it, for a step with `dueDays`. */
    dueTime: "string",
    /** IDs of the actions that have a saved draft. Only the embedded service sends them. */
    draftActions: { list: "string" },
    /** Actions. Missing if the caller may not perform it. */
    actions: { list: actionShape },
    /** Requests that it offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

/** Shape of a stage. */
export const stage = {
  required: {
    /** Stage ID, e.g. `PRIM0`. */
    ID: "string",
    /** Display name. `stageGo` accepts it, too. */
    name: "string",
  },
  unchecked: {
    /** Progress of the case. */
    visited_status: { values: ["active", "completed", "future"] },
    /** Kind: on the main path, or an alternative. */
    type: { values: ["Primary", "Alternate"] },
    /** How the case leaves or enters the stage. */
    transitionType: { values: ["create", "automatic", "manual", "resolution"] },
    /** Time at which the case entered the stage. */
    entryTime: "string",
    /** Processes with their steps. Only `listStages` returns them. */
    processes: { list: "object" },
    /** Requests that the stage offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const process = {
  required: {
    /** Process ID. `startProcess` takes it as `process`. */
    ID: "string",
    /** Display name. */
    name: "string",
  },
  unchecked: {
    /** Scope: the case, or its current stage. */
    type: { values: ["Case", "Stage"] },
    /** Requests that the process offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const caseInfo = {
  unchecked: {
    /** Case handle, e.g. `ACME-WORK C-3`. */
    ID: "string",
    /** The short ID that people use, e.g. `C-3`. */
    businessID: "string",
    /** Case type ID. */
    caseTypeID: "string",
    /** Display name of the case type. */
    caseTypeName: "string",
    /** Icon of the case type. */
    caseTypeIcon: "string",
    /** Display name. */
    name: "string",
    /** Handle of the parent case. */
    parentCaseID: "string",
    /** Status, e.g. `Open` or `Resolved-Completed`. */
    status: "string",
    /** Urgency, 0 to 100. Some platform versions write it as text. */
    urgency: { oneOf: ["number", "string"] },
    /** ID of the current stage. */
    stageID: "string",
    /** Display name of the current stage. */
    stageLabel: "string",
    /** Operator who owns the case. */
    owner: "string",
    /** Operator who created the case. */
    createdBy: "string",
    /** Time at which the case was created. */
    createTime: "string",
    /** Operator who changed the case last. */
    lastUpdatedBy: "string",
    /** Time of the last change. */
    lastUpdateTime: "string",
    /** Goal and deadline. */
    sla: {
      unchecked: {
        /** Time by which the case should be resolved; empty without one. */
        goal: "string",
        /** Time by which the case must be resolved; empty without one. */
        deadline: "string",
      },
    },
    /** Relations of the caller to the case. */
    associations: {
      unchecked: {
        /** True if the caller follows the case. */
        follows: "boolean",
      },
    },
    /** True if the case has attachments that the caller has not seen. */
    hasNewAttachments: "boolean",
    /** Parts of a user interface that a change has made stale. */
    WidgetsToRefresh: { list: "string" },
    /** The fields of the view. */
    content: "open",
    /** Open assignments. */
    assignments: { list: assignment },
    /** All stages of the case type. */
    stages: { list: stage },
    /** Case-wide and stage-wide actions. */
    availableActions: { list: actionShape },
    /** Optional processes that can be started now. */
    availableProcesses: { list: process },
  },
} as const satisfies ObjectShape;

/** Shape of the envelope of a case. */
export const caseData = {
  required: {
    /** The case. */
    caseInfo,
  },
} as const satisfies ObjectShape;

const nextAssignment = {
  required: {
    /** Assignment handle. */
    ID: "string",
  },
  unchecked: {
    /** Class of the assignment's case. */
    className: "string",
    /** Case to which the assignment belongs: `self`, or a related one. */
    context: "string",
    /** Requests that it offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

/** A case, as most operations on cases and assignments return it. */
export const caseAnswer = {
  shape: {
    required: {
      /** Case handle. Other operations take it as `caseId`. */
      id: "string",
      /** Case type ID. */
      type: "string",
      /** Status, e.g. `Open` or `Resolved-Completed`. */
      status: "string",
      /** The case. */
      data: caseData,
    },
    unchecked: {
      /** Urgency, 0 to 100. Some platform versions write it as text. */
      urgency: { oneOf: ["number", "string"] },
      /** Entity tag, for `ifMatch`. */
      etag: "string",
      /** The next assignment of the caller, if there is one. */
      nextAssignmentInfo: nextAssignment,
      /** Message for the person if there is no next assignment. */
      confirmationNote: "string",
      /** View of the case or of the next assignment, if it was requested. */
      uiResources: "object",
    },
  },
  fill: "case",
} as const satisfies JsonAnswer;

/** An assignment with its case. */
export const assignmentAnswer = {
  shape: {
    required: {
      /** Assignment handle. Other operations take it as `assignmentId`. */
      id: "string",
      /** Case of the assignment. */
      data: caseData,
    },
    unchecked: {
      /** Entity tag, for `ifMatch`. */
      etag: "string",
      /** Views of its actions, if they were requested. */
      uiResources: "object",
    },
  },
  fill: "assignment",
} as const satisfies JsonAnswer;

/** Content of a view, and the view. */
export const viewAnswer = {
  shape: {
    required: {
      /** Content: `data.caseInfo.content`. */
      data: caseData,
    },
    unchecked: {
      /** Entity tag, for `ifMatch`. */
      etag: "string",
      /** The view: fields with their types, and the components that show them. */
      uiResources: "object",
    },
  },
} as const satisfies JsonAnswer;

const changedData = { unchecked: caseData.required } as const satisfies ObjectShape;

/** A case after a change. A service may omit any member, or the whole body. */
export const changedCaseAnswer = {
  shape: { unchecked: { ...caseAnswer.shape.required, data: changedData, ...caseAnswer.shape.unchecked } },
  fill: "case",
} as const satisfies JsonAnswer;

/** An assignment after a change. A service may omit any member, or the whole body. */
export const changedAssignmentAnswer = {
  shape: { unchecked: { ...assignmentAnswer.shape.required, data: changedData, ...assignmentAnswer.shape.unchecked } },
  fill: "assignment",
} as const satisfies JsonAnswer;

/** Shape of the reason why an element of a call failed. */
export const elementError = {
  unchecked: {
    /** Code or sentence. */
    message: "string",
    /** Sentence for people. */
    localizedValue: "string",
    /** Field, e.g. `.Applicant` or `.Documents(1).Title`, or the embedded page that contains it. */
    erroneousInputOutputFieldInPage: "string",
    /** Property of the embedded page, or name of the parameter. */
    erroneousInputOutputIdentifier: "string",
  },
} as const satisfies ObjectShape;

/** The actions that can be performed on several cases. */
export const bulkActionsAnswer = {
  shape: {
    optional: {
      /** In the order of the case type. Some services omit an empty list. */
      bulkActions: { list: actionShape },
    },
  },
  list: "bulkActions",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const elementStatus = {
  required: {
    /** The element, e.g. a user ID. */
    ID: "string",
    /** HTTP status of the element. Some services write it as text. */
    status: { oneOf: ["number", "string"] },
  },
  unchecked: {
    /** Reasons why the element failed. */
    errorDetails: { list: elementError },
  },
} as const satisfies ObjectShape;

/** One outcome per element of a call that takes several elements. */
export const multiStatusAnswer = {
  shape: { list: elementStatus },
  mayBeEmpty: true,
  outcomes: "element",
} as const satisfies JsonAnswer;

/** A JSON object whose members depend on the application. */
export const objectAnswer = { shape: { open: true }, mayBeEmpty: true } as const satisfies JsonAnswer;
