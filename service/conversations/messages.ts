/** Messages of conversations as they are stored. */
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import { ServiceError } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { StoredItem, Transaction } from "../store/store.ts";

/** A message. */
export interface Message {
  /** ID, e.g. `MSG-1`. */
  readonly id: string;
  /** ISO 8601 time. */
  readonly at: string;
  /** Its conversation. */
  readonly conversationId: string;
  /** Who says it. */
  readonly role: "user" | "assistant";
  /** What is said. */
  readonly text: string;
  /** The message that it answers; empty for a person's. */
  readonly inReplyTo: string;
  /** What goes with it. */
  readonly attachments: readonly JsonObject[];
  /** What a person may ask next. */
  readonly followUps: readonly string[];
  /** What the person thinks of an answer. */
  rating: "" | "like" | "dislike";
  /** Why the person dislikes it. */
  feedback: string;
}

/** What is said. */
export type Said = Pick<Message, "conversationId" | "role" | "text"> & Partial<Message>;

const KIND = "conversation-message";

/** Adds a message to its conversation, at its end: where the clock was set back, at the time of the one before. */
export async function addMessage({ tx, now }: HandlerContext, said: Said): Promise<Message> {
  const [last] = await messagesOf(tx, said.conversationId, 1);
  const time = now.toISOString();
  const message: Message = {
    inReplyTo: "",
    attachments: [],
    followUps: [],
    rating: "",
    feedback: "",
    ...said,
    id: `MSG-${await tx.nextNumber(KIND)}`,
    at: last !== undefined && last.at > time ? last.at : time,
  };
  await saveMessage(tx, message);
  return message;
}

/** Writes a message. */
export async function saveMessage(tx: Transaction, { id, conversationId, at, ...rest }: Message): Promise<void> {
  const { attachments, followUps, ...texts } = rest;
  const content = { ...texts, attachments: [...attachments], followUps: [...followUps] };
  await tx.putItem({ kind: KIND, id, owner: conversationId, at, content });
}

/** A message of a conversation, or 404. */
export async function openMessage({ tx }: HandlerContext, conversationId: string, id: string): Promise<Message> {
  const item = await tx.getItem(KIND, id);
  if (item?.owner === conversationId) return toMessage(item);
  throw new ServiceError(404, `Message '${id}' not found in ${conversationId}`);
}

/** The messages of a conversation, oldest first: all of them, or the last ones. */
export async function messagesOf(tx: Transaction, conversationId: string, last?: number): Promise<Message[]> {
  return (await tx.itemsOf(KIND, conversationId, { limit: last })).map(toMessage).reverse();
}

/** Removes the messages of a conversation. */
export async function forgetMessages(tx: Transaction, conversationId: string): Promise<void> {
  for (const { id } of await tx.itemsOf(KIND, conversationId)) await tx.deleteItem(KIND, id);
}

function toMessage({ id, owner, at, content }: StoredItem): Message {
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
