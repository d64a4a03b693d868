/** Serves the operations of `svc ai-agents`. */
import { agentInfo } from "./views.ts";
import { close, list, listedAgents, type Place, rate, read, send, start } from "./talk.ts";
import type { GroupHandlers } from "../http/handler.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"aiAgents"> = {
  list(_values, { app }) {
    return { body: listedAgents(app).map(agentInfo) };
  },

  startConversation({ agentId, ...values }, context) {
    return start(context, "agents", agentId, values);
  },

  listConversations({ agentId, ...values }, context) {
    return list(context, "agents", agentId, values);
  },

  getConversation(values, context) {
    return read(context, placeOf(values));
  },

  sendMessage(values, context) {
    return send(context, placeOf(values), values.request, values);
  },

  async closeConversation(values, context) {
    const { tag } = await close(context, placeOf(values));
    return { tag };
  },

  like(values, context) {
    return rate(context, placeOf(values), values.message, "like");
  },

  dislike(values, context) {
    return rate(context, placeOf(values), values.message, "dislike", values.feedback);
  },
};

function placeOf({ agentId, conversation, ifMatch }: Omit<Place, "party">): Place {
  return { party: "agents", agentId, conversation, ifMatch };
}
