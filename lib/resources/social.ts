/** The operations of `svc social`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";

const messageID = {
  name: "messageID",
  help: "Message ID",
  type: "string",
  to: "path:messageID",
  required: true,
} as const;

const filterFor = {
  help: "Context ID or operator ID",
  type: "string",
  namesCase: true,
  to: "query:filterFor",
  required: true,
} as const;
const filterBy = {
  help: "Sources, separated by commas: messages, history, mentions (of an operator only), or All",
  type: "string",
  to: "query:filterBy",
} as const;
const pageSize = { help: "Maximum number of entries", type: "integer", to: "query:pageSize" } as const;
const olderThan = {
  help: "Return only entries older than this date and time",
  type: "string",
  to: "query:olderThan",
} as const;
const context = {
  help: "Context ID: a case, an operator or the application",
  type: "string",
  to: "query:context",
} as const;
const searchFor = { help: "Text to search for", type: "string", to: "query:searchFor" } as const;
const listSize = { help: "Maximum number of entries", type: "integer", to: "query:listSize" } as const;
const message = { help: "Text of the message", type: "string", to: "body:message", required: true } as const;
const routeToWorkbasket = { help: "Queue to route to", type: "string", to: "body:pyRouteToWorkbasket" } as const;

const user = {
  required: {
    /** Display name. */
    name: "string",
  },
  unchecked: {
    /** Operator ID. */
    ID: "string",
  },
} as const satisfies ObjectShape;

const mention = {
  required: {
    /** Display name. */
    caption: "string",
    /** Operator ID. A text mentions the operator with `@` and this ID. */
    mentionsID: "string",
  },
} as const satisfies ObjectShape;

const mentionList = { shape: { list: mention } } as const satisfies JsonAnswer;

const messageInfo = {
  required: {
    /** Message ID. Other operations take it as `messageID`, and a reply takes it as `context`. */
    id: "string",
    /** Text. */
    message: "string",
  },
  unchecked: {
    /** Entity tag of the text, for `ifMatch`. */
    etag: "string",
    /** Class of the message type. */
    messageType: "string",
    /** Context ID of the case, operator or application to which it was posted. */
    context: "string",
    /** Message to which it replies. */
    parentID: "string",
    /** Time at which it was posted, to the nanosecond. `olderThan` takes it. */
    postedTime: "string",
    /** Time at which the text was changed. */
    updatedTime: "string",
    /** Author. */
    postedByUser: user,
    /** Operators whom the text mentions. */
    mentions: { list: mention },
    /** Tags in the text, in lower case and without `#`. */
    tags: { list: "string" },
    /** Likes. */
    likes: {
      unchecked: {
        /** Number of operators who like it. */
        pxLikeCount: "number",
        /** True if the caller likes it. */
        pxIsLiked: "boolean",
      },
    },
    /** Replies, oldest first. */
    replies: { list: "self" },
    /** Requests that the caller may make with it. */
    links: "object",
  },
} as const satisfies ObjectShape;

const messageAnswer = { shape: messageInfo, fill: "id" } as const satisfies JsonAnswer;

const changedMessageAnswer = {
  shape: { unchecked: { ...messageInfo.required, ...messageInfo.unchecked } },
  fill: "id",
} as const satisfies JsonAnswer;

