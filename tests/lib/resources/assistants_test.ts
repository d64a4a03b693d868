/** The requests and calls of `svc assistants`. */
import { AGENT, AGENT_SEGMENT, C } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

const DESK = "'@baseclass!Desk'";

testOperations("assistants", {
  requests: {
    [`assistants start-conversation ${AGENT} --context-id ${C} --interaction-id I --execute-starter`]: {
      request: `POST /assistants/${AGENT_SEGMENT}/conversations`,
      body: { contextID: "ACME-WORK C-1", interactionID: "I", executeStarterQuestion: true },
    },
    [`assistants list-conversations ${AGENT} --context-id ${C} --page-size 5 --page-index 1`]: {
      request: `GET /assistants/${AGENT_SEGMENT}/conversations?contextID=ACME-WORK%20C-1&pageSize=5&pageIndex=1`,
    },
    [`assistants get-conversation ${AGENT} --conversation V-1`]: {
      request: `GET /assistants/${AGENT_SEGMENT}/conversations/V-1`,
    },
    [`assistants send-message ${AGENT} --conversation V-1 --request hi`]: {
      request: `PATCH /assistants/${AGENT_SEGMENT}/conversations/V-1`,
      body: { Request: "hi" },
    },
    [`assistants close-conversation ${AGENT} --conversation V-1`]: {
      request: `PUT /assistants/${AGENT_SEGMENT}/conversations/V-1/close`,
    },
  },
  steps: [
    {
      line: `assistants start-conversation ${DESK} --context-id '{permit}' --no-execute-starter`,
      says: { response: "" },
      keep: { chat: "id" },
    },
    {
      line: `assistants send-message ${DESK} --conversation '{chat}' --request 'Who opened it?'`,
      says: { response: /^clerk@city opened P-/ },
    },
    { line: `assistants get-conversation ${DESK} --conversation '{chat}'`, says: { "messages.0.role": "user" } },
    {
      line: `assistants list-conversations ${DESK} --context-id '{permit}'`,
      says: { "conversations.0.id": "{chat}" },
    },
    { line: `assistants close-conversation ${DESK} --conversation '{chat}'` },
  ],
});
