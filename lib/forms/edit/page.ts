/** The state of the pages and rows of a form: what the service stored and shows, and what was entered. */
import { SvcError } from "../../errors.ts";
import { filterObjects, isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { formatPath, getObject, type Path } from "../path.ts";
import { listFiles } from "../values.ts";

/** An uploaded file. */
export interface AttachedFile {
  /** Temporary ID that the upload returned. */
  readonly ID: string;
  /** Name for people. */
  readonly name?: string;
}

/** The changed files of an attachment field. */
export interface FileChange {
  /** True if the field holds several files. */
  readonly isMultiple: boolean;
  /** Positions of the stored files that are removed. */
  readonly removed: readonly number[];
  /** Files to attach. */
  readonly added: readonly AttachedFile[];
}

/** A page: the content of the case, an embedded page, or the page of a row. */
export interface Page {
  /** Stored content; empty for a new row. */
  readonly stored: JsonObject;
  /** Content as the service has last computed it. */
  readonly shown: JsonObject;
  /** Entered values by property. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** Embedded pages in which something was entered. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Lists that were changed. */
  readonly lists: ReadonlyMap<string, List>;
  /** Changed files of attachment fields. */
  readonly files: ReadonlyMap<string, FileChange>;
}

/** The rows of a list. */
export interface List {
  readonly rows: readonly Row[];
  /** Number of stored rows. */
  readonly count: number;
}

/** A row of a list. */
export interface Row {
  /** Position in the stored list. New rows have none. */
  readonly origin?: number;
  readonly page: Page;
}

/** Creates a page in which nothing was entered. */
export function createPage(stored: JsonObject, shown: JsonObject = stored): Page {
  return { stored, shown, values: new Map(), pages: new Map(), lists: new Map(), files: new Map() };
}

/** Returns an embedded page. */
export function openPage(page: Page, name: string): Page {
  return page.pages.get(name) ?? createPage(getObject(page.stored, [name]), getObject(page.shown, [name]));
}

/** Returns a list. */
export function openList(page: Page, name: string): List {
  return page.lists.get(name) ?? readList(page, name);
}

function readList({ stored, shown }: Pick<Page, "stored" | "shown">, name: string): List {
  const before = filterObjects(stored[name]);
  const now = filterObjects(shown[name]);
  const rows = now.map((content, i): Row =>
    i < before.length ? { origin: i, page: createPage(before[i] ?? {}, content) } : { page: createPage({}, content) }
  );
  return { rows, count: before.length };
}

/** Returns the content of a page with what was entered. */
export function getContent({ stored, shown, values, pages, lists, files }: Page): JsonObject {
  const content: JsonObject = { ...shown };
  for (const [name, value] of values) content[name] = value;
  for (const [name, change] of files) content[name] = getFiles(stored[name], change);
  for (const [name, inner] of pages) content[name] = getContent(inner);
  for (const [name, { rows }] of lists) content[name] = rows.map(({ page }) => getContent(page));
  return content;
}

function getFiles(stored: JsonValue | undefined, { isMultiple, removed, added }: FileChange): JsonValue {
  const files = added.map(({ ID, name }): JsonObject => name === undefined ? { ID } : { ID, fileName: name });
  if (!isMultiple) return files[0] ?? "";
  const kept = listFiles(stored).filter(({ position }) => !removed.includes(position));
  return [...kept.map(({ file }) => file), ...files];
}

/** Reports whether something was entered in a page. */
export function hasEntries({ values, pages, lists, files }: Page): boolean {
  return values.size + pages.size + lists.size + files.size > 0;
}

/**
 * Returns a page without the entries that `isKept` refuses. It shows the stored values instead. If nothing is refused, it
 * is the same page.
 */
export function filterEntries(page: Page, isKept: (path: Path) => boolean, path: Path = []): Page {
  let hasChanged = false;
  const shown = { ...page.shown };
  const filter = <Value>(entries: ReadonlyMap<string, Value>): Map<string, Value> => {
    const kept = new Map(entries);
    for (const name of entries.keys()) {
      if (isKept([...path, name])) continue;
      kept.delete(name);
      shown[name] = page.stored[name];
      hasChanged = true;
    }
    return kept;
  };
  const filterPage = (inner: Page, at: Path): Page => {
    const filtered = filterEntries(inner, isKept, at);
    hasChanged ||= filtered !== inner;
    return filtered;
  };
  const values = filter(page.values);
  const files = filter(page.files);
  const pages = new Map([...page.pages].map(([name, inner]) => [name, filterPage(inner, [...path, name])]));
  const lists = new Map([...filter(page.lists)].map(([name, list]) => {
    const rows = list.rows.map((row, i) => ({ ...row, page: filterPage(row.page, [...path, name, i]) }));
    return [name, { ...list, rows }];
  }));
  return hasChanged ? { ...page, shown, values, pages, lists, files } : page;
}

/** Returns the page at a path; undefined if it leads to a row that does not exist. */
export function findPage(page: Page, [name, ...rest]: Path): Page | undefined {
  if (typeof name !== "string") return name === undefined ? page : undefined;
  const [row, ...further] = rest;
  if (typeof row !== "number") return findPage(openPage(page, name), rest);
  const found = openList(page, name).rows[row];
  return found && findPage(found.page, further);
}

/** Returns a page in which the page at a path is changed. */
export function updatePage(page: Page, path: Path, change: (page: Page) => Page): Page {
  const [name, row, ...rest] = path;
  if (typeof name !== "string") return change(page);
  if (typeof row !== "number") {
    return withEntry(page, "pages", name, updatePage(openPage(page, name), path.slice(1), change));
  }
  const list = openList(page, name);
  const found = list.rows[row];
  if (found === undefined) throw notFound(path, "row");
  const changed = { ...found, page: updatePage(found.page, rest, change) };
  return withEntry(page, "lists", name, { ...list, rows: list.rows.with(row, changed) });
}

/** Returns a page in which a list is changed. `change` also receives the stored list. */
export function updateList(page: Page, path: Path, change: (list: List, stored: List) => List): Page {
  const name = path.at(-1);
  if (typeof name !== "string") throw notFound(path, "list");
  return updatePage(
    page,
    path.slice(0, -1),
    (holder) =>
      withEntry(
        holder,
        "lists",
        name,
        change(openList(holder, name), readList({ ...holder, shown: holder.stored }, name)),
      ),
  );
}

function notFound(path: Path, thing: string): SvcError {
  return new SvcError("INVALID_ARGS", `The content of this form has no ${thing} '${formatPath(path)}'.`);
}

/** Returns a page in which a value was entered. */
export function withValue(page: Page, name: string, value: JsonValue): Page {
  return withEntry(page, "values", name, value);
}

/** Returns a page that shows a value which is not submitted. */
export function withShown(page: Page, name: string, value: JsonValue): Page {
  const values = new Map(page.values);
  values.delete(name);
  return { ...page, shown: { ...page.shown, [name]: value }, values };
}

/** Returns a page in which the files of an attachment field are changed. Without a change, they are the stored ones. */
export function withFiles(page: Page, name: string, change?: FileChange): Page {
  if (change !== undefined) return withEntry(page, "files", name, change);
  const others = new Map(page.files);
  others.delete(name);
  return { ...page, files: others };
}

function withEntry<Member extends "values" | "pages" | "lists" | "files">(
  page: Page,
  member: Member,
  name: string,
  value: Page[Member] extends ReadonlyMap<string, infer Value> ? Value : never,
): Page {
  return { ...page, [member]: new Map<string, unknown>([...page[member], [name, value]]) };
}

/** Decides whether an entered value at a path was part of the request that the service has computed. */
export type WasSent = (path: Path) => boolean;

/** Continues with content that the service has computed. Its values replace those that were sent. */
export function applyComputed(page: Page, computed: JsonObject, wasSent: WasSent, path: Path = []): Page {
  const shown = mergeContent(page.shown, computed);
  const values = new Map([...page.values].map(([name, value]) => {
    return [name, wasSent([...path, name]) ? computed[name] ?? value : value];
  }));
  const pages = new Map([...page.pages].map(([name, inner]) => {
    const part = computed[name];
    return [name, isJsonObject(part) ? applyComputed(inner, part, wasSent, [...path, name]) : inner];
  }));
  const lists = new Map([...page.lists].map(([name, list]) => {
    const rows = computed[name];
    return [
      name,
      Array.isArray(rows) && wasSent([...path, name]) ? applyRows(list, rows, wasSent, [...path, name]) : list,
    ];
  }));
  return { ...page, shown, values, pages, lists };
}

/** The service returns the rows in the order in which they were submitted. */
function applyRows({ rows, count }: List, computed: readonly JsonValue[], wasSent: WasSent, path: Path): List {
  return {
    count,
    rows: computed.map((content, i): Row => {
      const row = rows[i] ?? { page: createPage({}) };
      const isPlaceholder = !isJsonObject(content) || Object.keys(content).length === 0;
      return isPlaceholder ? row : { ...row, page: applyComputed(row.page, content, wasSent, [...path, i]) };
    }),
  };
}

/** Merges content by member. Lists are replaced, except for rows that the service left out. */
export function mergeContent(old: JsonObject, computed: JsonObject): JsonObject {
  const merged = { ...old };
  for (const [name, value] of Object.entries(computed)) {
    const before = old[name];
    if (isJsonObject(before) && isJsonObject(value)) merged[name] = mergeContent(before, value);
    else if (Array.isArray(before) && Array.isArray(value)) {
      merged[name] = value.map((row, i) => {
        const known = before[i];
        const isPlaceholder = isJsonObject(row) && Object.keys(row).length === 0;
        return isPlaceholder && known !== undefined ? known : row;
      });
    } else merged[name] = value;
  }
  return merged;
}

/** Continues with newly stored content. Entries are kept, but not those of lists whose stored rows have changed. */
export function rebase(page: Page, stored: JsonObject, path: Path = []): { page: Page; lost: Path[] } {
  const lost: Path[] = [];
  const pages = new Map([...page.pages].map(([name, inner]) => {
    const rebased = rebase(inner, getObject(stored, [name]), [...path, name]);
    lost.push(...rebased.lost);
    return [name, rebased.page];
  }));
  const lists = new Map([...page.lists].filter(([name]) => {
    const isSame = JSON.stringify(filterObjects(page.stored[name])) === JSON.stringify(filterObjects(stored[name]));
    if (!isSame) lost.push([...path, name]);
    return isSame;
  }));
  return { page: { ...page, stored, shown: stored, pages, lists }, lost };
}
