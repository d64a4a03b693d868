/** Handlers of the operations of `svc ai-agents` and `svc assistants`. */
import type { GroupHandlers } from "../http/handler.ts";
import {
  closeConversation,
  type ConversationKey,
  listAgents,
  listConversations,
  rateMessage,
  readConversation,
  sendMessage,
  startConversation,
} from "./conversations.ts";
import { describeAgent } from "./views.ts";

/** The handlers of agents by operation. */
export const agentHandlers: GroupHandlers<"aiAgents"> = {
  list(_values, { app }) {
    return { body: listAgents(app).map(describeAgent) };
  },

  startConversation({ agentId, ...values }, context) {
    return startConversation(context, "agents", agentId, values);
  },

  listConversations({ agentId, ...values }, context) {
    return listConversations(context, "agents", agentId, values);
  },

  getConversation(values, context) {
    return readConversation(context, toAgentKey(values));
  },

  sendMessage(values, context) {
    return sendMessage(context, toAgentKey(values), values.request, values);
  },

  async closeConversation(values, context) {
    const { tag } = await closeConversation(context, toAgentKey(values));
    return { tag };
  },

  like(values, context) {
    return rateMessage(context, toAgentKey(values), values.message, "like");
  },

  dislike(values, context) {
    return rateMessage(context, toAgentKey(values), values.message, "dislike", values.feedback);
  },
};

/** The handlers of assistants by operation. */
export const assistantHandlers: GroupHandlers<"assistants"> = {
  startConversation({ assistantId, ...values }, context) {
    return startConversation(context, "assistants", assistantId, values);
  },

  listConversations({ assistantId, ...values }, context) {
    return listConversations(context, "assistants", assistantId, values);
  },

  getConversation(values, context) {
    return readConversation(context, toAssistantKey(values));
  },

  sendMessage(values, context) {
    return sendMessage(context, toAssistantKey(values), values.request);
  },

  async closeConversation(values, context) {
    const { id, tag } = await closeConversation(context, toAssistantKey(values));
    return { text: `${id} is closed.`, tag };
  },
};

function toAgentKey({ agentId, conversation, ifMatch }: Omit<ConversationKey, "party">): ConversationKey {
  return { party: "agents", agentId, conversation, ifMatch };
}

function toAssistantKey(
  { assistantId: agentId, ...key }: { assistantId: string; conversation: string; ifMatch?: string },
): ConversationKey {
  return { party: "assistants", agentId, conversation: key.conversation, ifMatch: key.ifMatch };
}
