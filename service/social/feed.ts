/** Feeds: messages and lines of case histories, newest first, page by page. */
import type { JsonObject } from "../../utils/json.ts";
import { ServiceError } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { Filter } from "../store/query.ts";
import type { Transaction } from "../store/store.ts";
import { type Message, type MessageKind, toMessage } from "./messages.ts";
import type { Place } from "./places.ts";
import { parseTimestamp, truncateToMilliseconds } from "../../utils/time/parse_timestamp.ts";
import { END_OF_TIME, timeOfEvent } from "./times.ts";

/** Where entries of a feed come from, with the names for people. */
export const SOURCES = { messages: "Messages", mentions: "Mentions", history: "History" } as const;

/** A source. */
export type Source = keyof typeof SOURCES;

/** Which entries are wanted. */
export interface FeedRequest {
  /** The sources. */
  readonly sources: ReadonlySet<Source>;
  /** Only entries before this time. */
  readonly before: string;
  /** Entries at most. */
  readonly size: number;
}

/** A line of a case's history. */
export interface HistoryLine {
  /** The case. */
  readonly caseId: string;
  /** Its time in feeds. */
  readonly postedAt: string;
  /** Operator who did it. */
  readonly author: string;
  /** What happened, e.g. `performed`. */
  readonly kind: string;
  /** A sentence for people. */
  readonly text: string;
}

/** An entry of a feed. */
export type Entry =
  | { readonly source: "messages" | "mentions"; readonly message: Message }
  | { readonly source: "history"; readonly line: HistoryLine };

/** A page of a feed. */
export interface FeedPage {
  /** Newest first. */
  readonly entries: readonly Entry[];
  /** Whether older ones follow. */
  readonly more: boolean;
}

/** Whose entries: the messages on a place alone, or, of the application, those on everything. */
export interface FeedOwner {
  /** The place. */
  readonly place: Place;
  /** Whether the application's cases and operators count. */
  readonly wide: boolean;
}

const DEFAULT_SIZE = 25;
const LARGEST_SIZE = 1000;
/** Messages that are read at a time. */
const CHUNK = 200;

/** What a caller asks for, checked. `All` and `ClearFilters` are what portals send for every source and for none. */
export function feedRequest(
  given: { filterBy?: string; olderThan?: string; pageSize?: number },
  offered: readonly Source[],
): FeedRequest {
  const before = given.olderThan === undefined ? END_OF_TIME : parseTimestamp(given.olderThan);
  if (before === undefined) throw new ServiceError(400, "olderThan: must be a date and time in ISO 8601.");
  const names = (given.filterBy ?? "All").split(",").map((name) => name.trim()).filter((name) => name !== "");
  const sources = names.flatMap((name) => {
    if (name === "All") return offered;
    if (name === "ClearFilters") return [];
    const source = offered.find((one) => one === name);
    if (source !== undefined) return source;
    throw new ServiceError(400, `filterBy: there is no source '${name}' here; available: ${offered.join(", ")}.`);
  });
  return { before, sources: new Set(sources), size: countOf("pageSize", given.pageSize, DEFAULT_SIZE) };
}

/** The number of entries that a caller asks for. */
export function countOf(name: string, given: number | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  if (given >= 1 && given <= LARGEST_SIZE) return given;
  throw new ServiceError(400, `${name}: must be from 1 to ${LARGEST_SIZE}.`);
}

/** A page of a feed. One entry more than fits is read of each source: it tells whether more follow. */
export async function readFeed(context: HandlerContext, owner: FeedOwner, request: FeedRequest): Promise<FeedPage> {
  const found: Entry[] = [
    ...await messagesIn(context, owner, request, "message"),
    ...await messagesIn(context, owner, request, "reply"),
    ...await historyIn(context.tx, owner, request),
  ];
  const entries = found.sort((a, b) => timeOf(a) < timeOf(b) ? 1 : -1);
  return { entries: entries.slice(0, request.size), more: entries.length > request.size };
}

