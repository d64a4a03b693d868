/** Messages and replies. */
import { isJsonObject, isString, type JsonObject, type JsonValue, stringOrUndefined } from "../../utils/json.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { countCharacters } from "../../utils/text/wording.ts";
import { type MessageType, PLAIN_MESSAGE } from "../application/model/application.ts";
import { checkEntityTag, type EngineContext, findCase, nextEntityTag } from "../cases/case_work.ts";
import { Forbidden, Invalid, NotFound } from "../errors.ts";
import type { StoredItem, Transaction } from "../store/store.ts";
import { findReferences } from "./references.ts";
import { toMessageTime } from "./times.ts";

/** A message, or a reply to a message. */
export interface Message {
  readonly id: string;
  /** Context ID of the case, operator or application that it belongs to. */
  readonly place: string;
  /** ID of the message to which it replies. */
  readonly parent?: string;
  /** Time in feeds, to the nanosecond. */
  readonly postedAt: string;
  /** Operator ID of the author. */
  readonly author: string;
  /** Class of its message type. */
  readonly type: string;
  readonly text: string;
  /** ID of the queue that receives it. */
  readonly queue?: string;
  /** IDs of the operators that it mentions. */
  readonly mentions: readonly string[];
  readonly tags: readonly string[];
  /** IDs of the operators who like it, in the order of their likes. */
  readonly likes: readonly string[];
  /** ISO 8601 time of the last change of the text. */
  readonly updatedAt?: string;
  /** Entity tag of the text. */
  readonly tag: string;
}

/** The text of a message to post, or a change of one. */
export interface Draft {
  readonly message: string;
  /** ID of the queue that receives it. */
  readonly routeToWorkbasket?: string;
}

/** The kinds of items that store messages. */
export type MessageKind = "message" | "reply";

/** A place of messages: a case, an operator or the application. */
export interface MessagePlace {
  readonly kind: "case" | "operator" | "application";
  /** Context ID. */
  readonly id: string;
}

const PREFIX = "PEGASOCIAL-MESSAGE";

/** Finds the place of a context ID. Throws NotFound if it does not exist. */
export async function findPlace(context: EngineContext, id: string): Promise<MessagePlace> {
  const { app } = context;
  const own = `DATA-PORTAL $${app.id}`; // Portals send it with the ID or with the name.
  if ([own, app.id, `DATA-PORTAL $${app.name}`].includes(id)) return { kind: "application", id: own };
  if (app.operators.has(id)) return { kind: "operator", id };
  if (await findCase(context, id) !== undefined) return { kind: "case", id };
  throw new NotFound(`There is no case, operator or message '${id}'. The application is '${own}'.`);
}

/** Posts a message to a place, or a reply if the context ID is that of a message. */
export async function postMessage(
  context: EngineContext,
  contextId: string,
  draft: Draft,
  messageType: string = PLAIN_MESSAGE,
): Promise<Message> {
  const { tx, caller, now } = context;
  const original = await findMessage(context, contextId);
  const place = original?.place ?? (await findPlace(context, contextId)).id;
  const type = getMessageType(context, messageType);
  const number = await tx.nextNumber(PREFIX);
  const message = {
    id: `${PREFIX} M-${number}`,
    place,
    parent: original && (original.parent ?? original.id),
    postedAt: toMessageTime(now, number),
    author: caller.id,
    type: type.id,
    queue: readQueue(context, draft) ?? type.queue,
    likes: [],
    tag: nextEntityTag(undefined, now),
    ...readText(context, draft, type),
  };
  await tx.putItem(toItem(message));
  return message;
}

/** Returns a message. Throws NotFound if it does not exist. */
export async function getMessage(context: EngineContext, id: string): Promise<Message> {
  const message = await findMessage(context, id);
  if (message !== undefined) return message;
  throw new NotFound(`There is no message '${id}'.`);
}

/** Changes the text of a message of the caller. */
export async function changeMessage(
  context: EngineContext,
  id: string,
  draft: Draft,
  ifMatch: string | undefined,
): Promise<Message> {
  const message = await getOwnMessage(context, id, ifMatch);
  const type = context.app.messageTypes.get(message.type) ?? getMessageType(context, PLAIN_MESSAGE);
  const { now } = context;
  const changed = {
    ...message,
    ...readText(context, draft, type),
    queue: readQueue(context, draft) ?? message.queue,
    updatedAt: now.toISOString(),
    tag: nextEntityTag(message.tag, now),
  };
  await context.tx.putItem(toItem(changed));
  return changed;
}

/** Deletes a message of the caller with its replies. */
export async function deleteMessage(context: EngineContext, id: string, ifMatch: string | undefined): Promise<void> {
  const message = await getOwnMessage(context, id, ifMatch);
  for (const reply of await new Replies(context.tx).to(message)) await context.tx.deleteItem("reply", reply.id);
  await context.tx.deleteItem(getKind(message), message.id);
}

