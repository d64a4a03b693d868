/** Feeds: messages and history entries, newest first, page by page. */
import type { JsonObject } from "../../utils/json.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { parseTimestamp, truncateToMilliseconds } from "../../utils/time/parse_timestamp.ts";
import { Invalid } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { Filter } from "../store/query.ts";
import type { CallerTransaction } from "../access/caller_transaction.ts";
import { nameRecipient } from "../store/derived.ts";
import { type Message, type MessageKind, type MessagePlace, toMessage } from "./messages.ts";
import { END_OF_TIME, toHistoryTime } from "./times.ts";

/** The sources of feeds, with their labels. */
export const SOURCES = { messages: "Messages", mentions: "Mentions", history: "History" } as const;

/** A source of a feed. */
export type Source = keyof typeof SOURCES;

/** The entries that a request asks for. */
export interface FeedRequest {
  readonly sources: ReadonlySet<Source>;
  /** Only entries before this time. */
  readonly before: string;
  /** Maximum number of entries. */
  readonly size: number;
}

/** An entry of a case's history. */
export interface HistoryEntry {
  readonly caseId: string;
  /** Time in feeds, to the nanosecond. */
  readonly postedAt: string;
  /** Operator ID of the author. */
  readonly author: string;
  /** The kind of event, e.g. `performed`. */
  readonly kind: string;
  readonly text: string;
}

/** An entry of a feed. */
export type FeedItem =
  | { readonly source: "messages" | "mentions"; readonly message: Message }
  | { readonly source: "history"; readonly event: HistoryEntry };

/** A page of a feed. */
export interface FeedPage {
  /** Entries, newest first. */
  readonly entries: readonly FeedItem[];
  /** True if older entries follow. */
  readonly more: boolean;
}

/** The owner of a feed. */
export interface FeedOwner {
  readonly place: MessagePlace;
  /** True if the feed contains the messages of all places, not only those of its own. */
  readonly wide: boolean;
}

const DEFAULT_SIZE = 25;
const MAX_SIZE = 1000;
/** Number of messages to read at a time. */
const CHUNK = 200;

/** Reads the parameters of a feed. Portals send `All` for every source and `ClearFilters` for no source. */
export function readFeedRequest(
  { filterBy = "All", olderThan, pageSize }: { filterBy?: string; olderThan?: string; pageSize?: number },
  offered: readonly Source[],
): FeedRequest {
  const before = olderThan === undefined ? END_OF_TIME : parseTimestamp(olderThan);
  if (before === undefined) throw new Invalid("olderThan: must be a date and time in ISO 8601.");
  const names = filterBy.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const sources = names.flatMap((name) => {
    if (name === "All") return offered;
    if (name === "ClearFilters") return [];
    const source = offered.find((one) => one === name);
    if (source !== undefined) return source;
    throw new Invalid(`filterBy: there is no source '${name}' here${suggestAlternatives(name, offered)}`);
  });
  return { before, sources: new Set(sources), size: readSize("pageSize", pageSize, DEFAULT_SIZE) };
}

/** Reads the number of entries that a request asks for. */
export function readSize(name: string, size: number | undefined, fallback: number): number {
  if (size === undefined) return fallback;
  if (size >= 1 && size <= MAX_SIZE) return size;
  throw new Invalid(`${name}: must be from 1 to ${MAX_SIZE}.`);
}

/** Reads a page of a feed. */
export async function readFeed(context: HandlerContext, owner: FeedOwner, request: FeedRequest): Promise<FeedPage> {
  // Each source returns one entry more than fits, which shows whether others follow.
  const found: FeedItem[] = [
    ...await readMessages(context, owner, request, "message"),
    ...await readMessages(context, owner, request, "reply"),
    ...await readHistory(context.tx, owner, request),
  ];
  const entries = found.sort((a, b) => getTime(a) < getTime(b) ? 1 : -1);
  return { entries: entries.slice(0, request.size), more: entries.length > request.size };
}

async function readMessages(
  context: HandlerContext,
  { place, wide }: FeedOwner,
  { sources, before, size }: FeedRequest,
  kind: MessageKind,
): Promise<FeedItem[]> {
  // A message contains its replies. Only a reply that mentions the operator is an entry of its own.
  const possible: Source[] = kind === "reply" ? ["mentions"] : ["messages", "mentions"];
  if (!possible.some((source) => sources.has(source))) return [];
  const isOperator = place.kind === "operator";
  const entries: FeedItem[] = [];
  const owner = isOperator || wide ? undefined : place.id;
  const recipients = isOperator ? listRecipients(place.id, context, sources, kind) : undefined;
  for await (const message of readNewestFirst(context.tx, { kind, owner, recipients, before })) {
    const source = isOperator ? findSource(place.id, context, message, kind) : "messages";
    if (source !== undefined && sources.has(source)) entries.push({ source, message });
    if (entries.length > size) break;
  }
  return entries;
}

