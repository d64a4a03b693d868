/** What the service answers of messages and feeds. */
import type { JsonObject } from "../../utils/json.ts";

/** An operator, as messages name one. */
export interface UserInfo extends JsonObject {
  /** Name for people. */
  name: string;
  /** Operator ID. */
  ID?: string;
}

/** An operator whom a text mentions, or may mention. */
export interface MentionAnswer extends JsonObject {
  /** Name for people. */
  caption: string;
  /** Operator ID: `@` and this ID in a text mention the operator. */
  mentionsID: string;
}

/** A message of a feed. */
export interface MessageAnswer extends JsonObject {
  /** Message ID: what the other operations take as `messageID`, and what a reply takes as `context`. */
  id: string;
  /** Its text. */
  message: string;
  /** Entity tag of the text, for `ifMatch`. */
  etag?: string;
  /** Context ID of the case, operator or application on which it is. */
  context?: string;
  /** Of a reply: the message to which it replies. */
  parentID?: string;
  /** When it was posted, to the nanosecond: what `olderThan` takes. */
  postedTime?: string;
  /** When its text was changed last. */
  updatedTime?: string;
  /** Who wrote it. */
  postedByUser?: UserInfo;
  /** Whom its text mentions. */
  mentions?: MentionAnswer[];
  /** The tags in its text, in small letters and without `#`. */
  tags?: string[];
  /** `pxLikeCount`, and `pxIsLiked`: whether the caller likes it. */
  likes?: JsonObject;
  /** The replies to it, oldest first. */
  replies?: MessageAnswer[];
}

/** A page of messages. */
export interface MessagesAnswer extends JsonObject {
  /** Newest first, each with its replies. */
  messages: MessageAnswer[];
  /** Whether older ones follow. */
  hasMoreResults?: boolean;
}

/** An entry of a feed: a message, or a line of a case's history. */
export interface FeedEntry extends JsonObject {
  /** ID of the message or of the line. */
  pzInsKey: string;
  /** Its source, e.g. `messages` or `history`. */
  pyFeedSourceReference?: string;
  /** The text. */
  pyMessage?: string;
  /** When, to the nanosecond: what `olderThan` takes. */
  postedTime?: string;
  /** The replies to a message, oldest first. */
  pxResults?: FeedEntry[];
}

/** The entries of a feed. */
export interface FeedList extends JsonObject {
  /** Newest first. */
  pxResults: FeedEntry[];
  /** Whether older ones follow. */
  hasMoreResults?: boolean;
}

/** What a feed answers. */
export interface FeedData extends JsonObject {
  /** One page of its entries. */
  FeedList: FeedList;
  /** In `pxResults`, its sources: `pyFeedSourceReference`, `pyLabel` and `pySelected`. */
  FeedFilters?: JsonObject;
}

/** A page of a feed. */
export interface FeedAnswer extends JsonObject {
  /** Entries and sources. */
  data: FeedData;
}

/** Tags that messages use. */
export interface UsedTagsAnswer extends JsonObject {
  /** In small letters and without `#`. */
  tags: string[];
}
