/** Loads the values that can be chosen in a form. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isScalar,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { compareForPeople } from "../../utils/text/collator.ts";
import type { Choice, ChoiceQuery } from "./nodes.ts";
import { getAt } from "./path.ts";

/** Rows of a data view. */
export interface ChoiceRows {
  /** The rows. */
  readonly rows: readonly JsonObject[];
  /** True if there are more rows. */
  readonly hasMore: boolean;
}

/** Reads rows of a data view, e.g. with the client of this library. */
export interface ChoiceSource {
  /** Reads rows. `select` is given if the data view is queryable. */
  load(request: {
    readonly dataView: string;
    readonly parameters: JsonObject;
    readonly select?: readonly string[] | undefined;
  }): Promise<ChoiceRows>;
}

/** Choices that were loaded. */
export interface LoadedChoices {
  /** The choices. */
  readonly choices: readonly Choice[];
  /** True if there are more. */
  readonly hasMore: boolean;
  /** The error, if the choices could not be loaded. A value can then be typed. */
  readonly error?: unknown;
}

/** Loads choices, each query once for the same parameters. An error is not kept. */
export class ChoiceLoader {
  readonly #source: ChoiceSource;
  readonly #known = new Map<string, Promise<ChoiceRows>>();

  /** Loads from a source. */
  constructor(source: ChoiceSource) {
    this.#source = source;
  }

  /** Returns the choices of a field or a reference. Never throws. */
  async load({ choices = [], query }: { choices?: readonly Choice[]; query?: ChoiceQuery }): Promise<LoadedChoices> {
    if (query === undefined) return { choices, hasMore: false };
    const { dataView, parameters, isQueryable, key, otherKeys = [], text, columns, setters } = query;
    const names = [key, ...otherKeys, text, ...columns.map(({ path }) => path), ...setters.map(({ column }) => column)];
    const select = isQueryable ? [...new Set(names.filter(isNonEmptyString))] : undefined;
    const name = JSON.stringify([dataView, Object.entries(parameters).sort(([a], [b]) => a < b ? -1 : 1), select]);
    try {
      const loading = this.#known.get(name) ?? this.#source.load({ dataView, parameters, select });
      this.#known.set(name, loading);
      const { rows, hasMore } = await loading;
      const loaded = toChoices(rows, query);
      return { choices: hasMore ? loaded : loaded.sort((a, b) => compareForPeople(a.text, b.text)), hasMore };
    } catch (error) {
      this.#known.delete(name);
      return { choices: [], hasMore: false, error };
    }
  }
}

/** Converts rows to choices. Rows without a key are left out. */
export function toChoices(
  rows: readonly JsonObject[],
  { key, text, columns }: Pick<ChoiceQuery, "key" | "text" | "columns">,
): Choice[] {
  return rows.flatMap((row): Choice[] => {
    const value = readColumn(row, key);
    if (value === undefined || value === null || !isScalar(value)) return [];
    const texts = [text, ...columns.map(({ path }) => path).filter((path) => path !== key)]
      .map((path) => readColumn(row, path)).filter(isScalar).map(String);
    return [{ key: value, text: texts.find(isNonEmptyString) ?? String(value), row }];
  });
}

/** Reads a column, whose name may be a path such as `Depot.City`. */
export function readColumn(row: JsonObject, path: string): JsonValue | undefined {
  if (path === "") return undefined;
  return Object.hasOwn(row, path) ? row[path] : getAt(row, path.split("."));
}

/** The part of a client that a `ChoiceSource` needs. */
export interface QueryClient {
  /** Operations on data. */
  readonly data: {
    /** Queries a data view. */
    query(dataView: string, parameters: { data: JsonObject }): PromiseLike<object>;
  };
}

/** Number of rows that are read at most. */
const MAX_ROWS = 5000;

/** Returns a source that queries data views with a client of this library. */
export function createChoiceSource(client: QueryClient): ChoiceSource {
  return {
    async load({ dataView, parameters, select }) {
      const data: JsonObject = {
        ...(Object.keys(parameters).length > 0 && { dataViewParameters: parameters }),
        ...(select && { query: { select: select.map((field) => ({ field })) } }),
        paging: { maxResultsToFetch: MAX_ROWS },
      };
      const answer: object = await client.data.query(dataView, { data });
      if (!isJsonObject(answer)) return { rows: [], hasMore: false };
      return { rows: filterObjects(answer.data), hasMore: answer.hasMoreResults === true };
    },
  };
}
