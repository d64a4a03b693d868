/**
 * What a store may derive from its rows, so that queries do not read all of them. The rules are data: every database derives
 * the same from them.
 */
import { isJsonObject, isString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { ExactNumber } from "../../utils/exact_number.ts";
import type { Filter, RowField, RowQuery } from "./query.ts";
import type { StoredItem } from "./store.ts";

/** A member of the items of a kind. It is a text or a list of texts. */
export interface ItemMember {
  readonly kind: string;
  /** Name of the member of the content. `undefined` stands for the owner. */
  readonly member?: string;
}

/** Members whose texts are counted. */
export const COUNTED_MEMBERS: readonly (ItemMember & { readonly member: string })[] = [
  { kind: "caseTag", member: "name" },
  ...["message", "reply"].flatMap((kind) => ["tags", "author", "mentions"].map((member) => ({ kind, member }))),
];

/** Members that name recipients of messages, with the role of the recipient. */
export const RECIPIENT_MEMBERS: readonly (ItemMember & { readonly role: RecipientRole })[] = [
  { kind: "message", member: "mentions", role: "mention" },
  { kind: "message", member: "author", role: "operator" },
  { kind: "message", member: "queue", role: "queue" },
  { kind: "message", role: "operator" },
  { kind: "reply", member: "mentions", role: "mention" },
];

/** The role of a recipient: the author or the place, an operator who is mentioned, or a queue. */
export type RecipientRole = "operator" | "mention" | "queue";

/** Returns the name of a recipient. */
export function nameRecipient(role: RecipientRole, id: string): string {
  return `${role} ${id}`;
}

/** Reports whether the texts of a member are counted. */
export function isCounted(kind: string, member: string): boolean {
  return COUNTED_MEMBERS.some((one) => one.kind === kind && one.member === member);
}

/** Reports whether anything is derived from the items of a kind. */
export function isDerivedFrom(kind: string): boolean {
  return [...COUNTED_MEMBERS, ...RECIPIENT_MEMBERS].some((one) => one.kind === kind);
}

/** Lists the counted texts of an item. */
export function listCountedTexts(item: StoredItem): { readonly member: string; readonly text: string }[] {
  return COUNTED_MEMBERS.filter(({ kind }) => kind === item.kind)
    .flatMap(({ member }) => readTexts(item.content[member]).map((text) => ({ member, text })));
}

/** Lists the names of an item's recipients. */
export function listRecipients(item: StoredItem): string[] {
  const names = RECIPIENT_MEMBERS.filter(({ kind }) => kind === item.kind).flatMap(({ member, role }) => {
    const ids = member === undefined ? [item.owner] : readTexts(item.content[member]);
    return ids.map((id) => nameRecipient(role, id));
  });
  return [...new Set(names)];
}

function readTexts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter(isString) : isString(value) ? [value] : [];
}

/** Minimum number of characters of a text that an index of three characters can find. */
const MIN_SEARCH = 3;

/** Number of characters from which the rest of a text is left to the comparison with the row. */
const MAX_SEARCH = 200;

/** Maximum number of texts to search for at once. */
const MAX_SEARCHES = 20;

/** Builds the text in which a case is searched: its number, and every value of its content. */
export function buildSearchText(businessId: string, content: JsonObject): string {
  return foldSearchText([businessId, ...listValues(content)].join("\n"));
}

function listValues(value: JsonValue | undefined): string[] {
  if (isString(value)) return [value];
  if (typeof value === "number" || value instanceof ExactNumber) return [String(value)];
  if (Array.isArray(value)) return value.flatMap(listValues);
  return isJsonObject(value) ? Object.values(value).flatMap(listValues) : [];
}

/**
 * Ignores case as queries do, and also whether a sigma ends a word: a part of a word may end elsewhere. Thus the text of a
 * case contains each part of its values.
 */
export function foldSearchText(text: string): string {
  return text.toWellFormed().toLowerCase().replaceAll("ς", "σ");
}

/**
 * Finds texts. Each matching case contains at least one of them. Returns undefined if a filter does not require a text, or if
 * other conditions find the cases sooner: those on an identifier, or on a field with an index of its own.
 */
export function findSearchTexts(
  filter: Filter | undefined,
  isIndexed: (field: RowField) => boolean = () => false,
): readonly string[] | undefined {
  const hasIndex = (part: Filter) => isIdentity(part) || isValueOf(part, isIndexed);
  return filter === undefined || hasIndex(filter) || ("and" in filter && filter.and.some(hasIndex))
    ? undefined
    : findTexts(filter);
}

function findTexts(filter: Filter): readonly string[] | undefined {
  if ("not" in filter || "isNull" in filter) return undefined;
  if ("and" in filter) {
    const found = filter.and.map(findTexts).filter((texts) => texts !== undefined);
    return found.toSorted((a, b) => measureShortest(b) - measureShortest(a))[0];
  }
  if ("or" in filter) return mergeTexts(filter.or.map(findTexts));
  if ("in" in filter) return mergeTexts(filter.in.map((value) => readSearch(filter.field, value)));
  return "value" in filter.right && !["GT", "GTE", "LT", "LTE"].includes(filter.comparator)
    ? readSearch(filter.left, filter.right.value)
    : undefined;
}

/** Reports whether a filter finds single cases by an index. */
function isIdentity(filter: Filter): boolean {
  return "left" in filter && filter.comparator === "EQ" && "property" in filter.left &&
    ["id", "businessId", "parentId"].includes(filter.left.property);
}

/** Reports whether a filter requires one of several values of a field. */
function isValueOf(filter: Filter, isField: (field: RowField) => boolean): boolean {
  if ("in" in filter) return filter.ignoreCase !== true && isField(filter.field);
  return "left" in filter && filter.comparator === "EQ" && "value" in filter.right && filter.ignoreCase !== true &&
    isField(filter.left);
}

/** Characters of the JSON of lists and pages. Such values compare as their JSON, which the text of a case does not contain. */
const JSON_SYNTAX = /["[\]{}]/;

/** Returns a text to search for. A text that is not well-formed, or that has a NUL, compares in ways of its own. */
function readSearch(field: RowField, value: unknown): readonly string[] | undefined {
  const isSearched = "property" in field ? field.property === "businessId" : field.content.length > 0;
  if (!isSearched || !isString(value) || /[\0\ufffd]/.test(value) || !value.isWellFormed()) return undefined;
  if ("content" in field && JSON_SYNTAX.test(value)) return undefined;
  const characters = [...foldSearchText(value)].slice(0, MAX_SEARCH);
  return characters.length < MIN_SEARCH ? undefined : [characters.join("")];
}

/** Reports whether the rows of a query are cases in the order of their creation, the newest first. */
export function isNewestFirst({ sort = [], columns, distinct }: RowQuery): boolean {
  const field = columns.find(({ name }) => name === sort[0]?.column)?.field;
  const isSorted = field !== undefined && "property" in field && field.property === "createdAt" && sort[0]?.descending;
  return isSorted === true && distinct !== true && columns.every(({ summary }) => summary === undefined);
}

function mergeTexts(parts: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const texts = new Set<string>();
  for (const part of parts) {
    if (part === undefined) return undefined;
    for (const text of part) texts.add(text);
  }
  return texts.size > 0 && texts.size <= MAX_SEARCHES ? [...texts] : undefined;
}

function measureShortest(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length));
}
