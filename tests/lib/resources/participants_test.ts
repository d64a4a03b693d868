/** The requests and calls of `svc participants`. */
import { ATTACHMENTS, attachments, C, CASE, CONTENT, content, pageInstructions } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

testOperations("participants", {
  requests: {
    [`participants list ${C}`]: { request: `GET ${CASE}/participants` },
    [`participants add ${C} --role Customer --data '{"pyFirstName":"Ada"}'`]: {
      request: `POST ${CASE}/participants`,
      body: { participantRoleID: "Customer", content: { pyFirstName: "Ada" } },
    },
    [`participants get ${C} --participant-id 'PARTY 1'`]: { request: `GET ${CASE}/participants/PARTY%201` },
    [`participants update ${C} --participant-id 'PARTY 1' ${CONTENT} ${ATTACHMENTS}`]: {
      request: `PATCH ${CASE}/participants/PARTY%201`,
      body: { content, pageInstructions, attachments },
    },
    [`participants delete ${C} --participant-id 'PARTY 1'`]: { request: `DELETE ${CASE}/participants/PARTY%201` },
    [`participants list-roles ${C}`]: { request: `GET ${CASE}/participant_roles` },
    [`participants get-role ${C} --role-id Customer`]: { request: `GET ${CASE}/participant_roles/Customer` },
  },
  steps: [
    { line: "participants list-roles '{permit}'", says: { "participantRoles.0.id": "Applicant" } },
    { line: "participants get-role '{permit}' --role-id Adviser", says: { id: "Adviser", multiple: true } },
    {
      line: `participants add '{permit}' --role Applicant --data '{"pyFirstName":"Ada","pyLastName":"Lovelace"}'`,
      says: { participantRoleID: "Applicant" },
      keep: { participant: "id" },
    },
    {
      line: `participants update '{permit}' --participant-id '{participant}' --data '{"pyPhoneNumber":"555-0100"}'`,
      says: { "data.caseInfo.content.pyPhoneNumber": "555-0100", "data.caseInfo.content.pyFirstName": "Ada" },
    },
    { line: "participants get '{permit}' --participant-id '{participant}'", says: { id: "{participant}" } },
    { line: "participants list '{permit}'", says: { "participants.0.id": "{participant}" } },
    { line: "participants delete '{permit}' --participant-id '{participant}'" },
  ],
});
