/** The operations of `svc ai-agents`. */
import type { Group } from "../operation.ts";
import { contextId, conversation, pageIndex, pageSize, request, starter } from "./conversations.ts";

const agentId = {
  name: "agentId",
  help: "Agent ID, e.g. '@baseclass!PermitGuide'",
  type: "string",
  to: "path:agentID",
  required: true,
} as const;

const channel = {
  activeChannel: { help: "Channel type, e.g. Web, Email or Chat", type: "string", to: "body:activeChannel" },
  activeChannelId: { help: "Channel ID", type: "string", to: "body:activeChannelID" },
} as const;

const message = { help: "Message ID", type: "string", to: "path:messageID", required: true } as const;

/** The operations by name. */
export const operations = {
  list: {
    summary: "List the agents that are enabled for external access",
    method: "GET",
    path: "/ai-agents",
    answer: "any",
    example: "",
  },
  startConversation: {
    summary: "Start a conversation with an agent",
    method: "POST",
    path: "/ai-agents/{agentID}/conversations",
    args: [agentId],
    flags: { ...starter, ...channel },
    answer: "conversation",
    status: 201,
    example: "'@baseclass!PermitGuide' --context-id 'CITY-PERMIT-WORK P-1' --execute-starter",
  },
  listConversations: {
    summary: "List the conversations with an agent",
    method: "GET",
    path: "/ai-agents/{agentID}/conversations",
    args: [agentId],
    flags: { contextId, pageSize, pageIndex },
    answer: "object",
    example: "'@baseclass!PermitGuide' --context-id 'CITY-PERMIT-WORK P-1'",
  },
  getConversation: {
    summary: "Read a conversation with its messages",
    method: "GET",
    path: "/ai-agents/{agentID}/conversations/{conversationID}",
    args: [agentId],
    flags: { conversation },
    answer: "conversation",
    example: "'@baseclass!PermitGuide' --conversation PXCONV-1",
  },
  sendMessage: {
    summary: "Send an agent a message",
    method: "PATCH",
    path: "/ai-agents/{agentID}/conversations/{conversationID}",
    args: [agentId],
    flags: {
      conversation,
      request,
      attachments: { help: "Array of attachment descriptors", type: "array", to: "body:Attachments" },
      ...channel,
    },
    answer: "object",
    example: "'@baseclass!PermitGuide' --conversation PXCONV-1 --request 'What is missing?'",
  },
  closeConversation: {
    summary: "Close a conversation",
    method: "PUT",
    path: "/ai-agents/{agentID}/conversations/{conversationID}/close",
    args: [agentId],
    flags: { conversation },
    answer: "nothing",
    example: "'@baseclass!PermitGuide' --conversation PXCONV-1",
  },
  like: {
    summary: "Like a message of an agent",
    method: "PUT",
    path: "/ai-agents/{agentID}/conversations/{conversationID}/messages/{messageID}/like",
    args: [agentId],
    flags: { conversation, message },
    answer: "nothing",
    example: "'@baseclass!PermitGuide' --conversation PXCONV-1 --message MSG-2",
  },
  dislike: {
    summary: "Dislike a message of an agent, with a reason",
    method: "PUT",
    path: "/ai-agents/{agentID}/conversations/{conversationID}/messages/{messageID}/dislike",
    args: [agentId],
    flags: {
      conversation,
      message,
      feedback: { help: "What was wrong", type: "string", to: "body:feedbackText", required: true },
    },
    answer: "nothing",
    example: "'@baseclass!PermitGuide' --conversation PXCONV-1 --message MSG-2 --feedback 'Wrong fee'",
  },
} as const satisfies Group;
