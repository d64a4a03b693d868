/** The operations of `svc assistants`. */
import type { Group } from "../operation.ts";
import { contextId, conversation, pageIndex, pageSize, request, starter } from "./conversations.ts";

const assistantId = {
  name: "assistantId",
  help: "Assistant ID, e.g. '@baseclass!Desk'",
  type: "string",
  to: "path:assistantID",
  required: true,
} as const;

/** The operations by name. */
export const operations = {
  startConversation: {
    summary: "Start a conversation with an assistant",
    method: "POST",
    path: "/assistants/{assistantID}/conversations",
    args: [assistantId],
    flags: starter,
    answer: "conversation",
    status: 201,
    example: "'@baseclass!Desk' --context-id 'CITY-PERMIT-WORK P-1' --no-execute-starter",
  },
  listConversations: {
    summary: "List the conversations with an assistant",
    method: "GET",
    path: "/assistants/{assistantID}/conversations",
    args: [assistantId],
    flags: { contextId, pageSize, pageIndex },
    answer: "object",
    example: "'@baseclass!Desk' --context-id 'CITY-PERMIT-WORK P-1'",
  },
  getConversation: {
    summary: "Read a conversation with its messages",
    method: "GET",
    path: "/assistants/{assistantID}/conversations/{conversationID}",
    args: [assistantId],
    flags: { conversation },
    answer: "conversation",
    example: "'@baseclass!Desk' --conversation PXCONV-1",
  },
  sendMessage: {
    summary: "Send an assistant a message",
    method: "PATCH",
    path: "/assistants/{assistantID}/conversations/{conversationID}",
    args: [assistantId],
    flags: { conversation, request },
    answer: "object",
    example: "'@baseclass!Desk' --conversation PXCONV-1 --request 'Summarise the case'",
  },
  closeConversation: {
    summary: "Close a conversation",
    method: "PUT",
    path: "/assistants/{assistantID}/conversations/{conversationID}/close",
    args: [assistantId],
    flags: { conversation },
    answer: "text",
    example: "'@baseclass!Desk' --conversation PXCONV-1",
  },
} as const satisfies Group;
