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

/** The action of the operations on an action. */
export const action = { help: "Action ID", type: "string", to: "path:actionID", required: true } as const;

/** The view of the operations on a view. */
export const view = { help: "View ID", type: "string", to: "path:viewID", required: true } as const;

/** The body of a calculation. */
export const calculation = {
  help: 'Calculation request: {"calculations":{"fields":[{"name":".Total","context":"content"}]}}',
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
  data,
  pageInstructions,
  attachments: {
    help: "Attachments to add: array of {type, category, name, ID or url}",
    type: "array",
    to: "body:attachments",
  },
} as const;

/** The content of the operations that compute a form without saving it. */
export const refresh = {
  data,
  pageInstructions,
  interestPage: {
    help: "Embedded list row to show, e.g. '.Items(1)'",
    type: "string",
    to: "body:interestPage",
    since: 25,
  },
  interestPageActionId: {
    help: "ID of the inner action",
    type: "string",
    to: "body:interestPageActionID",
    since: 25,
  },
  attachments: {
    help: "Not accepted here",
    type: "array",
    to: "body:attachments",
    rejected: "Attachments are accepted only by the perform and save commands.",
  },
} as const;
