/** Messages and their replies, as they are kept. */
import { isJsonObject, isString, type JsonObject, type JsonValue, stringOrUndefined } from "../../utils/json.ts";
import { countCharacters } from "../../utils/text/wording.ts";
import { type MessageType, PLAIN_MESSAGE } from "../application/model/application.ts";
import type { EngineContext } from "../cases/context.ts";
import { ServiceError } from "../errors.ts";
import type { StoredItem, Transaction } from "../store/store.ts";
import { checkEntityTag, nextEntityTag } from "../cases/entity_tags.ts";
import { placeOf } from "./places.ts";
import { namedIn } from "./texts.ts";
import { timeOfMessage } from "./times.ts";

/** A message, or a reply to one. */
export interface Message {
  /** Message ID. */
  readonly id: string;
  /** Context ID of the case, operator or application on which it is. */
  readonly place: string;
  /** The message to which it replies. */
  readonly parent?: string;
  /** Its time in feeds. */
  readonly postedAt: string;
  /** Operator who wrote it. */
  readonly author: string;
  /** Its type. */
  readonly type: string;
  /** The text. */
  readonly text: string;
  /** The queue to which it goes. */
  readonly queue?: string;
  /** IDs of the operators that it names. */
  readonly mentions: readonly string[];
  /** The tags that it names. */
  readonly tags: readonly string[];
  /** IDs of the operators who like it, in the order in which they did. */
  readonly likes: readonly string[];
  /** ISO 8601 time of the last change of the text. */
  readonly updatedAt?: string;
  /** Entity tag of the text. */
  readonly tag: string;
}

/** What an operator says. */
export interface Draft {
  /** Text of the message. */
  readonly message: string;
  /** Queue to which it goes. */
  readonly routeToWorkbasket?: string;
}

/** The kinds under which messages are kept. */
export type MessageKind = "message" | "reply";

const PREFIX = "PEGASOCIAL-MESSAGE";

/** Posts a message to a context, or a reply to the message that the context is. */
export async function postMessage(
  context: EngineContext,
  contextId: string,
  draft: Draft,
  messageType: string = PLAIN_MESSAGE,
): Promise<Message> {
  const { tx, caller, now } = context;
  const answered = await findMessage(context, contextId);
  const place = answered?.place ?? (await placeOf(context, contextId)).id;
  const type = typeOf(context, messageType);
  const number = await tx.nextNumber(PREFIX);
  const message = {
    id: `${PREFIX} M-${number}`,
    place,
    parent: answered && (answered.parent ?? answered.id),
    postedAt: timeOfMessage(now, number),
    author: caller.id,
    type: type.id,
    queue: queueOf(context, draft) ?? type.queue,
    likes: [],
    tag: nextEntityTag(undefined, now),
    ...written(context, draft, type),
  };
  await tx.putItem(toItem(message));
  return message;
}

/** A message, or 404. */
export async function requireMessage(context: EngineContext, id: string): Promise<Message> {
  const message = await findMessage(context, id);
  if (message !== undefined) return message;
  throw new ServiceError(404, `There is no message '${id}'.`);
}

/** Changes the text of a message: its author may. */
export async function changeMessage(
  context: EngineContext,
  id: string,
  draft: Draft,
  ifMatch: string | undefined,
): Promise<Message> {
  const message = await ownMessage(context, id, ifMatch);
  const type = context.app.messageTypes.get(message.type) ?? typeOf(context, PLAIN_MESSAGE);
  const { now } = context;
  const changed = {
    ...message,
    ...written(context, draft, type),
    queue: queueOf(context, draft) ?? message.queue,
    updatedAt: now.toISOString(),
    tag: nextEntityTag(message.tag, now),
  };
  await context.tx.putItem(toItem(changed));
  return changed;
}

/** Deletes a message with the replies to it: its author may. */
export async function deleteMessage(context: EngineContext, id: string, ifMatch: string | undefined): Promise<void> {
  const message = await ownMessage(context, id, ifMatch);
  for (const reply of await new Replies(context.tx).to(message)) await context.tx.deleteItem("reply", reply.id);
  await context.tx.deleteItem(kindOf(message), message.id);
}

