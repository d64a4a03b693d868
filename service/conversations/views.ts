/** Responses with conversations. */
import type { JsonObject } from "../../utils/json.ts";
import type { Agent } from "../application/model/agent.ts";
import type { Conversation, StoredMessage } from "./stored_conversations.ts";

/** Describes an agent with the parts of its ID. */
export function describeAgent({ id, name }: Agent): JsonObject {
  const [agentClass = "", ruleName = ""] = id.split("!");
  return { id, agentClass, name: ruleName, label: name };
}

/** Describes a conversation without its messages. */
export function describeConversation(conversation: Conversation): JsonObject {
  const { id, party, agentId, contextId, interactionId, channel, channelId, startedAt, closedAt, tag } = conversation;
  return {
    id,
    ID: id,
    etag: tag,
    contextID: contextId,
    interactionID: interactionId,
    status: closedAt === "" ? "Open" : "Closed",
    createTime: startedAt,
    closeTime: closedAt,
    ...(party === "agents"
      ? { agentID: agentId, activeChannel: channel, activeChannelID: channelId }
      : { assistantID: agentId }),
  };
}

/** Describes a message. */
export function describeStoredMessage(message: StoredMessage): JsonObject {
  const { id, role, text, at, attachments, inReplyTo, followUps, rating, feedback } = message;
  const common = { ID: id, role, message: text, createTime: at };
  if (role === "user") return { ...common, attachments: [...attachments] };
  return {
    ...common,
    inReplyTo,
    aiGuidedQuestions: [...followUps],
    liked: rating === "like",
    disliked: rating === "dislike",
    feedbackText: feedback,
  };
}

/** Describes a new conversation, with the answer to its starter question if it was asked. */
export function describeStart(conversation: Conversation, agent: Agent, answer?: StoredMessage): JsonObject {
  return {
    ...describeConversation(conversation),
    response: answer?.text ?? "",
    messageID: answer?.id ?? "",
    initialInstruction: agent.initialInstruction,
    suggestedPrompts: [...new Set([...answer?.followUps ?? [], ...agent.suggestedPrompts])],
  };
}

/** Describes the answer to a message. */
export function describeReply({ id, text, followUps }: StoredMessage): JsonObject {
  return { id, messageID: id, response: text, aiGuidedQuestions: [...followUps] };
}
