/** Conversations and their messages in the store. */
import { isJsonObject, type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import { nextEntityTag } from "../cases/case_work.ts";
import { NotFound } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { StoredItem, Transaction } from "../store/store.ts";

/** The kinds of parties to a conversation. */
export type Party = "agents" | "assistants";

/** A conversation. A missing text is empty. */
export interface Conversation {
  /** ID, e.g. `PXCONV-1`. */
  readonly id: string;
  /** ISO 8601 time. */
  readonly startedAt: string;
  /** Handle of the case that it is about. */
  readonly contextId: string;
  readonly party: string;
  /** ID of the agent or of the assistant. */
  readonly agentId: string;
  /** ID of the operator to whom it belongs. No other operator can see it. */
  readonly operator: string;
  /** The client's own ID of the conversation. */
  readonly interactionId: string;
  /** Type of the channel that was used last. */
  channel: string;
  /** ID of the channel that was used last. */
  channelId: string;
  /** ISO 8601 time. */
  closedAt: string;
  /** ISO 8601 time until which a reply may arrive. Until then, no other message is accepted. */
  answeringUntil: string;
  /** Entity tag. */
  tag: string;
}

/** A message of a conversation. */
export interface StoredMessage {
  /** ID, e.g. `MSG-1`. */
  readonly id: string;
  /** ISO 8601 time. */
  readonly at: string;
  readonly conversationId: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  /** ID of the message that it answers. Empty for a message of a user. */
  readonly inReplyTo: string;
  readonly attachments: readonly JsonObject[];
  /** Messages that a person may continue with. */
  readonly followUps: readonly string[];
  /** The user's rating of an answer. */
  rating: "" | "like" | "dislike";
  /** The reason for a dislike. */
  feedback: string;
}

/** A message to add. */
export type NewMessage =
  & Pick<StoredMessage, "conversationId" | "role" | "text">
  & Partial<StoredMessage>;

const CONVERSATION = "conversation";
const MESSAGE = "conversation-message";

/** Allocates the ID of a new conversation. */
export async function allocateConversationId(tx: Transaction): Promise<string> {
  return `PXCONV-${await tx.nextNumber(CONVERSATION)}`;
}

/** Saves a conversation with a new entity tag. */
export async function saveConversation({ tx, now }: HandlerContext, conversation: Conversation): Promise<void> {
  conversation.tag = nextEntityTag(conversation.tag || undefined, now);
  const { id, startedAt: at, contextId: owner, ...content } = conversation;
  await tx.putItem({ kind: CONVERSATION, id, owner, at, content });
}

/** Returns a conversation of the caller with an agent. Throws NotFound if there is no such conversation. */
export async function getConversation(
  { tx, caller }: HandlerContext,
  party: Party,
  agentId: string,
  id: string,
): Promise<Conversation> {
  const item = await tx.getItem(CONVERSATION, id);
  const found = item && toConversation(item);
  // The store hides conversations about cases that the caller may not see.
  if (found?.party === party && found.agentId === agentId && found.operator === caller.id) return found;
  throw new NotFound(`Conversation '${id}' not found`);
}

/** Finds the caller's conversations with an agent about a context, newest first. */
export async function findConversations(
  { tx, caller }: HandlerContext,
  party: Party,
  agentId: string,
  contextId: string,
): Promise<Conversation[]> {
  const all = (await tx.listItems(CONVERSATION, contextId)).map(toConversation);
  return all.filter((one) => one.party === party && one.agentId === agentId && one.operator === caller.id);
}

/** Deletes the conversations about a case. */
export async function deleteConversations(tx: Transaction, contextId: string): Promise<void> {
  for (const { id } of await tx.listItems(CONVERSATION, contextId)) {
    for (const message of await tx.listItems(MESSAGE, id)) await tx.deleteItem(MESSAGE, message.id);
    await tx.deleteItem(CONVERSATION, id);
  }
}

/** Adds a message at the end of its conversation. If the clock was set back, it has the time of the message before. */
export async function addMessage({ tx, now }: HandlerContext, added: NewMessage): Promise<StoredMessage> {
  const [last] = await readMessages(tx, added.conversationId, 1);
  const time = now.toISOString();
  const message: StoredMessage = {
    inReplyTo: "",
    attachments: [],
    followUps: [],
    rating: "",
    feedback: "",
    ...added,
    id: `MSG-${await tx.nextNumber(MESSAGE)}`,
    at: last !== undefined && last.at > time ? last.at : time,
  };
  await saveMessage(tx, message);
  return message;
}

/** Saves a message. */
export async function saveMessage(
  tx: Transaction,
  { id, conversationId, at, attachments, followUps, ...texts }: StoredMessage,
): Promise<void> {
  const content = { ...texts, attachments: [...attachments], followUps: [...followUps] };
  await tx.putItem({ kind: MESSAGE, id, owner: conversationId, at, content });
}

/** Returns a message of a conversation. Throws NotFound if there is no such message. */
export async function getStoredMessage(
  { tx }: HandlerContext,
  conversationId: string,
  id: string,
): Promise<StoredMessage> {
  const item = await tx.getItem(MESSAGE, id);
  if (item?.owner === conversationId) return toMessage(item);
  throw new NotFound(`Message '${id}' not found in ${conversationId}`);
}

/** Reads the messages of a conversation, oldest first: all, or the last ones. */
export async function readMessages(
  tx: Transaction,
  conversationId: string,
  last?: number,
): Promise<StoredMessage[]> {
  return (await tx.listItems(MESSAGE, conversationId, { limit: last })).map(toMessage).reverse();
}

function toConversation({ id, at, owner, content }: StoredItem): Conversation {
  const text = (name: string) => stringOrUndefined(content[name]) ?? "";
  return {
    id,
    startedAt: at,
    contextId: owner,
    party: text("party"),
    agentId: text("agentId"),
    operator: text("operator"),
    interactionId: text("interactionId"),
    channel: text("channel"),
    channelId: text("channelId"),
    closedAt: text("closedAt"),
    answeringUntil: text("answeringUntil"),
    tag: text("tag"),
  };
}

function toMessage({ id, owner, at, content }: StoredItem): StoredMessage {
  const { role, text, inReplyTo, attachments, followUps, rating, feedback } = content;
  return {
    id,
    at,
    conversationId: owner,
    role: role === "assistant" ? role : "user",
    text: String(text),
    inReplyTo: String(inReplyTo),
    attachments: Array.isArray(attachments) ? attachments.filter(isJsonObject) : [],
    followUps: Array.isArray(followUps) ? followUps.map(String) : [],
    rating: rating === "like" || rating === "dislike" ? rating : "",
    feedback: String(feedback),
  };
}