/** Sets whether the caller likes a message. */
export async function setLike(
  context: EngineContext,
  id: string,
  liked: boolean,
  ifMatch: string | undefined,
): Promise<void> {
  const message = await getMessage(context, id);
  checkEntityTag(ifMatch, message.tag);
  const others = message.likes.filter((operator) => operator !== context.caller.id);
  if (liked === others.length < message.likes.length) return;
  await context.tx.putItem(toItem({ ...message, likes: liked ? [...others, context.caller.id] : others }));
}

/** Finds the replies to messages. It reads those of each place once. */
export class Replies {
  readonly #tx: Transaction;
  readonly #byPlace = new Map<string, Map<string | undefined, Message[]>>();

  /** Reads in a transaction, in which the replies do not change. */
  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Returns the replies to a message, oldest first. A reply has no replies. */
  async to({ id, place, parent }: Message): Promise<readonly Message[]> {
    if (parent !== undefined) return [];
    const replies = this.#byPlace.get(place) ?? await this.#read(place);
    return replies.get(id) ?? [];
  }

  async #read(place: string): Promise<Map<string | undefined, Message[]>> {
    const replies = (await this.#tx.listItems("reply", place)).map(toMessage).reverse();
    const byParent = Map.groupBy(replies, ({ parent }) => parent);
    this.#byPlace.set(place, byParent);
    return byParent;
  }
}

/** Converts an item of the store to a message. */
export function toMessage({ id, owner, at, content }: StoredItem): Message {
  const { parent, author, type, text, queue, mentions, tags, likes, updatedAt, tag } = content;
  return {
    id,
    place: owner,
    parent: stringOrUndefined(parent),
    postedAt: at,
    author: stringOrUndefined(author) ?? "",
    type: stringOrUndefined(type) ?? PLAIN_MESSAGE,
    text: stringOrUndefined(text) ?? "",
    queue: stringOrUndefined(queue),
    mentions: readTexts(mentions),
    tags: readTexts(tags),
    likes: readTexts(likes),
    updatedAt: stringOrUndefined(updatedAt),
    tag: stringOrUndefined(tag) ?? "",
  };
}

/** Refuses attachments, which some clients send with a message and which would be lost. */
export function refuseAttachments(body: JsonValue | undefined): void {
  const attachments = isJsonObject(body) ? body.attachments : undefined;
  if (attachments === undefined || attachments === null) return;
  if (Array.isArray(attachments) && attachments.length === 0) return;
  throw new Invalid("attachments: a message cannot have attachments. Attach files to the case.");
}

/** Returns a message if it exists. Throws NotFound if its place does not exist any more. */
async function findMessage(context: EngineContext, id: string): Promise<Message | undefined> {
  const { tx } = context;
  const item = await tx.getItem("message", id) ?? await tx.getItem("reply", id);
  if (item === undefined) return undefined;
  await findPlace(context, item.owner);
  return toMessage(item);
}

async function getOwnMessage(context: EngineContext, id: string, ifMatch: string | undefined): Promise<Message> {
  const message = await getMessage(context, id);
  if (message.author !== context.caller.id) {
    throw new Forbidden(`Only the author ${message.author} may change or delete the message.`);
  }
  checkEntityTag(ifMatch, message.tag);
  return message;
}

function readText(
  { app }: EngineContext,
  { message: text }: Draft,
  { maxLength }: MessageType,
): Pick<Message, "text" | "mentions" | "tags"> {
  if (text.trim() === "") throw new Invalid("message: must not be empty.");
  const length = countCharacters(text);
  if (length > maxLength) {
    throw new Invalid(`message: must have at most ${maxLength} characters, not ${length}.`);
  }
  return { text, ...findReferences(text, app) };
}

function readQueue({ app }: EngineContext, { routeToWorkbasket: queue }: Draft): string | undefined {
  if (queue === undefined || app.queues.has(queue)) return queue;
  const alternatives = suggestAlternatives(queue, app.queues.keys());
  throw new Invalid(`pyRouteToWorkbasket: there is no queue '${queue}'${alternatives}`);
}

function getMessageType({ app }: EngineContext, id: string): MessageType {
  const type = app.messageTypes.get(id);
  if (type !== undefined) return type;
  const alternatives = suggestAlternatives(id, app.messageTypes.keys());
  throw new Invalid(`message-type: there is no type '${id}'${alternatives}`);
}

function getKind({ parent }: Message): MessageKind {
  return parent === undefined ? "message" : "reply";
}

function toItem(message: Message): StoredItem {
  const { id, place, postedAt, mentions, tags, likes, ...content } = message;
  const lists: JsonObject = { mentions: [...mentions], tags: [...tags], likes: [...likes] };
  return { kind: getKind(message), id, owner: place, at: postedAt, content: { ...content, ...lists } };
}

function readTexts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter(isString) : [];
}
