/** The operations of `svc assignments`. */
import type { Group } from "../operation.ts";
import { action, calculation, content, refresh } from "./common.ts";

const assignmentId = {
  name: "assignmentId",
  help: "Assignment handle, e.g. 'ASSIGN-WORKLIST ACME-WORK C-1!INTAKE'",
  type: "string",
  to: "path:assignmentID",
  required: true,
} as const;

/** The operations by name. */
export const operations = {
  get: {
    summary: "Read an assignment",
    method: "GET",
    path: "/assignments/{assignmentID}",
    args: [assignmentId],
    answer: "assignment",
    example: "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE'",
  },
  getNext: {
    summary: "Take the next assignment: the most urgent, then the oldest",
    method: "GET",
    path: "/assignments/next",
    answer: "assignment",
    example: "--fields id",
  },
  getAction: {
    summary: "Read the form of an assignment's action",
    method: "GET",
    path: "/assignments/{assignmentID}/actions/{actionID}",
    args: [assignmentId],
    flags: { action },
    answer: "view",
    example: "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register",
  },
  perform: {
    summary: "Perform an assignment: submit one of its actions",
    method: "PATCH",
    path: "/assignments/{assignmentID}/actions/{actionID}",
    args: [assignmentId],
    flags: { action, ...content },
    tagFrom: { path: "/assignments/{assignmentID}" },
    interactive: true,
    answer: "case",
    example: `'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data '{"Applicant":"Ada"}'`,
  },
  save: {
    summary: "Save a draft of an assignment's action",
    method: "PATCH",
    path: "/assignments/{assignmentID}/actions/{actionID}/save",
    args: [assignmentId],
    flags: { action, ...content },
    answer: "assignment",
    example: `'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data '{"Applicant":"Ada"}'`,
  },
  recalculate: {
    summary: "Compute fields of an assignment's action without saving",
    method: "PATCH",
    reads: true,
    conditional: true,
    path: "/assignments/{assignmentID}/actions/{actionID}/recalculate",
    args: [assignmentId],
    flags: { action, data: calculation },
    answer: "view",
    example:
      `'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data '{"calculations":{"fields":[{"name":".Fee","context":"content"}]}}'`,
  },
  refreshAction: {
    summary: "Compute the form of an assignment's action from changed content, without saving",
    method: "PATCH",
    reads: true,
    conditional: true,
    path: "/assignments/{assignmentID}/actions/{actionID}/refresh",
    args: [assignmentId],
    flags: { action, ...refresh },
    answer: "view",
    example: `'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --action Register --data '{"Channel":"Desk"}'`,
  },
  navigateBack: {
    summary: "Go back to the previous step of an assignment",
    method: "PATCH",
    path: "/assignments/{assignmentID}/navigation_steps/previous",
    args: [assignmentId],
    flags: content,
    answer: "assignment",
    example: "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE'",
  },
  navigateToStep: {
    summary: "Go to a visited step of an assignment",
    method: "PATCH",
    path: "/assignments/{assignmentID}/navigation_steps/{stepID}",
    args: [assignmentId],
    flags: { step: { help: "Step ID", type: "string", to: "path:stepID", required: true }, ...content },
    answer: "assignment",
    example: "'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE' --step AssignmentSF1",
  },
} as const satisfies Group;
