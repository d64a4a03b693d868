/** The places at which pages ended, so that the next page starts there instead of skipping all rows before it. */
import { createHash } from "node:crypto";
import type { Page } from "./query.ts";

/** Maximum number of queries whose places are remembered. The one that was used longest ago is forgotten first. */
const MAX_QUERIES = 1000;

/** Number of places to remember for each query. */
const MAX_PLACES = 20;

/** Milliseconds for which a place is remembered. */
const LIFETIME = 5 * 60_000;

/** Maximum size of a place that is remembered, in bytes. It contains the texts by which its row is sorted. */
const MAX_SIZE = 1000;

/** A row of a query: the number of rows up to it, and its place in the order. */
export interface PagePlace<Place> {
  /** Number of rows up to the place, including its row. */
  readonly offset: number;
  readonly place: Place;
}

interface Remembered<Place> extends PagePlace<Place> {
  readonly until: number;
}

/**
 * Remembers places by operator and query. A page continues from the place that the same operator has read before, so that
 * rows that are added or removed in the meantime neither repeat nor hide others. The first page starts again.
 */
export class PagePlaces<Place> {
  readonly #queries = new Map<string, Remembered<Place>[]>();
  readonly #now: () => number;

  /** Remembers places by a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Finds the last known place at or before an offset. */
  find(query: string, offset: number): PagePlace<Place> | undefined {
    const now = this.#now();
    return this.#queries.get(query)?.findLast((known) => known.offset <= offset && known.until > now);
  }

  /** Remembers the places of a page that starts at an offset. Forgets those after it, which may no longer follow it. */
  add(query: string, offset: number, places: readonly PagePlace<Place>[]): void {
    const earlier = offset === 0 ? [] : (this.#queries.get(query) ?? []).filter((known) => known.offset <= offset);
    this.#queries.delete(query);
    const until = this.#now() + LIFETIME;
    const known = [...earlier, ...places.map((one) => ({ ...one, until }))].slice(-MAX_PLACES);
    if (known.length > 0) this.#queries.set(query, known);
    if (this.#queries.size <= MAX_QUERIES) return;
    const [oldest] = this.#queries.keys();
    if (oldest !== undefined) this.#queries.delete(oldest);
  }
}

/** The pages that an operator reads. The place of a row is the values by which it is sorted, then its `seq`. */
export interface OperatorPages<Value> {
  readonly places: PagePlaces<readonly Value[]>;
  readonly operator: string;
}

/** The rows of a page, and the place of each. Groups have no places. */
export interface PlacedRows<Row, Value> {
  readonly rows: readonly Row[];
  readonly places: readonly (readonly Value[])[];
}

/** The statement of a query, which identifies it. */
interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Reads a page. `compile` returns the statement of the first page. `read` receives the page from the last known place before
 * it, and that place. Without `pages`, no place is known.
 */
export async function readPage<Row, Value>(
  pages: OperatorPages<Value> | undefined,
  compile: () => Statement,
  page: Page,
  read: (page: Page, after?: readonly Value[]) => Promise<PlacedRows<Row, Value>>,
): Promise<readonly Row[]> {
  if (pages === undefined) return (await read(page)).rows;
  const key = digestQuery(pages.operator, compile());
  const start = page.offset === 0 ? undefined : pages.places.find(key, page.offset);
  const { rows, places } =
    await (start ? read({ ...page, offset: page.offset - start.offset }, start.place) : read(page));
  if (places.length > 0) pages.places.add(key, page.offset, listLastPlaces(places, page.offset));
  return rows;
}

/** Computes a digest of an operator's query. A query may be long, and many are remembered. */
function digestQuery(operator: string, { sql, parameters }: Statement): string {
  const values = parameters.map((value) => typeof value === "bigint" ? { integer: String(value) } : value);
  return createHash("sha256").update(JSON.stringify([operator, sql, values])).digest("base64");
}

/** Lists the places of the last rows of a page. The next page starts after one of them: callers may read one more row. */
function listLastPlaces<Value>(places: readonly (readonly Value[])[], offset: number): PagePlace<readonly Value[]>[] {
  const end = offset + places.length;
  return places.slice(-2).map((place, index, last) => ({ offset: end - last.length + index + 1, place }))
    .filter(({ place }) => place.reduce((sum, value) => sum + measure(value), 0) <= MAX_SIZE);
}

function measure(value: unknown): number {
  return typeof value === "string" ? value.length : value instanceof Uint8Array ? value.byteLength : 0;
}
