/** Messages and feeds in the answer's shapes. */
import type { JsonObject } from "../../utils/json.ts";
import type { Application } from "../application/model/application.ts";
import { link } from "../cases/views/links.ts";
import { operatorName } from "../cases/context.ts";
import type { HandlerContext } from "../http/handler.ts";
import { type Entry, type FeedPage, type HistoryLine, type Source, SOURCES } from "./feed.ts";
import { type Message, Replies } from "./messages.ts";

/** A message with its replies. */
export async function messageAnswer(
  message: Message,
  context: HandlerContext,
  replies = new Replies(context.tx),
): Promise<JsonObject> {
  const found = await replies.to(message);
  return { ...oneMessage(message, context), replies: found.map((reply) => oneMessage(reply, context)) };
}

/** Messages as a list. */
export async function messagesAnswer({ entries, more }: FeedPage, context: HandlerContext): Promise<JsonObject> {
  const messages: JsonObject[] = [];
  const replies = new Replies(context.tx);
  for (const entry of entries) {
    if (entry.source !== "history") messages.push(await messageAnswer(entry.message, context, replies));
  }
  return { messages, hasMoreResults: more };
}

/** A feed: its entries, and the sources that it has. */
export async function feedAnswer(
  id: string,
  { entries, more }: FeedPage,
  sources: { offered: readonly Source[]; chosen: ReadonlySet<Source> },
  context: HandlerContext,
): Promise<JsonObject> {
  const pxResults: JsonObject[] = [];
  const replies = new Replies(context.tx);
  for (const entry of entries) pxResults.push(await entryAnswer(entry, context, replies));
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

/** Who likes a message. */
export function likesAnswer({ id, likes }: Message, { app, caller }: HandlerContext): JsonObject {
  return {
    id,
    pxLikeCount: likes.length,
    pxIsLiked: likes.includes(caller.id),
    likes: likes.map((operator) => userInfo(app, operator)),
  };
}

async function entryAnswer(entry: Entry, context: HandlerContext, known: Replies): Promise<JsonObject> {
  if (entry.source === "history") return lineAnswer(entry.line, context);
  const { message, source } = entry;
  const replies = (await known.to(message)).map((reply) => messageEntry(reply, source, [], context));
  return messageEntry(message, source, replies, context);
}

function messageEntry(message: Message, source: Source, pxResults: JsonObject[], context: HandlerContext): JsonObject {
  const { likes, ...said } = oneMessage(message, context);
  return { ...said, ...entryHead(message.id, source, message, context), pyLikes: likes, pxResults };
}

function lineAnswer(line: HistoryLine, context: HandlerContext): JsonObject {
  const { caseId, postedAt, kind, author } = line;
  const id = `HISTORY-WORK ${caseId}!${postedAt}`;
  return {
    id,
    context: caseId,
    pyHistoryType: kind,
    postedTime: postedAt,
    postedByUser: userInfo(context.app, author),
    ...entryHead(id, "history", line, context),
    pxResults: [],
  };
}

function entryHead(
  id: string,
  source: Source,
  { postedAt, text, author }: Pick<HistoryLine, "postedAt" | "text" | "author">,
  { app }: HandlerContext,
): JsonObject {
  return {
    pzInsKey: id,
    pyFeedSourceReference: source,
    pyMessage: text,
    pyFeed: { pyPostedOn: postedAt, pyFeedTitle: userInfo(app, author).name, pyFeedSourceReference: source },
  };
}

function oneMessage(message: Message, { app, caller }: HandlerContext): JsonObject {
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
    postedByUser: userInfo(app, author),
    mentions: mentions.map((operator) => mentionInfo(app, operator)),
    tags: [...tags],
    likes: { pxLikeCount: likes.length, pxIsLiked: likes.includes(caller.id) },
    ...(author === caller.id && {
      links: { update: link(href, "PUT", "Change the message"), delete: link(href, "DELETE", "Delete the message") },
    }),
  };
}

/** An operator as a mention names one. */
export function mentionInfo(app: Application, id: string): JsonObject {
  return { id, caption: userInfo(app, id).name, mentionsID: id };
}

function userInfo(app: Application, id: string): { ID: string; name: string } {
  return { ID: id, name: operatorName(app, id) };
}
