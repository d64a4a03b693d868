/** The operations of `svc assistants`. */
import type { Group, ParamsOf } from "../operation/operation.ts";

import {
  contextId,
  conversation,
  conversationAnswer,
  conversationsAnswer,
  pageIndex,
  pageSize,
  replyAnswer,
  request,
  starter,
} from "./shared/conversations.ts";

const assistantId = {
  name: "assistantId",
  help: "Assistant ID, e.g. '@baseclass!Desk'",
  type: "string",
  to: "path:assistantID",
  required: true,
} as const;

const operations = {
  /**
   * Starts a conversation, about a case or without a context. The assistant's starter question is asked unless
   * `executeStarter` is false; `response` is its reply. Only the caller sees the conversation.
   *
   * Errors: `NOT_FOUND` for an unknown assistant or case, `FAILED_DEPENDENCY` where the model behind the assistant does
   * not answer the starter question. The conversation still exists, and the error names it.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const permit = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { id, response } = await svc.assistants.startConversation("@baseclass!Desk", { contextId: permit.id });
   * console.log(id, response);
   * ```
   */
  startConversation: {
    summary: "Start a conversation with an assistant",
    method: "POST",
    creates: true,
    path: "/assistants/{assistantID}/conversations",
    args: [assistantId],
    flags: starter,
    answer: conversationAnswer,
    status: 201,
    example: [
      "'@baseclass!Desk' --context-id 'CITY-PERMIT-WORK P-1' --no-execute-starter",
      "'@baseclass!Desk' --context-id 'CITY-PERMIT-WORK P-1' --execute-starter --fields id,response",
    ],
  },
  /**
   * Lists the caller's conversations with an assistant about a context, newest first, without their messages. A page has
   * 25 conversations, or `pageSize`, at most 100. `pageIndex` counts pages from 0; an empty one is behind
   * the last.
   *
   * Errors: `NOT_FOUND` for an unknown assistant, `BAD_REQUEST` for a page size that is not served.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const permit = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.assistants.startConversation("@baseclass!Desk", { contextId: permit.id });
   * const { conversations } = await svc.assistants.listConversations("@baseclass!Desk", { contextId: permit.id });
   * console.log(conversations.map(({ id, status }) => `${id} ${status}`));
   * ```
   */
  listConversations: {
    summary: "List the conversations with an assistant",
    method: "GET",
    path: "/assistants/{assistantID}/conversations",
    args: [assistantId],
    flags: {
      /** Context ID, e.g. a case handle. */
      contextId,
      /** Maximum number of conversations on a page. */
      pageSize,
      /** Page number, starting at 0. */
      pageIndex,
    },
    answer: conversationsAnswer,
    pages: { items: "conversations", page: "pageIndex", size: "pageSize", first: 0 },
    example: [
      "'@baseclass!Desk' --context-id 'CITY-PERMIT-WORK P-1'",
      "'@baseclass!Desk' --context-id 'CITY-PERMIT-WORK P-1' --page-size 20 --page-index 2",
    ],
  },
  /**
   * Reads a conversation with all its messages, oldest first. A reply contains the ID of the
   * message that it responds to.
   *
   * Errors: `NOT_FOUND`, also for another operator's conversation.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id: conversation } = await svc.assistants.startConversation("@baseclass!Desk");
   * const { messages = [] } = await svc.assistants.getConversation("@baseclass!Desk", { conversation });
   * for (const { role, message } of messages) console.log(`${role}: ${message}`);
   * ```
   */
  getConversation: {
    summary: "Read a conversation with its messages",
    method: "GET",
    path: "/assistants/{assistantID}/conversations/{conversationID}",
    args: [assistantId],
    flags: {
      /** Conversation ID. */
      conversation,
    },
    answer: conversationAnswer,
    example: ["'@baseclass!Desk' --conversation PXCONV-1", "'@baseclass!Desk' --conversation PXCONV-1 --format yaml"],
  },
  /**
   * Sends a message to an assistant and returns the reply. The message is stored before the assistant is asked: it is
   * in the conversation even if there is no reply.
   *
   * Errors: `NOT_FOUND`, `BAD_REQUEST` for an empty message or one of more than 10,000 characters, `CONFLICT` for a
   * conversation that is closed, `LOCKED` while the reply to the previous message is pending, `PRECONDITION_FAILED` for
   * a stale tag, `FAILED_DEPENDENCY` where the model behind the assistant is slow, fails, or sends an unreadable
   * response.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const permit = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const desk = "@baseclass!Desk";
   * const { id: conversation } = await svc.assistants.startConversation(desk, { contextId: permit.id });
   * const { response } = await svc.assistants.sendMessage(desk, { conversation, request: "Who opened it?" });
   * console.log(response);
   * ```
   */
  sendMessage: {
    summary: "Send an assistant a message",
    method: "PATCH",
    path: "/assistants/{assistantID}/conversations/{conversationID}",
    args: [assistantId],
    flags: {
      /** Conversation ID. */
      conversation,
      /** Text of the message. */
      request,
    },
    accepts: { body: ["capabilities"] },
    answer: replyAnswer,
    example: [
      "'@baseclass!Desk' --conversation PXCONV-1 --request 'Summarise the case'",
      "'@baseclass!Desk' --conversation PXCONV-1 --request 'Who opened it?' --fields response",
    ],
  },
  /**
   * Closes a conversation and returns a confirmation. The conversation can still be read.
   *
   * Errors: `NOT_FOUND`, `CONFLICT` if it is already closed, `LOCKED` while a reply is pending.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id: conversation } = await svc.assistants.startConversation("@baseclass!Desk");
   * console.log(await svc.assistants.closeConversation("@baseclass!Desk", { conversation }));
   * ```
   */
  closeConversation: {
    summary: "Close a conversation",
    method: "PUT",
    path: "/assistants/{assistantID}/conversations/{conversationID}/close",
    args: [assistantId],
    flags: {
      /** Conversation ID. */
      conversation,
    },
    answer: "text",
    example: ["'@baseclass!Desk' --conversation PXCONV-1", "'@baseclass!Desk' --conversation PXCONV-1 --dry-run"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** Parameters of `assistants.startConversation`. */
export type AssistantsStartConversationParams = ParamsOf<Operations["startConversation"]>;

/** Parameters of `assistants.listConversations`. */
export type AssistantsListConversationsParams = ParamsOf<Operations["listConversations"]>;

/** Parameters of `assistants.getConversation`. */
export type AssistantsGetConversationParams = ParamsOf<Operations["getConversation"]>;

/** Parameters of `assistants.sendMessage`. */
export type AssistantsSendMessageParams = ParamsOf<Operations["sendMessage"]>;

/** Parameters of `assistants.closeConversation`. */
export type AssistantsCloseConversationParams = ParamsOf<Operations["closeConversation"]>;
