/** Conversations as they are stored. */
import { stringOrUndefined } from "../../utils/json.ts";
import { ServiceError } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { StoredItem, Transaction } from "../store/store.ts";
import { nextEntityTag } from "../cases/entity_tags.ts";
import { forgetMessages } from "./messages.ts";

/** With whom people talk. */
export type Party = "agents" | "assistants";

/** A conversation. Texts that are not known are empty. */
export interface Conversation {
  /** ID, e.g. `PXCONV-1`. */
  readonly id: string;
  /** ISO 8601 time at which it began. */
  readonly startedAt: string;
  /** What it is about: a case handle. */
  readonly contextId: string;
  /** Whether it is with an agent or with an assistant. */
  readonly party: string;
  /** ID of the agent or of the assistant. */
  readonly agentId: string;
  /** Whose it is: nobody else sees it. */
  readonly operator: string;
  /** The caller's own ID of it. */
  readonly interactionId: string;
  /** Type of the channel that was used last. */
  channel: string;
  /** ID of the channel that was used last. */
  channelId: string;
  /** ISO 8601 time at which it was closed. */
  closedAt: string;
  /** ISO 8601 time until which an answer may still come: nothing else is said meanwhile. */
  answeringUntil: string;
  /** Entity tag. */
  tag: string;
}

const KIND = "conversation";

/** The next ID of a conversation. */
export async function nextConversationId(tx: Transaction): Promise<string> {
  return `PXCONV-${await tx.nextNumber(KIND)}`;
}

/** Writes a conversation that has changed. */
export async function saveConversation({ tx, now }: HandlerContext, conversation: Conversation): Promise<void> {
  conversation.tag = nextEntityTag(conversation.tag || undefined, now);
  const { id, startedAt: at, contextId: owner, ...content } = conversation;
  await tx.putItem({ kind: KIND, id, owner, at, content });
}

/** A conversation of the caller with an agent, or 404: those of others are nobody else's to see. */
export async function openConversation(
  { tx, caller }: HandlerContext,
  party: Party,
  agentId: string,
  id: string,
): Promise<Conversation> {
  const item = await tx.getItem(KIND, id);
  const found = item && toConversation(item);
  if (found?.party === party && found.agentId === agentId && found.operator === caller.id) return found;
  throw new ServiceError(404, `Conversation '${id}' not found`);
}

/** The caller's conversations with an agent about a context, newest first. */
export async function conversationsAbout(
  { tx, caller }: HandlerContext,
  party: Party,
  agentId: string,
  contextId: string,
): Promise<Conversation[]> {
  const all = (await tx.itemsOf(KIND, contextId)).map(toConversation);
  return all.filter((one) => one.party === party && one.agentId === agentId && one.operator === caller.id);
}

/** Removes the conversations about a case that is removed. */
export async function forgetConversations(tx: Transaction, contextId: string): Promise<void> {
  for (const { id } of await tx.itemsOf(KIND, contextId)) {
    await forgetMessages(tx, id);
    await tx.deleteItem(KIND, id);
  }
}

/** Refuses a conversation in which nothing can be said: closed (409), or waiting for an answer (423). */
export function checkTurn({ id, closedAt, answeringUntil }: Conversation, { now }: HandlerContext): void {
  if (closedAt !== "") throw new ServiceError(409, `${id} is closed: start another conversation`);
  if (answeringUntil > now.toISOString()) {
    throw new ServiceError(423, `${id} waits for an answer to the message before: try again when it is there`);
  }
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
