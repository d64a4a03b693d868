/** The operations of `svc participants`. */
import type { Group } from "../operation.ts";
import { caseId, content } from "./common.ts";

const participantId = {
  help: "Participant ID",
  type: "string",
  to: "path:participantID",
  required: true,
} as const;

/** The operations by name. */
export const operations = {
  list: {
    summary: "List the participants of a case",
    method: "GET",
    path: "/cases/{caseID}/participants",
    args: [caseId],
    answer: "object",
    example: "'CITY-PERMIT-WORK P-1'",
  },
  add: {
    summary: "Add a participant to a case",
    method: "POST",
    path: "/cases/{caseID}/participants",
    args: [caseId],
    flags: {
      role: { help: "Participant role ID", type: "string", to: "body:participantRoleID", required: true },
      data: { help: "Content of the participant's fields", type: "object", to: "body:content", required: true },
    },
    answer: "participant",
    status: 201,
    example: `'CITY-PERMIT-WORK P-1' --role Applicant --data '{"pyFirstName":"Ada","pyLastName":"Lovelace"}'`,
  },
  get: {
    summary: "Read a participant",
    method: "GET",
    path: "/cases/{caseID}/participants/{participantID}",
    args: [caseId],
    flags: { participantId },
    answer: "participant",
    example: "'CITY-PERMIT-WORK P-1' --participant-id PARTY-1",
  },
  update: {
    summary: "Change a participant",
    method: "PATCH",
    path: "/cases/{caseID}/participants/{participantID}",
    args: [caseId],
    flags: { participantId, ...content },
    answer: "participant",
    example: `'CITY-PERMIT-WORK P-1' --participant-id PARTY-1 --data '{"pyPhoneNumber":"555-0100"}'`,
  },
  delete: {
    summary: "Remove a participant from a case",
    method: "DELETE",
    path: "/cases/{caseID}/participants/{participantID}",
    args: [caseId],
    flags: { participantId },
    answer: "nothing",
    example: "'CITY-PERMIT-WORK P-1' --participant-id PARTY-1",
  },
  listRoles: {
    summary: "List the participant roles of a case",
    method: "GET",
    path: "/cases/{caseID}/participant_roles",
    args: [caseId],
    answer: "object",
    example: "'CITY-PERMIT-WORK P-1'",
  },
  getRole: {
    summary: "Read a participant role and its form",
    method: "GET",
    path: "/cases/{caseID}/participant_roles/{participant_role_ID}",
    args: [caseId],
    flags: { roleId: { help: "Participant role ID", type: "string", to: "path:participant_role_ID", required: true } },
    answer: "view",
    example: "'CITY-PERMIT-WORK P-1' --role-id Applicant",
  },
} as const satisfies Group;