/** Says that the caller likes a message, or does not any more. To say it twice changes nothing. */
export async function setLike(
  context: EngineContext,
  id: string,
  liked: boolean,
  ifMatch: string | undefined,
): Promise<void> {
  const message = await requireMessage(context, id);
  checkEntityTag(ifMatch, message.tag);
  const others = message.likes.filter((operator) => operator !== context.caller.id);
  if (liked === others.length < message.likes.length) return;
  await context.tx.putItem(toItem({ ...message, likes: liked ? [...others, context.caller.id] : others }));
}

/** Finds the replies to messages. Those on a place are read once, of however many of its messages they are wanted. */
export class Replies {
  readonly #tx: Transaction;
  readonly #onPlaces = new Map<string, Map<string | undefined, Message[]>>();

  /** Reads in a unit of work, in which nothing else changes them. */
  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** The replies to a message, oldest first. A reply itself has none. */
  async to({ id, place, parent }: Message): Promise<readonly Message[]> {
    if (parent !== undefined) return [];
    const known = this.#onPlaces.get(place) ?? await this.#read(place);
    return known.get(id) ?? [];
  }

  async #read(place: string): Promise<Map<string | undefined, Message[]>> {
    const replies = (await this.#tx.itemsOf("reply", place)).map(toMessage).reverse();
    const byParent = Map.groupBy(replies, ({ parent }) => parent);
    this.#onPlaces.set(place, byParent);
    return byParent;
  }
}

/** An item as the message that it is. */
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
    mentions: textsIn(mentions),
    tags: textsIn(tags),
    likes: textsIn(likes),
    updatedAt: stringOrUndefined(updatedAt),
    tag: stringOrUndefined(tag) ?? "",
  };
}

/** Refuses the attachments that some clients send with a message: none is lost unsaid. */
export function refuseAttachments(body: JsonValue | undefined): void {
  const given = isJsonObject(body) ? body.attachments : undefined;
  if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) return;
  throw new ServiceError(400, "attachments: messages take none. Attach files to the case.");
}

/** A message, if there is one; 404 where its case or other place is gone. */
async function findMessage(context: EngineContext, id: string): Promise<Message | undefined> {
  const { tx } = context;
  const item = await tx.getItem("message", id) ?? await tx.getItem("reply", id);
  if (item === undefined) return undefined;
  await placeOf(context, item.owner);
  return toMessage(item);
}

async function ownMessage(context: EngineContext, id: string, ifMatch: string | undefined): Promise<Message> {
  const message = await requireMessage(context, id);
  if (message.author !== context.caller.id) {
    throw new ServiceError(403, `Only ${message.author}, who wrote the message, may change or delete it.`);
  }
  checkEntityTag(ifMatch, message.tag);
  return message;
}

function written(
  { app }: EngineContext,
  { message: text }: Draft,
  { maxLength }: MessageType,
): Pick<Message, "text" | "mentions" | "tags"> {
  if (text.trim() === "") throw new ServiceError(400, "message: must not be empty.");
  const length = countCharacters(text);
  if (length > maxLength) {
    throw new ServiceError(400, `message: may have at most ${maxLength} characters, not ${length}.`);
  }
  return { text, ...namedIn(text, app) };
}

function queueOf({ app }: EngineContext, { routeToWorkbasket: queue }: Draft): string | undefined {
  if (queue === undefined || app.queues.has(queue)) return queue;
  throw new ServiceError(400, `pyRouteToWorkbasket: there is no queue '${queue}'.`);
}

function typeOf({ app }: EngineContext, id: string): MessageType {
  const type = app.messageTypes.get(id);
  if (type !== undefined) return type;
  const known = [...app.messageTypes.keys()].join(", ");
  throw new ServiceError(400, `message-type: there is no type '${id}'; available: ${known}.`);
}

function kindOf({ parent }: Message): MessageKind {
  return parent === undefined ? "message" : "reply";
}

function toItem(message: Message): StoredItem {
  const { id, place, postedAt, mentions, tags, likes, ...content } = message;
  const lists: JsonObject = { mentions: [...mentions], tags: [...tags], likes: [...likes] };
  return { kind: kindOf(message), id, owner: place, at: postedAt, content: { ...content, ...lists } };
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter(isString) : [];
}
