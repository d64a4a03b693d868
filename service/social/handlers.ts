/** Handlers of the operations of `svc social`. */
import { openCase } from "../cases/case_work.ts";
import { getViewResources } from "../cases/views/forms/frames.ts";
import { Invalid, NotFound } from "../errors.ts";
import type { GroupHandlers, HandlerContext, Outcome } from "../http/handler.ts";
import { readFeed, readFeedRequest, readSize, type Source } from "./feed.ts";
import {
  changeMessage,
  deleteMessage,
  findPlace,
  getMessage,
  type Message,
  type MessagePlace,
  postMessage,
  refuseAttachments,
  setLike,
} from "./messages.ts";
import { MENTION_TYPES, searchOperators, searchTags, suggestTags } from "./suggestions.ts";
import { describeFeed, describeLikes, describeMessage, describeMessages } from "./views.ts";

/** The feeds, each with the kinds of places that have it. */
const FEEDS: Readonly<Record<string, readonly MessagePlace["kind"][]>> = {
  pyCaseFeed: ["case"],
  pyDashboardFeed: ["application", "operator"],
  pyUserFeed: ["operator"],
};
const PLACE_NAMES: Readonly<Record<MessagePlace["kind"], string>> = {
  case: "a case",
  operator: "an operator",
  application: "the application",
};
const SUGGESTIONS = 20;

/** The handlers by operation. */
export const handlers: GroupHandlers<"social"> = {
  async listMessages({ filterFor, ...filter }, context) {
    const place = await findPlace(context, filterFor);
    const sources: Source[] = place.kind === "operator" ? ["messages", "mentions"] : ["messages"];
    const page = await readFeed(context, { place, wide: false }, readFeedRequest(filter, sources));
    return { body: await describeMessages(page, context) };
  },

  async postMessage({ context: contextId, messageType, ...draft }, context) {
    refuseAttachments(context.body);
    const message = await postMessage(context, contextId, draft, messageType);
    return { ...await createOutcome(message, context), location: `/messages/${message.id}` };
  },

  async getMessage({ messageID }, context) {
    return await createOutcome(await getMessage(context, messageID), context);
  },

  async updateMessage({ messageID, ifMatch, ...draft }, context) {
    return await createOutcome(await changeMessage(context, messageID, draft, ifMatch), context);
  },

  async deleteMessage({ messageID, ifMatch }, context) {
    await deleteMessage(context, messageID, ifMatch);
    return {};
  },

  async likeMessage({ messageID, ifMatch }, context) {
    await setLike(context, messageID, true, ifMatch);
    return { text: "You like the message." };
  },

  async listLikes({ messageID }, context) {
    return { body: describeLikes(await getMessage(context, messageID), context) };
  },

  async unlikeMessage({ messageID, ifMatch }, context) {
    await setLike(context, messageID, false, ifMatch);
    return { text: "You no longer like the message." };
  },

  async getFeed({ feedID, filterFor, feedClass, ...filter }, context) {
    const kinds = Object.hasOwn(FEEDS, feedID) ? FEEDS[feedID] : undefined;
    if (kinds === undefined) {
      throw new NotFound(`There is no feed '${feedID}'; available: ${Object.keys(FEEDS).join(", ")}.`);
    }
    const place = await findPlace(context, filterFor);
    if (!kinds.includes(place.kind)) {
      const wanted = kinds.map((kind) => PLACE_NAMES[kind]).join(" or ");
      throw new Invalid(`filterFor: ${feedID} is a feed of ${wanted}, not of ${PLACE_NAMES[place.kind]}.`);
    }
    await checkFeedClass(feedClass, place, context);
    const offered: Source[] = place.kind === "operator" ? ["messages", "mentions", "history"] : ["messages", "history"];
    const request = readFeedRequest(filter, offered);
    const page = await readFeed(context, { place, wide: place.kind === "application" }, request);
    return { body: await describeFeed(feedID, page, { offered, chosen: request.sources }, context) };
  },

  getMessageType({ type: id }, { app }) {
    const type = app.messageTypes.get(id);
    if (type === undefined) throw new NotFound(`There is no message type '${id}'.`);
    const { name, maxLength, queue, view } = type;
    const body = { id, name, maxLength, ...(queue !== undefined && { pyRouteToWorkbasket: queue }) };
    return { body: { ...body, data: { pyMessage: "" }, uiResources: getViewResources(view, id, app) } };
  },

  listMentionTypes() {
    return { body: MENTION_TYPES.map((type) => ({ ...type })) };
  },

  async listMentions({ mentionsType, context: contextId, searchFor = "", listSize }, context) {
    if (!MENTION_TYPES.some(({ ID }) => ID === mentionsType)) {
      const known = MENTION_TYPES.map(({ ID }) => ID).join(", ");
      throw new Invalid(`mentionsType: there is no type '${mentionsType}'; available: ${known}.`);
    }
    const count = readSize("listSize", listSize, SUGGESTIONS);
    const found = await searchOperators(context, searchFor, await findPlaceId(context, contextId));
    return { body: found.slice(0, count) };
  },

  async listSuggestedTags({ context: contextId }, context) {
    const tags = await suggestTags(context, await findPlaceId(context, contextId));
    return { body: { tags: tags.slice(0, SUGGESTIONS) } };
  },

  async searchTags({ searchFor = "", listSize }, context) {
    const count = readSize("listSize", listSize, SUGGESTIONS);
    return { body: { tags: (await searchTags(context, searchFor)).slice(0, count) } };
  },
};

async function createOutcome(message: Message, context: HandlerContext): Promise<Outcome> {
  return { body: await describeMessage(message, context), tag: message.tag };
}

/** Checks the class of a feed: the case type of a case, and the base class of an operator or the application. */
async function checkFeedClass(given: string | undefined, { kind, id }: MessagePlace, context: HandlerContext) {
  if (given === undefined) return;
  const actual = kind === "case" ? (await openCase(context, id)).type.id : "@baseclass";
  if (given !== actual) throw new Invalid(`feedClass: the class of this feed is ${actual}, not ${given}.`);
}

async function findPlaceId(context: HandlerContext, contextId: string | undefined): Promise<string | undefined> {
  return contextId === undefined ? undefined : (await findPlace(context, contextId)).id;
}
