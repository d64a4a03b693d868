/** The operations of `svc social`. */
import type { Group } from "../operation.ts";

const messageID = {
  name: "messageID",
  help: "Message ID",
  type: "string",
  to: "path:messageID",
  required: true,
} as const;

const filterFor = { help: "Context ID or user ID", type: "string", to: "query:filterFor", required: true } as const;
const filterBy = { help: "Feed sources, separated by commas", type: "string", to: "query:filterBy" } as const;
const pageSize = { help: "Entries to answer at most", type: "integer", to: "query:pageSize" } as const;
const olderThan = { help: "Only entries before this date and time", type: "string", to: "query:olderThan" } as const;
const context = { help: "Context ID", type: "string", to: "query:context" } as const;
const searchFor = { help: "Text to look for", type: "string", to: "query:searchFor" } as const;
const listSize = { help: "Entries to answer at most", type: "integer", to: "query:listSize" } as const;
const message = { help: "Text of the message", type: "string", to: "body:message", required: true } as const;
const routeToWorkbasket = { help: "Queue to route to", type: "string", to: "body:pyRouteToWorkbasket" } as const;

/** The operations by name. */
export const operations = {
  listMessages: {
    summary: "List the messages of a case, an operator or the application",
    method: "GET",
    path: "/messages",
    flags: { filterBy: { ...filterBy, required: true }, filterFor, pageSize, olderThan },
    answer: "object",
    example: "--filter-by messages --filter-for 'CITY-PERMIT-WORK P-1'",
  },
  postMessage: {
    summary: "Post a message, or a reply to one",
    method: "POST",
    path: "/messages",
    flags: {
      context: {
        help: "Context ID: a case, a user, or the message to reply to",
        type: "string",
        to: "body:context",
        required: true,
      },
      message,
      routeToWorkbasket,
      messageType: { help: "Message type", type: "string", to: "query:message-type" },
    },
    answer: "message",
    status: 201,
    example: "--context 'CITY-PERMIT-WORK P-1' --message 'Plan received, @clerk@city'",
  },
  getMessage: {
    summary: "Read a message",
    method: "GET",
    path: "/messages/{messageID}",
    args: [messageID],
    answer: "message",
    example: "'PEGASOCIAL-MESSAGE M-1'",
  },
  updateMessage: {
    summary: "Change the text of a message",
    method: "PUT",
    path: "/messages/{messageID}",
    args: [messageID],
    flags: { message, routeToWorkbasket },
    answer: "message",
    example: "'PEGASOCIAL-MESSAGE M-1' --message 'Plan received and complete'",
  },
  deleteMessage: {
    summary: "Delete a message",
    method: "DELETE",
    path: "/messages/{messageID}",
    args: [messageID],
    answer: "nothing",
    example: "'PEGASOCIAL-MESSAGE M-1'",
  },
  likeMessage: {
    summary: "Like a message",
    method: "POST",
    path: "/messages/{messageID}/likes",
    args: [messageID],
    answer: "text",
    example: "'PEGASOCIAL-MESSAGE M-1'",
  },
  listLikes: {
    summary: "List who likes a message",
    method: "GET",
    path: "/messages/{messageID}/likes",
    args: [messageID],
    answer: "object",
    example: "'PEGASOCIAL-MESSAGE M-1'",
  },
  unlikeMessage: {
    summary: "Take back the like of a message",
    method: "DELETE",
    path: "/messages/{messageID}/likes",
    args: [messageID],
    answer: "text",
    example: "'PEGASOCIAL-MESSAGE M-1'",
  },
  getFeed: {
    summary: "Read a feed: messages and case history, newest first",
    method: "GET",
    path: "/feeds/{feedID}",
    args: [{ name: "feedID", help: "Feed ID, e.g. pyCaseFeed", type: "string", to: "path:feedID", required: true }],
    flags: {
      filterFor,
      olderThan,
      pageSize,
      feedClass: { help: "Class of the feed rule", type: "string", to: "query:feedClass" },
      filterBy,
    },
    answer: "object",
    example: "pyCaseFeed --filter-for 'CITY-PERMIT-WORK P-1' --page-size 20",
  },
  getMessageType: {
    summary: "Read the form of a message type",
    method: "GET",
    path: "/message-types/{type}",
    args: [{ name: "type", help: "Class ID of the message type", type: "string", to: "path:type", required: true }],
    answer: "object",
    example: "Pega-Social-Message",
  },
  listMentionTypes: {
    summary: "List what can be mentioned",
    method: "GET",
    path: "/mention_types",
    answer: "any",
    example: "",
  },
  listMentions: {
    summary: "List what a mention can name",
    method: "GET",
    path: "/mentions",
    flags: {
      mentionsType: { help: "Type of mention, e.g. Users", type: "string", to: "query:mentionsType", required: true },
      context,
      searchFor,
      listSize,
    },
    answer: "any",
    example: "--mentions-type Users --search-for cle",
  },
  listSuggestedTags: {
    summary: "List the tags that are used most",
    method: "GET",
    path: "/suggested_tags",
    flags: { context },
    answer: "object",
    example: "--context 'CITY-PERMIT-WORK P-1'",
  },
  searchTags: {
    summary: "Search the tags",
    method: "GET",
    path: "/tags",
    flags: { searchFor, listSize },
    answer: "object",
    example: "--search-for urg",
  },
} as const satisfies Group;
