/** What conversations look like to a caller. */
import type { JsonObject } from "../../utils/json.ts";
import type { Agent } from "../application/model/application.ts";
import type { Conversation } from "./conversation.ts";
import type { Message } from "./messages.ts";

/** An agent, in the parts from which clients build its ID. */
export function agentInfo({ id, name }: Agent): JsonObject {
  const [agentClass = "", ruleName = ""] = id.split("!");
  return { id, agentClass, name: ruleName, label: name };
}

/** A conversation without its messages. */
export function conversationInfo(conversation: Conversation): JsonObject {
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

/** A message of a conversation. */
export function messageInfo(message: Message): JsonObject {
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

/** The answer to a new conversation; with what its starter question was answered, if it was asked. */
export function startInfo(conversation: Conversation, agent: Agent, answer?: Message): JsonObject {
  return {
    ...conversationInfo(conversation),
    response: answer?.text ?? "",
    messageID: answer?.id ?? "",
    initialInstruction: agent.initialInstruction,
    suggestedPrompts: [...new Set([...answer?.followUps ?? [], ...agent.suggestedPrompts])],
  };
}

/** The answer to a message. */
export function replyInfo({ id, text, followUps }: Message): JsonObject {
  return { id, messageID: id, response: text, aiGuidedQuestions: [...followUps] };
}
