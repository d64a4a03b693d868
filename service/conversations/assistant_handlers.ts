/** Serves the operations of `svc assistants`. */
import { close, list, type Place, read, send, start } from "./talk.ts";
import type { GroupHandlers } from "../http/handler.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"assistants"> = {
  startConversation({ assistantId, ...values }, context) {
    return start(context, "assistants", assistantId, values);
  },

  listConversations({ assistantId, ...values }, context) {
    return list(context, "assistants", assistantId, values);
  },

  getConversation(values, context) {
    return read(context, placeOf(values));
  },

  sendMessage(values, context) {
    return send(context, placeOf(values), values.request);
  },

  async closeConversation(values, context) {
    const { id, tag } = await close(context, placeOf(values));
    return { text: `${id} is closed.`, tag };
  },
};

function placeOf(
  { assistantId, conversation, ifMatch }: { assistantId: string; conversation: string; ifMatch?: string },
): Place {
  return { party: "assistants", agentId: assistantId, conversation, ifMatch };
}