const messageList = {
  shape: {
    required: {
      /** Newest first, each with its replies. */
      messages: { list: messageInfo },
    },
    unchecked: {
      /** True if older ones follow. */
      hasMoreResults: "boolean",
    },
  },
  list: "messages",
  fill: "id",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const likeList = {
  shape: {
    unchecked: {
      /** Message ID. */
      id: "string",
      /** Number of operators who like it. */
      pxLikeCount: "number",
      /** True if the caller likes it. */
      pxIsLiked: "boolean",
      /** Operators who like it. */
      likes: { list: user },
    },
  },
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const feedEntry = {
  required: {
    /** ID of the message or of the history entry. */
    pzInsKey: "string",
  },
  unchecked: {
    /** Source, e.g. `messages` or `history`. */
    pyFeedSourceReference: "string",
    /** Text. */
    pyMessage: "string",
    /** Kind of history entry. */
    pyHistoryType: "string",
    /** Context ID of the case, operator or application. */
    context: "string",
    /** Time, to the nanosecond. `olderThan` takes it. */
    postedTime: "string",
    /** Author. */
    postedByUser: user,
    /** Likes. */
    pyLikes: "object",
    /** Replies to a message, oldest first. */
    pxResults: { list: "self" },
  },
} as const satisfies ObjectShape;

const feedSource = {
  unchecked: {
    /** Source. `filterBy` takes it. */
    pyFeedSourceReference: "string",
    /** Display name. */
    pyLabel: "string",
    /** True if the feed contains its entries. */
    pySelected: "boolean",
  },
} as const satisfies ObjectShape;

const feed = {
  shape: {
    required: {
      /** Entries and sources. */
      data: {
        required: {
          /** One page of the entries. */
          FeedList: {
            required: {
              /** Newest first. */
              pxResults: { list: feedEntry },
            },
            unchecked: {
              /** True if older ones follow. */
              hasMoreResults: "boolean",
            },
          },
        },
        unchecked: {
          /** Sources. */
          FeedFilters: {
            unchecked: {
              /** Sources. */
              pxResults: { list: feedSource },
            },
          },
        },
      },
    },
    unchecked: {
      /** Feed ID. */
      id: "string",
      /** Components that show the feed. */
      uiResources: "object",
    },
  },
} as const satisfies JsonAnswer;

const messageTypeAnswer = {
  shape: {
    unchecked: {
      /** Class of the message type. */
      id: "string",
      /** Display name. */
      name: "string",
      /** Maximum number of characters of a text. */
      maxLength: "number",
      /** Queue to which its messages are routed. */
      pyRouteToWorkbasket: "string",
      /** Content of a new message. */
      data: "object",
      /** Form of a new message. */
      uiResources: "object",
    },
  },
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const tagList = {
  shape: {
    required: {
      /** In lower case and without `#`. */
      tags: { list: "string" },
    },
  },
  list: "tags",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Lists the messages of a case (`filterFor` its handle), of an operator (those posted to, by or for the operator, and
   * the mentions) or of the application (`DATA-PORTAL $<application ID>`), newest first, each with its replies.
   * `filterBy` names the sources, separated by commas: `messages`, of an operator `mentions` too, or `All`. Pass the
   * `postedTime` of the last message as `olderThan` to get the next page.
   *
   * Errors: `NOT_FOUND` for an unknown `filterFor`, `BAD_REQUEST` for an unknown source, a `pageSize` that is not 1 to
   * 1000, or an `olderThan` that is not a time.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { messages } = await svc.social.listMessages({ filterBy: "messages", filterFor: "clerk@city" });
   * console.log(messages.map((message) => message.message));
   * ```
   */
  listMessages: {
    summary: "List the messages of a case, an operator or the application",
    method: "GET",
    path: "/messages",
    flags: {
      /** Sources, separated by commas: messages, mentions (of an operator only), or All. */
      filterBy: {
        ...filterBy,
        help: "Sources, separated by commas: messages, mentions (of an operator only), or All",
        required: true,
      },
      /** Context ID or operator ID. */
      filterFor,
      /** Maximum number of entries. */
      pageSize,
      /** Return only entries older than this date and time. */
      olderThan,
    },
    answer: messageList,
    pages: {
      items: "messages",
      more: "hasMoreResults",
      page: "olderThan",
      size: "pageSize",
      cursor: "postedTime",
    },
    example: [
      "--filter-by messages --filter-for 'CITY-PERMIT-WORK P-1'",
      "--filter-by messages --filter-for 'CITY-PERMIT-WORK P-1' --page-size 20 --format yaml",
    ],
  },
  /**
   * Posts a message to a case, an operator or the application, or, with a message ID as `context`, a reply. A text
   * mentions operators as `@clerk@city`, `@Clara Clerk` or `@Clara`, where only one is called so, and names tags as
   * `#urgent`; the response lists both in `mentions` and `tags`. A reply to a reply belongs to the same message.
   * `routeToWorkbasket` puts the message into the feeds of the operators who work from that queue.
   *
   * Errors: `NOT_FOUND` for an unknown context, `BAD_REQUEST` for an empty or too long text, an unknown queue or
   * message type.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const message = await svc.social.postMessage({ context: "clerk@city", message: "Plan received, @Rosa. #urgent" });
   * const reply = await svc.social.postMessage({ context: message.id, message: "Thank you" });
   * console.log(message.tags, reply.parentID);
   * ```
   */
  postMessage: {
    summary: "Post a message, or a reply to one",
    method: "POST",
    creates: true,
    path: "/messages",
    flags: {
      /** Context ID: a case, an operator, the application, or the message to reply to. */
      context: {
        help: "Context ID: a case, an operator, the application, or the message to reply to",
        type: "string",
        namesCase: true,
        to: "body:context",
        required: true,
      },
      /** Text of the message. */
      message,
      /** Queue to route to. */
      routeToWorkbasket,
      /** Message type. */
      messageType: { help: "Message type", type: "string", to: "query:message-type" },
    },
    accepts: { body: ["attachments"] },
    answer: messageAnswer,
    status: 201,
    example: [
      "--context 'CITY-PERMIT-WORK P-1' --message 'Plan received, @clerk@city'",
      "--context 'CITY-PERMIT-WORK P-1' --message 'Plan received' --dry-run",
    ],
    seeAlso: ["social list-mentions --help"],
  },
  /**
   * Reads a message with its replies.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.social.postMessage({ context: "clerk@city", message: "Plan received. #urgent" });
   * const { message, postedByUser } = await svc.social.getMessage(id);
   * console.log(message, postedByUser?.name);
   * ```
   */
  getMessage: {
    summary: "Read a message",
    method: "GET",
    path: "/messages/{messageID}",
    args: [messageID],
    answer: messageAnswer,
    example: ["'PEGASOCIAL-MESSAGE M-1'", "'PEGASOCIAL-MESSAGE M-1' --fields message"],
  },
  /**
   * Changes the text of a message, with its mentions and tags. Only its author may change it.
   *
   * Errors: `NOT_FOUND`, `FORBIDDEN` for everyone but the author, `BAD_REQUEST` as for a new message,
   * `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.social.postMessage({ context: "clerk@city", message: "Plan received. #urgent" });
   * const changed = await svc.social.updateMessage(id, { message: "Plan received and complete. #complete" });
   * console.log(changed.tags, changed.updatedTime);
   * ```
   */
  updateMessage: {
    summary: "Change the text of a message",
    method: "PUT",
    path: "/messages/{messageID}",
    args: [messageID],
    flags: {
      /** Text of the message. */
      message,
      /** Queue to route to. */
      routeToWorkbasket,
    },
    answer: changedMessageAnswer,
    example: [
      "'PEGASOCIAL-MESSAGE M-1' --message 'Plan received and complete'",
      "'PEGASOCIAL-MESSAGE M-1' --message 'Who can help?' --route-to-workbasket Review",
    ],
  },
  /**
   * Deletes a message and its replies. Only its author may delete it.
   *
   * Errors: `NOT_FOUND`, `FORBIDDEN` for everyone but the author, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.social.postMessage({ context: "clerk@city", message: "Plan received. #urgent" });
   * await svc.social.deleteMessage(id);
   * ```
   */
  deleteMessage: {
    summary: "Delete a message",
    method: "DELETE",
    path: "/messages/{messageID}",
    args: [messageID],
    answer: "nothing",
    example: ["'PEGASOCIAL-MESSAGE M-1'", "'PEGASOCIAL-MESSAGE M-1' --dry-run"],
  },
  /**
   * Likes a message for the caller, unless the caller already does. Returns a sentence.
   *
   * Errors: `NOT_FOUND`, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.social.postMessage({ context: "clerk@city", message: "Plan received. #urgent" });
   * console.log(await svc.social.likeMessage(id));
   * ```
   */
  likeMessage: {
    summary: "Like a message",
    method: "POST",
    path: "/messages/{messageID}/likes",
    args: [messageID],
    answer: "text",
    example: ["'PEGASOCIAL-MESSAGE M-1'", "'PEGASOCIAL-MESSAGE M-1' --profile reviewer"],
  },
  /**
   * Lists the operators who like a message in `likes`. `pxLikeCount` is their number. `pxIsLiked` tells whether the
   * caller is one of them.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.social.postMessage({ context: "clerk@city", message: "Plan received. #urgent" });
   * await svc.social.likeMessage(id);
   * console.log(await svc.social.listLikes(id));
   * ```
   */
  listLikes: {
    summary: "List the likes of a message",
    method: "GET",
    path: "/messages/{messageID}/likes",
    args: [messageID],
    answer: likeList,
    example: ["'PEGASOCIAL-MESSAGE M-1'", "'PEGASOCIAL-MESSAGE M-1' --fields pxLikeCount"],
  },
  /**
   * Removes the caller's like from a message, if there is one. Returns a sentence.
   *
   * Errors: `NOT_FOUND`, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.social.postMessage({ context: "clerk@city", message: "Plan received. #urgent" });
   * await svc.social.likeMessage(id);
   * console.log(await svc.social.unlikeMessage(id));
   * ```
   */
  unlikeMessage: {
    summary: "Remove the caller's like from a message",
    method: "DELETE",
    path: "/messages/{messageID}/likes",
    args: [messageID],
    answer: "text",
    example: ["'PEGASOCIAL-MESSAGE M-1'", "'PEGASOCIAL-MESSAGE M-1' --profile reviewer"],
  },
  /**
   * Reads a page of a feed, newest first: `pyCaseFeed` of a case, `pyUserFeed` of an operator, `pyDashboardFeed` of an
   * operator or of the whole application (`filterFor` `DATA-PORTAL $<application ID>`). Its sources are `messages`,
   * `history` and, of an operator, `mentions`; `filterBy` selects some of them, separated by commas. Messages come with
   * their replies. Pass the `postedTime` of the last entry as `olderThan` to get the next page: no entry is lost or
   * returned twice. The class of a feed is the case type for a case, and `@baseclass` otherwise.
   *
   * Errors: `NOT_FOUND` for an unknown feed or `filterFor`, `BAD_REQUEST` for a feed of something else, an unknown
   * source, another `feedClass`, a `pageSize` that is not 1 to 1000, or an `olderThan` that is not a time.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.social.postMessage({ context: id, message: "Plan received" });
   * const { data } = await svc.social.getFeed("pyCaseFeed", { filterFor: id, pageSize: 20 });
   * for (const entry of data.FeedList.pxResults) console.log(entry.postedTime, entry.pyMessage);
   * ```
   */
  getFeed: {
    summary: "Read a feed: messages and case history, newest first",
    method: "GET",
    path: "/feeds/{feedID}",
    args: [{ name: "feedID", help: "Feed ID, e.g. pyCaseFeed", type: "string", to: "path:feedID", required: true }],
    flags: {
      /** Context ID or operator ID. */
      filterFor,
      /** Return only entries older than this date and time. */
      olderThan,
      /** Maximum number of entries. */
      pageSize,
      /** Class of the feed rule. */
      feedClass: { help: "Class of the feed rule", type: "string", to: "query:feedClass" },
      /** Sources, separated by commas: messages, history, mentions (of an operator only), or All. */
      filterBy,
    },
    answer: feed,
    pages: {
      items: "data.FeedList.pxResults",
      more: "data.FeedList.hasMoreResults",
      page: "olderThan",
      size: "pageSize",
      cursor: "postedTime",
    },
    labelled: true,
    example: [
      "pyCaseFeed --filter-for 'CITY-PERMIT-WORK P-1' --page-size 20",
      "pyCaseFeed --filter-for 'CITY-PERMIT-WORK P-1' --format yaml",
    ],
  },
  /**
   * Reads a message type by its class: its name, the maximum length of a text, its queue, and the form of a new message.
   * `Pega-Social-Message` is the type of plain messages.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const type = await svc.social.getMessageType("City-Permit-Social-Question");
   * console.log(type.name, type.maxLength);
   * ```
   */
  getMessageType: {
    summary: "Read the form of a message type",
    method: "GET",
    path: "/message-types/{type}",
    args: [{ name: "type", help: "Class ID of the message type", type: "string", to: "path:type", required: true }],
    answer: messageTypeAnswer,
    example: ["City-Permit-Social-Question", "City-Permit-Social-Question --format yaml"],
  },
  /**
   * Lists the types of mentions: operators (`Users`).
   *
   * Errors: only the general ones.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * console.log(await svc.social.listMentionTypes());
   * ```
   */
  listMentionTypes: {
    summary: "List the types of mentions",
    method: "GET",
    path: "/mention_types",
    answer: "any",
    example: ["", "--format table"],
  },
  /**
   * Lists the operators whose ID or name contains a text. Operators who wrote or are mentioned at the context come
   * first, then those who are mentioned most.
   *
   * Errors: `BAD_REQUEST` for an unknown type or a `listSize` that is not 1 to 1000, `NOT_FOUND` for an unknown
   * context.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const found = await svc.social.listMentions({ mentionsType: "Users", searchFor: "cle" });
   * console.log(found.map(({ mentionsID }) => `@${mentionsID}`));
   * ```
   */
  listMentions: {
    summary: "List operators that can be mentioned",
    method: "GET",
    path: "/mentions",
    flags: {
      /** Type of mention, e.g. Users. */
      mentionsType: { help: "Type of mention, e.g. Users", type: "string", to: "query:mentionsType", required: true },
      /** Context ID: a case, an operator or the application. */
      context,
      /** Text to search for. */
      searchFor,
      /** Maximum number of entries. */
      listSize,
    },
    answer: mentionList,
    example: [
      "--mentions-type Users --search-for cle",
      "--mentions-type Users --search-for rosa --list-size 5 --format table",
    ],
  },
  /**
   * Lists the 20 most used tags of messages and cases. Tags of the context come first.
   *
   * Errors: `NOT_FOUND` for an unknown context.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * await svc.social.postMessage({ context: "clerk@city", message: "Plan received. #urgent" });
   * const { tags } = await svc.social.listSuggestedTags({ context: "clerk@city" });
   * console.log(tags);
   * ```
   */
  listSuggestedTags: {
    summary: "List the most used tags",
    method: "GET",
    path: "/suggested_tags",
    flags: {
      /** Context ID: a case, an operator or the application. */
      context,
    },
    answer: tagList,
    example: ["--context 'CITY-PERMIT-WORK P-1'", "--context 'CITY-PERMIT-WORK P-1' | jq -r '.tags[]'"],
  },
  /**
   * Lists the tags of messages and cases that contain a text. Tags that start with it come first, then the most used.
   *
   * Errors: `BAD_REQUEST` for a `listSize` that is not 1 to 1000.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * await svc.social.postMessage({ context: "clerk@city", message: "Plan received. #urgent" });
   * const { tags } = await svc.social.searchTags({ searchFor: "urg" });
   * console.log(tags);
   * ```
   */
  searchTags: {
    summary: "Search the tags",
    method: "GET",
    path: "/tags",
    flags: {
      /** Text to search for. */
      searchFor,
      /** Maximum number of entries. */
      listSize,
    },
    answer: tagList,
    example: ["--search-for urg", "--search-for urg --list-size 5"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** A page of messages. */
export type MessagesAnswer = AnswerOf<Operations["listMessages"]>;

/** A message of a feed, as a list contains it. */
export type MessageInfo = MessagesAnswer["messages"][number];

/** A message of a feed. */
export type MessageAnswer = AnswerOf<Operations["getMessage"]>;

/** An operator, as messages name one. */
export type UserInfo = NonNullable<MessageAnswer["postedByUser"]>;

/** The likes of a message. */
export type LikesAnswer = AnswerOf<Operations["listLikes"]>;

/** A page of a feed. */
export type FeedAnswer = AnswerOf<Operations["getFeed"]>;

/** An entry of a feed: a message, or an entry of a case's history. */
export type FeedEntry = FeedAnswer["data"]["FeedList"]["pxResults"][number];

/** A message type and its form. */
export type MessageTypeAnswer = AnswerOf<Operations["getMessageType"]>;

/** Operators that can be mentioned. */
export type MentionsAnswer = AnswerOf<Operations["listMentions"]>;

/** An operator whom a text mentions or can mention. */
export type MentionInfo = MentionsAnswer[number];

/** Tags that messages use. */
export type UsedTagsAnswer = AnswerOf<Operations["searchTags"]>;

/** Parameters of `social.listMessages`. */
export type SocialListMessagesParams = ParamsOf<Operations["listMessages"]>;

/** Parameters of `social.postMessage`. */
export type SocialPostMessageParams = ParamsOf<Operations["postMessage"]>;

/** Parameters of `social.updateMessage`. */
export type SocialUpdateMessageParams = ParamsOf<Operations["updateMessage"]>;

/** Parameters of `social.getFeed`. */
export type SocialGetFeedParams = ParamsOf<Operations["getFeed"]>;

/** Parameters of `social.listMentions`. */
export type SocialListMentionsParams = ParamsOf<Operations["listMentions"]>;

/** Parameters of `social.listSuggestedTags`. */
export type SocialListSuggestedTagsParams = ParamsOf<Operations["listSuggestedTags"]>;

/** Parameters of `social.searchTags`. */
export type SocialSearchTagsParams = ParamsOf<Operations["searchTags"]>;
