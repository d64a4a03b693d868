/** The operations of `svc ai-agents`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";

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
import { agentAttachmentMembers } from "./shared/params.ts";

const agentId = {
  name: "agentId",
  help: "Agent ID, e.g. '@baseclass!PermitGuide'",
  type: "string",
  to: "path:agentID",
  required: true,
} as const;

const channel = {
  /** Channel type, e.g. Web, Email or Chat. */
  activeChannel: { help: "Channel type, e.g. Web, Email or Chat", type: "string", to: "body:activeChannel" },
  /** Channel ID. */
  activeChannelId: { help: "Channel ID", type: "string", to: "body:activeChannelID" },
} as const;

const message = { help: "Message ID", type: "string", to: "path:messageID", required: true } as const;

const agentList = {
  shape: {
    list: {
      required: {
        /** Class of the agent. With `!` and the name, it is the `agentId` of other operations. */
        agentClass: "string",
        /** Name within its class. */
        name: "string",
      },
      unchecked: {
        /** Agent ID. */
        id: "string",
        /** Display name. */
        label: "string",
      },
    },
  },
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Lists the agents that are enabled for external access. `agentClass`, `!` and `name` make the ID that the other
   * operations take.
   *
   * Errors: only the general ones.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * for (const { agentClass, name } of await svc.aiAgents.list()) console.log(`${agentClass}!${name}`);
   * ```
   */
  list: {
    summary: "List the agents that are enabled for external access",
    method: "GET",
    path: "/ai-agents",
    answer: agentList,
    example: ["", "--format table"],
  },
  /**
   * Starts a conversation, about a case or without a context. The agent's starter question is asked unless `executeStarter`
   * is false; `response` is its reply. Only the caller sees the conversation.
   *
   * Errors: `NOT_FOUND` for an unknown agent or case, `FAILED_DEPENDENCY` where the model behind the agent does not
   * answer the starter question. The conversation still exists, and the error names it.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const permit = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { id, response } = await svc.aiAgents.startConversation("@baseclass!PermitGuide", { contextId: permit.id });
   * console.log(id, response);
   * ```
   */
  startConversation: {
    summary: "Start a conversation with an agent",
    method: "POST",
    creates: true,
    path: "/ai-agents/{agentID}/conversations",
    args: [agentId],
    flags: { ...starter, ...channel },
    answer: conversationAnswer,
    status: 201,
    example: [
      "'@baseclass!PermitGuide' --context-id 'CITY-PERMIT-WORK P-1' --execute-starter",
      "'@baseclass!PermitGuide' --context-id 'CITY-PERMIT-WORK P-1' --fields id",
    ],
  },
  /**
   * Lists the caller's conversations with an agent about a context, newest first, without their messages. A page has 25
   * conversations, or `pageSize`, at most 100. `pageIndex` counts pages from 0; an empty one is behind
   * the last.
   *
   * Errors: `NOT_FOUND` for an unknown agent, `BAD_REQUEST` for a page size that is not served.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const permit = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const about = { contextId: permit.id };
   * await svc.aiAgents.startConversation("@baseclass!PermitGuide", about);
   * const { conversations } = await svc.aiAgents.listConversations("@baseclass!PermitGuide", { ...about, pageSize: 10 });
   * console.log(conversations.map(({ id, status }) => `${id} ${status}`));
   * ```
   */
  listConversations: {
    summary: "List the conversations with an agent",
    method: "GET",
    path: "/ai-agents/{agentID}/conversations",
    args: [agentId],
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
      "'@baseclass!PermitGuide' --context-id 'CITY-PERMIT-WORK P-1'",
      "'@baseclass!PermitGuide' --context-id 'CITY-PERMIT-WORK P-1' --page-size 20 --page-index 2",
    ],
  },
  /**
   * Reads a conversation with all its messages, oldest first. A reply contains the ID of the
   * message that it responds to and the caller's rating.
   *
   * Errors: `NOT_FOUND`, also for another operator's conversation.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id: conversation } = await svc.aiAgents.startConversation("@baseclass!PermitGuide");
   * const { messages = [] } = await svc.aiAgents.getConversation("@baseclass!PermitGuide", { conversation });
   * for (const { role, message } of messages) console.log(`${role}: ${message}`);
   * ```
   */
  getConversation: {
    summary: "Read a conversation with its messages",
    method: "GET",
    path: "/ai-agents/{agentID}/conversations/{conversationID}",
    args: [agentId],
    flags: {
      /** Conversation ID. */
      conversation,
    },
    answer: conversationAnswer,
    example: [
      "'@baseclass!PermitGuide' --conversation PXCONV-1",
      "'@baseclass!PermitGuide' --conversation PXCONV-1 | jq -r '.messages[].message'",
    ],
  },
  /**
   * Sends a message to an agent and returns the reply. The message is stored before the agent is asked: it is in the
   * conversation even if there is no reply.
   *
   * Errors: `NOT_FOUND`, `BAD_REQUEST` for an empty message or one of more than 10,000 characters, `CONFLICT` for a
   * conversation that is closed, `LOCKED` while the reply to the previous message is pending, `PRECONDITION_FAILED` for
   * a stale tag, `FAILED_DEPENDENCY` where the model behind the agent is slow, fails, or sends an unreadable response.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const permit = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const agent = "@baseclass!PermitGuide";
   * const { id: conversation } = await svc.aiAgents.startConversation(agent, { contextId: permit.id });
   * const { response } = await svc.aiAgents.sendMessage(agent, { conversation, request: "What is missing?" });
   * console.log(response);
   * ```
   */
  sendMessage: {
    summary: "Send an agent a message",
    method: "PATCH",
    path: "/ai-agents/{agentID}/conversations/{conversationID}",
    args: [agentId],
    flags: {
      /** Conversation ID. */
      conversation,
      /** Text of the message. */
      request,
      /** Array of attachment descriptors. */
      attachments: { help: "Array of attachment descriptors", type: "array", to: "body:Attachments" },
      ...channel,
    },
    accepts: { body: ["capabilities", ...agentAttachmentMembers] },
    answer: replyAnswer,
    example: [
      "'@baseclass!PermitGuide' --conversation PXCONV-1 --request 'What is missing?'",
      "'@baseclass!PermitGuide' --conversation PXCONV-1 --request 'What is next?' --fields response",
    ],
  },
  /**
   * Closes a conversation. It can still be read, and its replies can be liked and disliked.
   *
   * Errors: `NOT_FOUND`, `CONFLICT` if it is already closed, `LOCKED` while a reply is pending.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id: conversation } = await svc.aiAgents.startConversation("@baseclass!PermitGuide");
   * await svc.aiAgents.closeConversation("@baseclass!PermitGuide", { conversation });
   * ```
   */
  closeConversation: {
    summary: "Close a conversation",
    method: "PUT",
    path: "/ai-agents/{agentID}/conversations/{conversationID}/close",
    args: [agentId],
    flags: {
      /** Conversation ID. */
      conversation,
    },
    answer: "nothing",
    example: [
      "'@baseclass!PermitGuide' --conversation PXCONV-1",
      "'@baseclass!PermitGuide' --conversation PXCONV-1 --dry-run",
    ],
  },
  /**
   * Likes a message of an agent. It replaces a dislike.
   *
   * Errors: `NOT_FOUND`, `BAD_REQUEST` for a message of the caller's own.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const agent = "@baseclass!PermitGuide";
   * const { id: conversation, messageID: message } = await svc.aiAgents.startConversation(agent);
   * if (message) await svc.aiAgents.like(agent, { conversation, message });
   * ```
   */
  like: {
    summary: "Like a message of an agent",
    method: "PUT",
    path: "/ai-agents/{agentID}/conversations/{conversationID}/messages/{messageID}/like",
    args: [agentId],
    flags: {
      /** Conversation ID. */
      conversation,
      /** Message ID. */
      message,
    },
    answer: "nothing",
    example: [
      "'@baseclass!PermitGuide' --conversation PXCONV-1 --message MSG-2",
      "'@baseclass!PermitGuide' --conversation PXCONV-1 --message MSG-2 --dry-run",
    ],
  },
  /**
   * Dislikes a message of an agent, with a reason. It replaces a like.
   *
   * Errors: `NOT_FOUND`, `BAD_REQUEST` for a message of the caller's own and for an empty reason.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const agent = "@baseclass!PermitGuide";
   * const { id: conversation, messageID: message } = await svc.aiAgents.startConversation(agent);
   * if (message) await svc.aiAgents.dislike(agent, { conversation, message, feedback: "Too short" });
   * ```
   */
  dislike: {
    summary: "Dislike a message of an agent, with a reason",
    method: "PUT",
    path: "/ai-agents/{agentID}/conversations/{conversationID}/messages/{messageID}/dislike",
    args: [agentId],
    flags: {
      /** Conversation ID. */
      conversation,
      /** Message ID. */
      message,
      /** Reason for the dislike. */
      feedback: { help: "Reason for the dislike", type: "string", to: "body:feedbackText", required: true },
    },
    answer: "nothing",
    example: [
      "'@baseclass!PermitGuide' --conversation PXCONV-1 --message MSG-2 --feedback 'Wrong fee'",
      "'@baseclass!PermitGuide' --conversation PXCONV-1 --message MSG-2",
    ],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** A conversation with an agent or an assistant. */
export type ConversationAnswer = AnswerOf<Operations["getConversation"]>;

/** A message of a conversation. */
export type ConversationMessage = NonNullable<ConversationAnswer["messages"]>[number];

/** The caller's conversations about a context. */
export type ConversationsAnswer = AnswerOf<Operations["listConversations"]>;

/** A conversation, as a list contains it. */
export type ConversationInfo = ConversationsAnswer["conversations"][number];

/** The reply of an agent or an assistant. */
export type ReplyAnswer = AnswerOf<Operations["sendMessage"]>;

/** The agents that are enabled for external access. */
export type AgentsAnswer = AnswerOf<Operations["list"]>;

/** An agent that is enabled for external access. */
export type AgentAnswer = AgentsAnswer[number];

/** Parameters of `aiAgents.startConversation`. */
export type AiAgentsStartConversationParams = ParamsOf<Operations["startConversation"]>;

/** Parameters of `aiAgents.listConversations`. */
export type AiAgentsListConversationsParams = ParamsOf<Operations["listConversations"]>;

/** Parameters of `aiAgents.getConversation`. */
export type AiAgentsGetConversationParams = ParamsOf<Operations["getConversation"]>;

/** Parameters of `aiAgents.sendMessage`. */
export type AiAgentsSendMessageParams = ParamsOf<Operations["sendMessage"]>;

/** Parameters of `aiAgents.closeConversation`. */
export type AiAgentsCloseConversationParams = ParamsOf<Operations["closeConversation"]>;

/** Parameters of `aiAgents.like`. */
export type AiAgentsLikeParams = ParamsOf<Operations["like"]>;

/** Parameters of `aiAgents.dislike`. */
export type AiAgentsDislikeParams = ParamsOf<Operations["dislike"]>;
