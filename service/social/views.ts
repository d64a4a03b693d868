/** Responses with messages and feeds. */
import type { JsonObject } from "../../utils/json.ts";
import type { Application } from "../application/model/application.ts";
import { createLink } from "../cases/views/ui.ts";
import { getOperatorName } from "../cases/case_work.ts";
import type { HandlerContext } from "../http/handler.ts";
import { type FeedItem, type FeedPage, type HistoryEntry, type Source, SOURCES } from "./feed.ts";
import { type Message, Replies } from "./messages.ts";

/** Describes a message with its replies. */
export async function describeMessage(
  message: Message,
  context: HandlerContext,
  replies = new Replies(context.tx),
): Promise<JsonObject> {
  const found = await replies.to(message);
  return { ...describeOneMessage(message, context), replies: found.map((reply) => describeOneMessage(reply, context)) };
}

/** Describes a list of messages. */
export async function describeMessages({ entries, more }: FeedPage, context: HandlerContext): Promise<JsonObject> {
  const messages: JsonObject[] = [];
  const replies = new Replies(context.tx);
  for (const entry of entries) {
    if (entry.source !== "history") messages.push(await describeMessage(entry.message, context, replies));
  }
  return { messages, hasMoreResults: more };
}

/** Describes a feed: its entries and its sources. */
export async function describeFeed(
  id: string,
  { entries, more }: FeedPage,
  sources: { offered: readonly Source[]; chosen: ReadonlySet<Source> },
  context: HandlerContext,
): Promise<JsonObject> {
  const pxResults: JsonObject[] = [];
  const replies = new Replies(context.tx);
  for (const entry of entries) pxResults.push(await describeEntry(entry, context, replies));
  const filters = sources.offered.map((source) => ({
    pyFeedSourceReference: source,
    pyLabel: SOURCES[source],
    pySelected: sources.chosen.has(source),
  }));
  return {
    id,
    data: { FeedList: { pxResults, hasMoreResults: more }, FeedFilters: { pxResults: filters } },
    uiResources: { root: { type: "reference", config: { type: "view", name: id, context: "data" } }, resources: {} },
  };
}

/** Describes the likes of a message. */
export function describeLikes({ id, likes }: Message, { app, caller }: HandlerContext): JsonObject {
  return {
    id,
    pxLikeCount: likes.length,
    pxIsLiked: likes.includes(caller.id),
    likes: likes.map((operator) => describeUser(app, operator)),
  };
}

async function describeEntry(entry: FeedItem, context: HandlerContext, known: Replies): Promise<JsonObject> {
  if (entry.source === "history") return describeHistoryEntry(entry.event, context);
  const { message, source } = entry;
  const replies = (await known.to(message)).map((reply) => describeMessageEntry(reply, source, [], context));
  return describeMessageEntry(message, source, replies, context);
}

function describeMessageEntry(
  message: Message,
  source: Source,
  pxResults: JsonObject[],
  context: HandlerContext,
): JsonObject {
  const { likes, ...rest } = describeOneMessage(message, context);
  return { ...rest, ...describeEntryHead(message.id, source, message, context), pyLikes: likes, pxResults };
}

function describeHistoryEntry(event: HistoryEntry, context: HandlerContext): JsonObject {
  const { caseId, postedAt, kind, author } = event;
  const id = `HISTORY-WORK ${caseId}!${postedAt}`;
  return {
    id,
    context: caseId,
    pyHistoryType: kind,
    postedTime: postedAt,
    postedByUser: describeUser(context.app, author),
    ...describeEntryHead(id, "history", event, context),
    pxResults: [],
  };
}

function describeEntryHead(
  id: string,
  source: Source,
  { postedAt, text, author }: Pick<HistoryEntry, "postedAt" | "text" | "author">,
  { app }: HandlerContext,
): JsonObject {
  return {
    pzInsKey: id,
    pyFeedSourceReference: source,
    pyMessage: text,
    pyFeed: { pyPostedOn: postedAt, pyFeedTitle: describeUser(app, author).name, pyFeedSourceReference: source },
  };
}

function describeOneMessage(message: Message, { app, caller }: HandlerContext): JsonObject {
  const { id, text, type, place, parent, queue, postedAt, updatedAt, author, mentions, tags, likes, tag } = message;
  const href = `/messages/${id}`;
  return {
    id,
    ID: id,
    etag: tag,
    message: text,
    messageType: type,
    context: place,
    ...(parent !== undefined && { parentID: parent }),
    ...(queue !== undefined && { pyRouteToWorkbasket: queue }),
    postedTime: postedAt,
    ...(updatedAt !== undefined && { updatedTime: updatedAt }),
    postedByUser: describeUser(app, author),
    mentions: mentions.map((operator) => describeMention(app, operator)),
    tags: [...tags],
    likes: { pxLikeCount: likes.length, pxIsLiked: likes.includes(caller.id) },
    ...(author === caller.id && {
      links: {
        update: createLink(href, "PUT", "Change the message"),
        delete: createLink(href, "DELETE", "Delete the message"),
      },
    }),
  };
}

/** Describes a mentioned operator. */
export function describeMention(app: Application, id: string): JsonObject {
  return { id, caption: describeUser(app, id).name, mentionsID: id };
}

function describeUser(app: Application, id: string): { ID: string; name: string } {
  return { ID: id, name: getOperatorName(app, id) };
}
