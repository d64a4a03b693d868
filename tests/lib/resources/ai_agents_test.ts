/** The requests and calls of `svc ai-agents`. */
import { AGENT, AGENT_SEGMENT, ATTACHMENTS, attachments, C } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

const GUIDE = "'@baseclass!PermitGuide'";

testOperations("aiAgents", {
  requests: {
    [`ai-agents list`]: { request: "GET /ai-agents" },
    [`ai-agents start-conversation ${AGENT} --context-id ${C} --interaction-id I --execute-starter --active-channel Web --active-channel-id W`]:
      {
        request: `POST /ai-agents/${AGENT_SEGMENT}/conversations`,
        body: {
          contextID: "ACME-WORK C-1",
          interactionID: "I",
          executeStarterQuestion: true,
          activeChannel: "Web",
          activeChannelID: "W",
        },
      },
    [`ai-agents start-conversation ${AGENT} --no-execute-starter`]: {
      request: `POST /ai-agents/${AGENT_SEGMENT}/conversations`,
      body: { executeStarterQuestion: false },
    },
    [`ai-agents list-conversations ${AGENT} --context-id ${C} --page-size 5 --page-index 0`]: {
      request: `GET /ai-agents/${AGENT_SEGMENT}/conversations?contextID=ACME-WORK%20C-1&pageSize=5&pageIndex=0`,
    },
    [`ai-agents get-conversation ${AGENT} --conversation V-1`]: {
      request: `GET /ai-agents/${AGENT_SEGMENT}/conversations/V-1`,
    },
    [`ai-agents send-message ${AGENT} --conversation V-1 --request hi ${ATTACHMENTS} --active-channel Web --active-channel-id W`]:
      {
        request: `PATCH /ai-agents/${AGENT_SEGMENT}/conversations/V-1`,
        body: { Request: "hi", Attachments: attachments, activeChannel: "Web", activeChannelID: "W" },
      },
    [`ai-agents close-conversation ${AGENT} --conversation V-1`]: {
      request: `PUT /ai-agents/${AGENT_SEGMENT}/conversations/V-1/close`,
    },
    [`ai-agents like ${AGENT} --conversation V-1 --message M-1`]: {
      request: `PUT /ai-agents/${AGENT_SEGMENT}/conversations/V-1/messages/M-1/like`,
    },
    [`ai-agents dislike ${AGENT} --conversation V-1 --message M-1 --feedback wrong`]: {
      request: `PUT /ai-agents/${AGENT_SEGMENT}/conversations/V-1/messages/M-1/dislike`,
      body: { feedbackText: "wrong" },
    },
  },
  steps: [
    { line: "ai-agents list", says: { "0.agentClass": "@baseclass", "0.name": "PermitGuide" } },
    {
      line: `ai-agents start-conversation ${GUIDE} --context-id '{permit}' --execute-starter`,
      says: { response: /is Pending-Review\.$/ },
      keep: { talk: "id" },
    },
    {
      line: `ai-agents send-message ${GUIDE} --conversation '{talk}' --request 'What is missing?'`,
      says: { response: "Nothing is missing." },
      keep: { answer: "messageID" },
    },
    { line: `ai-agents like ${GUIDE} --conversation '{talk}' --message '{answer}'` },
    { line: `ai-agents dislike ${GUIDE} --conversation '{talk}' --message '{answer}' --feedback 'Too short'` },
    {
      line: `ai-agents get-conversation ${GUIDE} --conversation '{talk}'`,
      says: { id: "{talk}", "messages.3.feedbackText": "Too short" },
    },
    {
      line: `ai-agents list-conversations ${GUIDE} --context-id '{permit}'`,
      says: { "conversations.0.id": "{talk}" },
    },
    { line: `ai-agents close-conversation ${GUIDE} --conversation '{talk}'` },
  ],
});