/** Lists the recipients whose messages can be in the feed of an operator. */
function listRecipients(
  operator: string,
  { app }: HandlerContext,
  sources: ReadonlySet<Source>,
  kind: MessageKind,
): string[] {
  const queues = app.operators.get(operator)?.queues ?? [];
  const hasOwn = kind === "message" && sources.has("messages");
  return [
    ...(sources.has("mentions") ? [nameRecipient("mention", operator)] : []),
    ...(hasOwn ? [nameRecipient("operator", operator), ...queues.map((id) => nameRecipient("queue", id))] : []),
  ];
}

/** Finds the source by which a message is in the feed of an operator. Returns undefined if it is not. */
function findSource(
  operator: string,
  { app }: HandlerContext,
  { mentions, place, author, queue }: Message,
  kind: MessageKind,
): Exclude<Source, "history"> | undefined {
  if (mentions.includes(operator)) return "mentions";
  if (kind === "reply") return undefined;
  const queues = app.operators.get(operator)?.queues ?? [];
  const isOwn = place === operator || author === operator || (queue !== undefined && queues.includes(queue));
  return isOwn ? "messages" : undefined;
}

async function* readNewestFirst(
  tx: CallerTransaction,
  { kind, owner, recipients, before }: {
    readonly kind: MessageKind;
    readonly owner: string | undefined;
    readonly recipients: readonly string[] | undefined;
    readonly before: string;
  },
): AsyncGenerator<Message> {
  let end = before;
  while (true) {
    const range = { before: end, limit: CHUNK, ...(recipients && { recipients }) };
    const messages = (await tx.listItems(kind, owner, range)).map(toMessage);
    for (const message of messages) if (await tx.isVisible(message.place)) yield message;
    const last = messages.at(-1);
    if (last === undefined || messages.length < CHUNK) return;
    end = last.postedAt;
  }
}

/** Reads history entries. It reads every entry of the last millisecond, because their number decides their times. */
async function readHistory(
  tx: CallerTransaction,
  { place }: FeedOwner,
  { sources, before, size }: FeedRequest,
): Promise<FeedItem[]> {
  if (!sources.has("history")) return [];
  const millisecond = truncateToMilliseconds(before);
  const read = (comparator: "EQ" | "LTE", time: string, limit: number) =>
    tx.queryRows({ ...HISTORY, filter: filterHistory(place, comparator, time) }, { offset: 0, limit });
  const skipped = await tx.countRows({ ...HISTORY, filter: filterHistory(place, "EQ", millisecond) });
  const limit = size + 1 + skipped;
  const rows = await read("LTE", millisecond, limit);
  const last = rows.at(-1)?.at;
  if (typeof last === "string" && rows.length === limit) {
    rows.splice(rows.findIndex((row) => row.at === last), rows.length, ...await read("EQ", last, -1));
  }
  return toHistoryEntries(rows)
    .filter(({ postedAt }) => postedAt < before)
    .map((event) => ({ source: "history", event }));
}

const HISTORY = {
  source: { kind: "events" },
  columns: ["caseId", "at", "by", "kind", "text"].map((property) => ({ name: property, field: { property } })),
  sort: [{ column: "at", descending: true }],
} as const;

function filterHistory({ kind, id }: MessagePlace, comparator: "EQ" | "LTE", time: string): Filter {
  const atTime: Filter = { left: { property: "at" }, comparator, right: { value: time } };
  if (kind === "application") return atTime;
  const field = { property: kind === "case" ? "caseId" : "by" };
  return { and: [{ left: field, comparator: "EQ", right: { value: id } }, atTime] };
}

/** Converts rows, which have the order of their creation within a millisecond. */
function toHistoryEntries(rows: readonly JsonObject[]): HistoryEntry[] {
  let index = 0;
  return rows.map(({ caseId, at, by, kind, text }, row) => {
    index = row > 0 && rows[row - 1]?.at === at ? index + 1 : 0;
    return {
      caseId: String(caseId),
      postedAt: toHistoryTime(String(at), index),
      author: String(by),
      kind: String(kind),
      text: String(text),
    };
  });
}

function getTime(entry: FeedItem): string {
  return entry.source === "history" ? entry.event.postedAt : entry.message.postedAt;
}
