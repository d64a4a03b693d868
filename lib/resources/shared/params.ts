/** Flags that many operations share. */

/** The positional argument of the operations on a case. */
export const caseId = {
  name: "caseId",
  help: "Case handle, e.g. 'ACME-WORK C-1'",
  type: "string",
  to: "path:caseID",
  required: true,
} as const;

/** The entity tag of the operations on a case for which strict services demand one. */
export const caseTag = {
  tagFrom: { path: "/cases/{caseID}", onDemand: true },
  tagDemand: "strict",
} as const;

/** The entity tag of the operations on an assignment for which strict services demand one. */
export const assignmentTag = {
  tagFrom: { path: "/assignments/{assignmentID}", onDemand: true },
  tagDemand: "strict",
} as const;

/** The view that a change returns with the data. */
export const viewType = { viewType: ["none", "form", "page"] } as const;

/** The view of a form. */
const formViewType = { viewType: ["form", "page"] } as const;

/** The view of the operations that read a case. */
export const pageViewType = { viewType: ["none", "page"] } as const;

/** The view of the operations on participants. */
export const participantViewType = { viewType: ["none", "form"] } as const;

/** The query of the operations that read a form. */
export const formQuery = { ...formViewType, excludeAdditionalActions: "boolean" } as const;

/** The flags of the operations that may run robotic automation after a form is submitted. */
export const automationFlags = {
  /** Submit without waiting for a robot, e.g. after status 424. */
  skipAutomation: {
    help: "Skip robotic automation, e.g. after status 424",
    type: "boolean",
    to: "query:skipRoboticAutomation",
  },
} as const;

const attachment = ["type", "category", "name", "ID", "url", "attachmentFieldName", "delete", "pyRouteToWorkbasket"];

/** Members of each attachment of a form. */
export const attachmentMembers: readonly string[] = attachment.map((name) => `attachments[].${name}`);

/** Members of each attachment of a message to an agent. */
export const agentAttachmentMembers: readonly string[] = attachment.map((name) => `Attachments[].${name}`);

/** Members of a calculation. */
export const calculationMembers = [
  "calculations.fields[].name",
  "calculations.fields[].context",
  "calculations.whens[].name",
  "calculations.whens[].context",
] as const;

/** Parts of the requests that compute fields of a form. */
export const calculationOfForm = { body: [...calculationMembers, "content", "pageInstructions"] } as const;

/** The action of the operations on an action. */
export const action = { help: "Action ID", type: "string", to: "path:actionID", required: true } as const;

/** The view of the operations on a view. */
export const view = { help: "View ID", type: "string", to: "path:viewID", required: true } as const;

/** The body of a calculation. */
export const calculation = {
  help: 'Calculation request: {"calculations":{"fields":[{"name":".Total","context":"content"}]}}, also with "whens"',
  type: "calculation",
  to: "body:*",
  required: true,
} as const;

const data = { help: "Content of the fields", type: "object", isContent: true, to: "body:content" } as const;
const pageInstructions = {
  help: 'Changes of pages and lists: [{"instruction": "APPEND", "target": ".Documents", "content": {}}]',
  type: "array",
  to: "body:pageInstructions",
} as const;

/** The content of the operations that submit a form. */
export const content = {
  /** Content of the fields. */
  data,
  /** Changes of pages and lists, e.g. `{ instruction: "APPEND", target: ".Documents", content: {} }`. */
  pageInstructions,
  /** Attachments to add: array of {type, category, name, ID or url}. */
  attachments: {
    help: "Attachments to add: array of {type, category, name, ID or url}",
    type: "array",
    to: "body:attachments",
  },
} as const;

/** The content of the operations that compute a form without saving it. */
export const refresh = {
  /** Content of the fields. */
  data,
  /** Changes of pages and lists, e.g. `{ instruction: "APPEND", target: ".Documents", content: {} }`. */
  pageInstructions,
  /** Embedded list row to show, e.g. '.Items(1)' or '.Items(2).Parts(1)'. */
  interestPage: {
    help: "Embedded list row to show, e.g. '.Items(1)' or '.Items(2).Parts(1)'",
    type: "string",
    to: "body:interestPage",
    since: 25,
  },
  /** ID of the inner action. */
  interestPageActionId: {
    help: "ID of the inner action",
    type: "string",
    to: "body:interestPageActionID",
    since: 25,
  },
  /** Operation on the row: open it with its inner action, or confirm it. */
  operation: {
    help: "Operation on the row: open it with its inner action, or confirm it",
    type: "string",
    choices: ["showRow", "submitRow"],
    to: "query:operation",
    since: 25,
  },
  /** Field whose change causes the refresh, e.g. .Channel. */
  refreshFor: { help: "Field whose change causes the refresh, e.g. .Channel", type: "string", to: "query:refreshFor" },
  /** Return only the data and the results of conditions, without views. */
  contextData: {
    help: "Return only the data and the results of conditions, without views",
    type: "boolean",
    to: "body:contextData",
  },
  /** Fill in the form with values that an AI suggests. */
  fillFormWithAi: {
    help: "Fill in the form with values that an AI suggests",
    type: "boolean",
    to: "query:fillFormWithAI",
  },
  /** Not accepted here. */
  attachments: {
    help: "Not accepted here",
    type: "array",
    to: "body:attachments",
    rejected: "Attachments are accepted only by the perform and save commands.",
  },
} as const;