async function messagesIn(
  context: HandlerContext,
  { place, wide }: FeedOwner,
  { sources, before, size }: FeedRequest,
  kind: MessageKind,
): Promise<Entry[]> {
  // A reply is with the message to which it replies; only who is mentioned in one finds it by itself.
  const possible: Source[] = kind === "reply" ? ["mentions"] : ["messages", "mentions"];
  if (!possible.some((source) => sources.has(source))) return [];
  const ofOperator = place.kind === "operator";
  const entries: Entry[] = [];
  for await (const message of newestFirst(context.tx, kind, ofOperator || wide ? undefined : place.id, before)) {
    const source = ofOperator ? sourceFor(place.id, context, message, kind) : "messages";
    if (source !== undefined && sources.has(source)) entries.push({ source, message });
    if (entries.length > size) break;
  }
  return entries;
}

/** How a message comes into an operator's feed, if it does. */
function sourceFor(
  operator: string,
  { app }: HandlerContext,
  { mentions, place, author, queue }: Message,
  kind: MessageKind,
): Exclude<Source, "history"> | undefined {
  if (mentions.includes(operator)) return "mentions";
  if (kind === "reply") return undefined;
  const queues = app.operators.get(operator)?.queues ?? [];
  const theirs = place === operator || author === operator || (queue !== undefined && queues.includes(queue));
  return theirs ? "messages" : undefined;
}

async function* newestFirst(
  tx: Transaction,
  kind: MessageKind,
  owner: string | undefined,
  before: string,
): AsyncGenerator<Message> {
  let end = before;
  while (true) {
    const messages = (await tx.itemsOf(kind, owner, { before: end, limit: CHUNK })).map(toMessage);
    yield* messages;
    const last = messages.at(-1);
    if (last === undefined || messages.length < CHUNK) return;
    end = last.postedAt;
  }
}

/** The newest lines of histories, with all lines of the last one's millisecond: their number gives each its time. */
async function historyIn(
  tx: Transaction,
  { place }: FeedOwner,
  { sources, before, size }: FeedRequest,
): Promise<Entry[]> {
  if (!sources.has("history")) return [];
  const millisecond = truncateToMilliseconds(before);
  const own = ownHistory(place);
  const skipped = await tx.countRows({ ...LINES, filter: both(own, at("EQ", millisecond)) });
  const limit = size + 1 + skipped;
  const rows = await tx.queryRows({ ...LINES, filter: both(own, at("LTE", millisecond)) }, { offset: 0, limit });
  const last = rows.at(-1)?.at;
  if (typeof last === "string" && rows.length === limit) {
    const group = await tx.queryRows({ ...LINES, filter: both(own, at("EQ", last)) }, { offset: 0, limit: -1 });
    rows.splice(rows.findIndex((row) => row.at === last), rows.length, ...group);
  }
  return withTimes(rows).filter(({ postedAt }) => postedAt < before).map((line) => ({ source: "history", line }));
}

const LINES = {
  source: { kind: "events" },
  columns: ["caseId", "at", "by", "kind", "text"].map((property) => ({ name: property, field: { property } })),
  sort: [{ column: "at", descending: true }],
} as const;

function ownHistory({ kind, id }: Place): Filter {
  if (kind === "application") return { and: [] };
  const field = { property: kind === "case" ? "caseId" : "by" };
  return { left: field, comparator: "EQ", right: { value: id } };
}

function at(comparator: "EQ" | "LTE", time: string): Filter {
  return { left: { property: "at" }, comparator, right: { value: time } };
}

function both(...filters: Filter[]): Filter {
  return { and: filters };
}

/** Lines of one millisecond come in the order in which they were written. */
function withTimes(rows: readonly JsonObject[]): HistoryLine[] {
  let index = 0;
  return rows.map(({ caseId, at, by, kind, text }, row) => {
    index = row > 0 && rows[row - 1]?.at === at ? index + 1 : 0;
    return {
      caseId: String(caseId),
      postedAt: timeOfEvent(String(at), index),
      author: String(by),
      kind: String(kind),
      text: String(text),
    };
  });
}

function timeOf(entry: Entry): string {
  return entry.source === "history" ? entry.line.postedAt : entry.message.postedAt;
}
