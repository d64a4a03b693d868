/** Conversations: messages with their replies, and feeds. */
import { htmlToText } from "../../lib/forms/html.ts";
import type { Surface } from "../../lib/output/format.ts";
import { filterObjects, isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import { displayWidth, padToWidth, wrapToWidth } from "../../utils/text/display_width.ts";
import { getShortId } from "../handles/handles.ts";
import { formatTimestamp, formatValue } from "./format_value.ts";
import { applyStyle, type Row } from "./page.ts";

/** Messages with their replies, and in a feed also events of case histories. */
export interface Conversation {
  /** The entries, in the order of the response. */
  readonly entries: readonly JsonObject[];
  /** Member of an entry that contains its text. */
  readonly textMember: "message" | "pyMessage";
  /** True if older entries follow. */
  readonly hasMore: boolean;
}

const INDENT = "  ";

/** Reads the conversation in a response with messages or a feed. Returns undefined for other responses. */
export function readConversation(value: JsonValue): Conversation | undefined {
  if (!isJsonObject(value)) return undefined;
  const { data, messages, hasMoreResults } = value;
  if (Array.isArray(messages)) {
    const entries = filterObjects(messages);
    const areMessages = entries.every(({ message, postedTime }) =>
      isNonEmptyString(message) && postedTime !== undefined
    );
    return areMessages ? { entries, textMember: "message", hasMore: hasMoreResults === true } : undefined;
  }
  const feed = isJsonObject(data) ? data.FeedList : undefined;
  if (!isJsonObject(feed)) return undefined;
  return { entries: filterObjects(feed.pxResults), textMember: "pyMessage", hasMore: feed.hasMoreResults === true };
}

/** Renders a conversation for people. Replies follow their message. */
export function renderConversation({ entries }: Conversation, surface: Surface): string {
  return entries.map((entry) => renderEntry(entry, "", surface).map((line) => line + "\n").join("")).join("\n");
}

/** Returns the rows of a table: each message, followed by its replies. */
export function listRows({ entries, textMember }: Conversation): JsonObject[] {
  const toRows = (entry: JsonObject, mark: string): JsonObject[] => [
    {
      postedTime: entry.postedTime,
      postedByUser: getAuthor(entry),
      [textMember]: mark + readText(entry),
      ...(isEvent(entry) ? {} : { id: getShortId(getId(entry)) }),
    },
    ...listReplies(entry).flatMap((reply) => toRows(reply, "↳ ")),
  ];
  return entries.flatMap((entry) => toRows(entry, ""));
}

/** Summarizes each message in a line, oldest first. `getLabel` returns a text to print before the author, e.g. the case. */
export function summarizeMessages({ entries }: Conversation, getLabel = (_: JsonObject) => ""): Row[] {
  const lines = entries.toReversed().map((entry) => ({ entry, label: getLabel(entry), author: getAuthor(entry) }));
  const widthOf = (texts: readonly string[]) => Math.max(0, ...texts.map(displayWidth));
  const labelWidth = widthOf(lines.map(({ label }) => label));
  const authorWidth = widthOf(lines.map(({ author }) => author));
  return lines.map(({ entry, label, author }) => {
    const replies = listReplies(entry).length;
    const text = readText(entry) + (replies === 0 ? "" : ` (${replies} ${replies === 1 ? "reply" : "replies"})`);
    const start = labelWidth === 0 ? "" : `${padToWidth(label, labelWidth)}  `;
    return { label: getTime(entry), lines: [`${start}${padToWidth(author, authorWidth)}  ${text}`] };
  });
}

/** Returns the value of `--older-than` for the next page, or undefined on the last page. */
export function findNextPage({ entries, hasMore }: Conversation): string | undefined {
  const time = entries.at(-1)?.postedTime;
  return hasMore && isNonEmptyString(time) ? time : undefined;
}

function renderEntry(entry: JsonObject, indent: string, surface: Surface): string[] {
  const { columns = Infinity } = surface;
  const text = indent + INDENT;
  const wrap = (line: string) => wrapToWidth(escapeToOneLine(line), columns - text.length).map((part) => text + part);
  const files = filterObjects(entry.attachments).map((file) => formatValue(file));
  const head = [
    applyStyle(getTime(entry), "dim", surface),
    applyStyle(escapeToOneLine(getAuthor(entry)), "bold", surface),
    ...(isEvent(entry) ? [] : [applyStyle(escapeToOneLine(getShortId(getId(entry))), "dim", surface)]),
  ].filter((part) => part !== "");
  return [
    indent + head.join("  "),
    ...readText(entry).split(/\r?\n/).flatMap(wrap),
    ...(files.length === 0 ? [] : wrap(`Files: ${files.join(", ")}`)),
    ...listReplies(entry).flatMap((reply) => ["", ...renderEntry(reply, text, surface)]),
  ];
}

function isEvent({ pyHistoryType }: JsonObject): boolean {
  return pyHistoryType !== undefined;
}

function listReplies({ replies, pxResults }: JsonObject): JsonObject[] {
  return filterObjects(replies ?? pxResults);
}

function getId({ id, ID, pzInsKey }: JsonObject): string {
  return [id, ID, pzInsKey].find(isNonEmptyString) ?? "";
}

function getTime({ postedTime }: JsonObject): string {
  return isNonEmptyString(postedTime) ? formatTimestamp(postedTime) : "";
}

function getAuthor({ postedByUser: user }: JsonObject): string {
  return isJsonObject(user) ? [user.name, user.ID].find(isNonEmptyString) ?? "" : "";
}

/** Returns the text of an entry with names of mentioned operators instead of their IDs. */
function readText({ message, pyMessage, mentions }: JsonObject): string {
  const text = [message, pyMessage].find(isNonEmptyString) ?? "";
  const plain = /^\s*<[a-z][^>]*>/i.test(text) ? htmlToText(text) : text;
  return filterObjects(mentions).reduce((result, { mentionsID: id, caption }) => {
    return isNonEmptyString(id) && isNonEmptyString(caption) ? result.replaceAll(`@${id}`, `@${caption}`) : result;
  }, plain);
}
