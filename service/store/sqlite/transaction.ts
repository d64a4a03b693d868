// deno-lint-ignore-file require-await -- the store is asynchronous, SQLite is not: async turns a throw into a rejection
/** A unit of work on SQLite. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { isDatabaseDamaged } from "../../../utils/sqlite/database_errors.ts";
import type { UnitOfWork } from "../../../utils/sqlite/group_commit.ts";
import { fromAssignmentRow, toAssignmentRow } from "../assignment_rows.ts";
import type { Filter, Page, RowField, RowQuery } from "../query.ts";
import { renameInDrafts, renameWaiting } from "../stored_names.ts";
import type { FieldSource, Rename, Use, UseKind, ValueCount } from "../uses.ts";
import { withinTime } from "./define_functions.ts";
import { createReadDamage, createRowDamage } from "./row_damage.ts";
import { areGroupsRight, findSums } from "../case_sums.ts";
import { findSearchTexts, isCounted, isDerivedFrom, isNewestFirst } from "../derived.ts";
import {
  compileCountedTexts,
  compileReceived,
  DERIVED_SQL,
  type DerivedChange,
  deriveFromCase,
  deriveFromItem,
  FILL_DERIVED,
  MAX_RECIPIENTS,
  MAX_STALE,
  type NumberedItem,
  STALE_INTERVAL,
} from "./derived.ts";
import { SUMMED_COLUMNS, SumsKeeper, toSummedCase } from "./case_sums.ts";
import { type OperatorPages, type PlacedRows, readPage } from "../page_places.ts";
import { roundSummaries } from "../summary_numbers.ts";
import { listColumns, parseStored } from "../tables.ts";
import {
  decodeRow,
  encodeRow,
  insertInto,
  listRarelyChanged,
  parseContent,
  set,
  type SqlRow,
  update,
  upsert,
} from "./tables.ts";
import {
  type CaseSearch,
  compileAreKept,
  compileCount,
  compileIsFrequent,
  compileItemCases,
  compileRows,
  compileSums,
  findStatusInOrder,
  matchTexts,
  type RowPlace,
  type StatusInOrder,
} from "./query.ts";
import type { FieldIndexes } from "./field_indexes.ts";
import type { SqlQuery } from "./query_runner.ts";
import { COUNT_USES, countMismatchedKeys, countValues, rename } from "./uses.ts";
import type {
  CasePlace,
  ItemRange,
  StoredAssignment,
  StoredCase,
  StoredClient,
  StoredHistoryEvent,
  StoredItem,
  StoredRecord,
  StoredResponse,
  StoredToken,
  TextUse,
  Transaction,
} from "../store.ts";

/** Later than every time in ISO 8601. */
const END_OF_TIME = "~";

/** Number of cases with a frequent text that are tried first. */
const NEWEST = 1000;

/** Number of assignments to read at a time if the first one is not workable. */
const PAGE = 1000;

const ASSIGNMENTS_BY_TURN =
  "SELECT * FROM assignments WHERE assigneeKind = ? AND assigneeId = ? ORDER BY urgency DESC, createdAt, seq";

/** The statements of a transaction. */
export const SQL = {
  nextNumber: `${insertInto("sequences")}
    ON CONFLICT (name) DO UPDATE ${set("sequences", { value: "sequences.value + 1" })} RETURNING *`,
  getCase: "SELECT * FROM cases WHERE id = ?",
  insertCase: insertInto("cases"),
  // SQLite itself would not change their checksums.
  releaseChildren: `UPDATE cases ${set("cases", { parentId: "NULL" })} WHERE parentId = ?`,
  deleteCase: "DELETE FROM cases WHERE id = ?",
  listChildren: "SELECT * FROM cases WHERE parentId = ? ORDER BY seq",
  putAssignment: upsert("assignments"),
  deleteAssignment: "DELETE FROM assignments WHERE id = ?",
  listAssignments: "SELECT * FROM assignments WHERE caseId = ? ORDER BY seq",
  nextAssignment: `${ASSIGNMENTS_BY_TURN} LIMIT 1`,
  nextAssignments: `${ASSIGNMENTS_BY_TURN} LIMIT ${PAGE} OFFSET ?`,
  addEvent: insertInto("events"),
  getRecord: "SELECT * FROM records WHERE classId = ? AND key = ?",
  putRecord: upsert("records"),
  deleteRecord: "DELETE FROM records WHERE classId = ? AND key = ?",
  getItem: "SELECT * FROM items WHERE kind = ? AND id = ?",
  putItem: upsert("items"),
  deleteItem: "DELETE FROM items WHERE kind = ? AND id = ?",
  deleteItemsOf: "DELETE FROM items WHERE owner = ?",
  listItems: "SELECT * FROM items WHERE kind = ? AND owner = ? AND at < ? ORDER BY at DESC, seq DESC LIMIT ?",
  allItems: "SELECT * FROM items WHERE kind = ? AND at < ? ORDER BY at DESC, seq DESC LIMIT ?",
  getResponse: "SELECT * FROM answers WHERE caller = ? AND key = ?",
  findNewestResponse: "SELECT at FROM answers ORDER BY seq DESC LIMIT 1",
  putResponse: insertInto("answers", "OR REPLACE"),
  deleteResponses: "DELETE FROM answers WHERE at < ? AND seq IN (SELECT seq FROM answers ORDER BY seq LIMIT ?)",
  getClient: "SELECT * FROM clients WHERE id = ?",
  countClients: "SELECT COUNT(*) AS count FROM clients",
  putClient: insertInto("clients"),
  deleteClient: "DELETE FROM clients WHERE id = ?",
  deleteToken: "DELETE FROM tokens WHERE hash = ?",
  getToken: "SELECT * FROM tokens WHERE hash = ?",
  putToken: insertInto("tokens"),
  deleteTokens: "DELETE FROM tokens WHERE expiresAt < ?",
  listItemsOf: "SELECT * FROM items WHERE owner = ?",
  ...DERIVED_SQL,
} as const;

/** The statements of a connection. Each is compiled when it is first needed. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #updates = new Map<string, StatementSync>();
  #staleTexts = 0;
  /** Maintains the sums of cases. */
  readonly sums: SumsKeeper;

  /** Creates the statements of a connection. */
  constructor(db: DatabaseSync) {
    this.#db = db;
    this.sums = new SumsKeeper(db);
  }

  /** Returns a statement by its name. */
  get(name: keyof typeof SQL): StatementSync {
    const known = this.#prepared.get(name);
    if (known) return known;
    const prepared = this.#db.prepare(SQL[name]);
    this.#prepared.set(name, prepared);
    return prepared;
  }

  /** Returns the statement that updates the row of a case with changes of some of the rarely changed columns. */
  updateCase(changed: readonly string[]): StatementSync {
    const key = changed.join();
    const known = this.#updates.get(key);
    if (known) return known;
    const prepared = this.#db.prepare(update("cases", changed));
    this.#updates.set(key, prepared);
    return prepared;
  }

  /** Notes that a text has become stale. Returns true after each `STALE_INTERVAL` texts, to count all stale texts. */
  countStaleText(): boolean {
    this.#staleTexts = (this.#staleTexts + 1) % STALE_INTERVAL;
    return this.#staleTexts === 0;
  }

  /** Compiles a statement that is used once. */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql);
  }
}

/** The unit of work to which a transaction belongs. */
export interface StoreUnit extends UnitOfWork {
  /** Called before each statement that reads. */
  willRead(): void;
  /** Runs a query, which may read many rows. */
  query(query: SqlQuery): Promise<SqlRow[]>;
  /** The places of pages that an operator has read. A unit that changes data has none. */
  readonly pages?: OperatorPages<SQLInputValue>;
  /** Indexes of fields. */
  readonly indexes: FieldIndexes;
}

/** A unit of work on SQLite. */
export class SqliteTransaction implements Transaction {
  readonly #statements: Statements;
  readonly #unit: StoreUnit;
  #isOpen = true;

  /** Creates the transaction of a unit of work. */
  constructor(statements: Statements, unit: StoreUnit) {
    this.#statements = statements;
    this.#unit = unit;
  }

  /** Ends the unit of work. Work that was not awaited fails instead of running in another transaction. */
  end(): void {
    this.#isOpen = false;
  }

  async attempt<T>(part: () => Promise<T>): Promise<T> {
    this.#check();
    return await this.#unit.attempt(part);
  }

  async nextNumber(sequence: string): Promise<number> {
    await this.#willWrite();
    const row = this.#one("nextNumber", ...encodeRow("sequences", { name: sequence, value: 1 }));
    if (!row) throw new TypeError(`Sequence ${sequence} returned no number.`);
    return decodeRow("sequences", row).value;
  }

  async getCase(id: string): Promise<StoredCase | undefined> {
    const row = this.#one("getCase", id);
    return row && decodeRow("cases", row);
  }

  async putCase(stored: StoredCase): Promise<void> {
    await this.#willWrite();
    const values = encodeRow("cases", stored);
    const before = this.#one("getCase", stored.id);
    const after = new Map(listColumns("cases").map((name, index) => [name, values[index]]));
    const changed = before && listRarelyChanged("cases").filter((name) => before[name] !== after.get(name));
    const statement = changed ? this.#statements.updateCase(changed) : this.#statements.get("insertCase");
    const { lastInsertRowid } = statement.run(...values);
    this.#derive(deriveFromCase(before && readGroup(before), stored));
    if (!changed || SUMMED_COLUMNS.some((name) => changed.includes(name))) {
      this.#changeSums(before, stored, changed?.includes("content") === false ? stored.content : undefined);
    }
    if (changed?.includes("content") !== false) {
      this.#addStaleText(before ? readNumber(before, "seq") : Number(lastInsertRowid));
    }
  }

  async deleteCase(id: string): Promise<void> {
    const row = this.#one("getCase", id);
    const items = this.#all("listItemsOf", id);
    await this.#change("releaseChildren", id);
    await this.#change("deleteCase", id);
    await this.#change("deleteItemsOf", id);
    if (row !== undefined) {
      const seq = readNumber(row, "seq");
      this.#derive([...deriveFromCase(readGroup(row), undefined), ["dropText", seq], ["dropStaleText", seq]]);
      this.#changeSums(row, undefined);
    }
    for (const item of items) this.#deriveItem(item, undefined);
  }

  async listChildren(id: string): Promise<StoredCase[]> {
    return this.#all("listChildren", id).map((row) => decodeRow("cases", row));
  }

  async putAssignment(stored: StoredAssignment): Promise<void> {
    await this.#change("putAssignment", ...encodeRow("assignments", toAssignmentRow(stored)));
  }

  async deleteAssignment(id: string): Promise<void> {
    await this.#change("deleteAssignment", id);
  }

  async listAssignments(caseId: string): Promise<StoredAssignment[]> {
    return this.#all("listAssignments", caseId).map(toAssignment);
  }

  /** Reads the first assignment of each list. With an index, this is fast for long lists. */
  async nextAssignment(
    operator: string,
    queues: readonly string[],
    isWorkable: (place: CasePlace) => boolean,
  ): Promise<StoredAssignment | undefined> {
    const lists = [["operator", operator], ...queues.map((queue) => ["queue", queue])];
    const firsts = lists.map((list) => this.#firstWorkable(list, isWorkable)).filter((row) => row !== undefined);
    const first = firsts.sort(compareTurns)[0];
    return first && toAssignment(first);
  }

  async addEvent(event: StoredHistoryEvent): Promise<void> {
    await this.#change("addEvent", ...encodeRow("events", event));
  }

  async getRecord(classId: string, key: string): Promise<StoredRecord | undefined> {
    const row = this.#one("getRecord", classId, key);
    return row && decodeRow("records", row);
  }

  async putRecord(stored: StoredRecord): Promise<void> {
    await this.#change("putRecord", ...encodeRow("records", stored));
  }

  async deleteRecord(classId: string, key: string): Promise<void> {
    await this.#change("deleteRecord", classId, key);
  }

  async getItem(kind: string, id: string): Promise<StoredItem | undefined> {
    const row = this.#one("getItem", kind, id);
    return row && decodeRow("items", row);
  }

  async putItem(item: StoredItem): Promise<void> {
    const isDerived = isDerivedFrom(item.kind);
    const before = isDerived ? this.#one("getItem", item.kind, item.id) : undefined;
    await this.#change("putItem", ...encodeRow("items", item));
    if (isDerived) this.#deriveItem(before, this.#one("getItem", item.kind, item.id));
  }

  async deleteItem(kind: string, id: string): Promise<void> {
    const before = isDerivedFrom(kind) ? this.#one("getItem", kind, id) : undefined;
    await this.#change("deleteItem", kind, id);
    this.#deriveItem(before, undefined);
  }

  async listItems(
    kind: string,
    owner?: string,
    { before, limit = -1, recipients }: ItemRange = {},
  ): Promise<StoredItem[]> {
    const end = before ?? END_OF_TIME;
    if (owner === undefined && recipients !== undefined && recipients.length <= MAX_RECIPIENTS) {
      const rows = await this.#query(compileReceived(kind, recipients, end, limit));
      return rows.map((row) => decodeRow("items", row));
    }
    if (owner !== undefined) {
      return this.#all("listItems", kind, owner, end, limit).map((row) => decodeRow("items", row));
    }
    // A page is read as a query, so that reading all pages does not delay other work.
    const isPage = limit >= 0;
    const rows = isPage
      ? await this.#query({ sql: SQL.allItems, parameters: [kind, end, limit] })
      : this.#all("allItems", kind, end, limit);
    return rows.map((row) => decodeRow("items", row));
  }

  async textUses(kind: string, member: string, owner = "", cases?: Filter): Promise<TextUse[]> {
    if (cases === undefined && isCounted(kind, member)) {
      return (await this.#query(compileCountedTexts(kind, member, owner))).map(toTextUse);
    }
    const condition = cases && compileItemCases(cases);
    const parameters = condition?.parameters ?? [];
    const [ownerAt, pathAt, kindAt] = [1, 2, 3].map((index) => `?${parameters.length + index}`);
    const rows = await this.#query({
      sql: `SELECT value AS text, COUNT(*) AS everywhere, SUM(owner = ${ownerAt}) AS here
        FROM items, json_each(items.content, ${pathAt})
        WHERE items.kind = ${kindAt} AND ${withinTime("items.seq")} AND ${condition?.sql ?? "1"} GROUP BY value`,
      parameters: [...parameters, owner, `$.${member}`, kind],
    });
    return rows.map(toTextUse);
  }

  async getResponse(caller: string, key: string): Promise<StoredResponse | undefined> {
    const row = this.#one("getResponse", caller, key);
    return row && decodeRow("answers", row);
  }

  async findNewestResponseTime(): Promise<string | undefined> {
    const row = this.#one("findNewestResponse");
    return row && readText(row, "at");
  }

  async putResponse(response: StoredResponse): Promise<void> {
    await this.#change("putResponse", ...encodeRow("answers", response));
  }

  async deleteResponses(before: string, limit: number): Promise<number> {
    return await this.#change("deleteResponses", before, limit);
  }

  async queryRows(query: RowQuery, page: Page): Promise<JsonObject[]> {
    const summed = await this.#readSums(query, page);
    if (summed !== undefined) return summed;
    const compile = () => compileRows(query, { offset: 0, limit: 0 });
    const rows = await readPage(this.#unit.pages, compile, page, (page, after) => this.#readPage(query, page, after));
    const damaged = rows.map((row) => row.damaged).filter((name) => typeof name === "string");
    if (damaged.length > 0) throw createRowDamage(damaged);
    return rows.map((row) => roundSummaries(query.columns, readParts(row, "row")));
  }

  /** Reads a page of groups from the sums of cases. Returns undefined if the cases have to be read. */
  async #readSums(query: RowQuery, page: Page): Promise<JsonObject[] | undefined> {
    const { indexes } = this.#unit;
    const sums = findSums(query, indexes.sums);
    if (sums === undefined) return undefined;
    const rows = await this.#query({ ...compileSums(query, page, sums, indexes), maxLength: page.size });
    const areRight = await areGroupsRight(rows, async () => (await this.#query(compileAreKept(sums))).length > 0);
    return areRight ? rows.map((row) => roundSummaries(query.columns, readParts(row, "row"))) : undefined;
  }

  /** Reads a page. If the query searches for a text, the text index finds the rows. */
  async #readPage(query: RowQuery, page: Page, after?: RowPlace): Promise<PlacedRows<SqlRow, SQLInputValue>> {
    const { indexes } = this.#unit;
    const match = findMatch(query, indexes);
    const status = findStatusInOrder(query);
    const isInOrder = status !== undefined && page.limit >= 0 && await this.#isFrequentStatus(status, page);
    const read = async (search?: CaseSearch) => {
      const { places, ...compiled } = compileRows(query, page, { after, search, isInOrder, indexes });
      const rows = await this.#query({ ...compiled, maxLength: page.size });
      return { rows, places: places > 0 ? rows.map((row) => readPlace(row, places)) : [] };
    };
    if (match === undefined) return await read();
    if (page.limit < 0 || !isNewestFirst(query) || !await this.#isFrequent(match)) return await read({ match });
    const newest = await read({ match, newest: NEWEST });
    return newest.rows.length === page.limit ? newest : await read({ match });
  }

  /** Reports whether a search finds more cases than those that are tried first. */
  async #isFrequent(match: string): Promise<boolean> {
    const sql = "SELECT 1 FROM caseTexts WHERE caseTexts MATCH ?1 LIMIT 1 OFFSET ?2";
    return (await this.#query({ sql, parameters: [match, NEWEST] })).length > 0;
  }

  async #isFrequentStatus(status: StatusInOrder, { offset, limit }: Page): Promise<boolean> {
    const [row] = await this.#query(compileIsFrequent(status, offset + limit));
    return row?.isFrequent === 1;
  }

  async countRows(query: RowQuery): Promise<number> {
    const { indexes } = this.#unit;
    const match = findMatch(query, indexes);
    const [row] = await this.#query(
      compileCount(query, { indexes, ...(match !== undefined && { search: { match } }) }),
    );
    return row ? readNumber(row, "count") : 0;
  }

  async countUses(): Promise<Use[]> {
    this.#willRead();
    return Object.keys(COUNT_USES).filter(isUseKind).flatMap((kind) =>
      this.#statements.prepare(COUNT_USES[kind]).all().map((row) => ({
        kind,
        owner: readText(row, "owner"),
        name: String(row.name ?? ""),
        count: readNumber(row, "count"),
      }))
    );
  }

  async countValues(source: FieldSource): Promise<ValueCount[]> {
    this.#willRead();
    const { sql, parameters } = countValues(source);
    return this.#statements.prepare(sql).all(...parameters).map((row) => ({
      field: readText(row, "field"),
      json: readText(row, "json"),
      count: readNumber(row, "count"),
      dates: readNumber(row, "dates"),
      instants: readNumber(row, "instants"),
      chosen: readNumber(row, "chosen"),
    }));
  }

  async countMismatchedKeys(classId: string, key: readonly string[]): Promise<number> {
    this.#willRead();
    const { sql, parameters } = countMismatchedKeys(classId, key);
    const row = this.#statements.prepare(sql).get(...parameters);
    return row === undefined ? 0 : readNumber(row, "count");
  }

  async rename(change: Rename): Promise<number> {
    await this.#willWrite();
    let count = 0;
    for (const { sql, parameters } of rename(change)) {
      count += Number(this.#statements.prepare(sql).run(...parameters).changes);
    }
    for (const sql of FILL_DERIVED) this.#statements.prepare(sql).run();
    this.#statements.sums.refill();
    if (change.kind === "process" || change.kind === "step") {
      const waiting = "SELECT id, flow FROM cases WHERE typeId = ? AND json_type(flow, '$.waiting') = 'object'";
      count += this.#rewrite("cases", "flow", waiting, change.owner, (flow) => renameWaiting(flow, change));
    }
    if (change.kind === "field") {
      const drafted = `SELECT assignments.id, state FROM assignments JOIN cases ON cases.id = caseId
        WHERE typeId = ? AND json_type(state, '$.drafts') = 'object'`;
      this.#rewrite("assignments", "state", drafted, change.owner, (state) => renameInDrafts(state, change));
    }
    return count;
  }

  /** Rewrites a JSON column of the rows that a statement returns. Returns the number of changed rows. */
  #rewrite(
    table: "cases" | "assignments",
    column: string,
    select: string,
    owner: string,
    change: (value: JsonObject) => JsonObject | undefined,
  ): number {
    let count = 0;
    const update = `UPDATE ${table} ${set(table, { [column]: "?1" })} WHERE id = ?2`;
    for (const row of this.#statements.prepare(select).all(owner)) {
      const changed = change(readObject(row, column));
      if (changed === undefined) continue;
      this.#statements.prepare(update).run(JSON.stringify(changed), readText(row, "id"));
      count++;
    }
    return count;
  }

  async getClient(id: string): Promise<StoredClient | undefined> {
    const row = this.#one("getClient", id);
    return row && decodeRow("clients", row);
  }

  async countClients(): Promise<number> {
    const row = this.#one("countClients");
    return row ? readNumber(row, "count") : 0;
  }

  async putClient(client: StoredClient): Promise<void> {
    await this.#change("putClient", ...encodeRow("clients", client));
  }

  async deleteClient(id: string): Promise<boolean> {
    return await this.#change("deleteClient", id) > 0;
  }

  async deleteToken(hash: string): Promise<void> {
    await this.#change("deleteToken", hash);
  }

  async getToken(hash: string): Promise<{ token: StoredToken; client: StoredClient } | undefined> {
    const row = this.#one("getToken", hash);
    const token = row && decodeRow("tokens", row);
    const client = token && await this.getClient(token.clientId);
    return client && { token, client };
  }

  async putToken(token: StoredToken, expiredBefore: string): Promise<void> {
    await this.#change("deleteTokens", expiredBefore);
    await this.#change("putToken", ...encodeRow("tokens", token));
  }

  /** Tries the first assignment alone, which is almost always workable. If it is not, many others may not be either. */
  #firstWorkable(list: readonly string[], isWorkable: (place: CasePlace) => boolean): SqlRow | undefined {
    const isRowWorkable = (row: SqlRow) => {
      const { caseId } = toAssignment(row);
      const stored = this.#one("getCase", caseId);
      if (stored === undefined) return false;
      const assignments = this.#all("listAssignments", caseId).map(toAssignment);
      return isWorkable({ stored: decodeRow("cases", stored), assignments });
    };
    const first = this.#one("nextAssignment", ...list);
    if (first === undefined || isRowWorkable(first)) return first;
    for (let offset = 1;; offset += PAGE) {
      const rows = this.#all("nextAssignments", ...list, offset);
      const workable = rows.find(isRowWorkable);
      if (workable !== undefined || rows.length < PAGE) return workable;
    }
  }

  /** Changes rows that are derived from a row that has changed. */
  #derive(changes: readonly DerivedChange[]): void {
    for (const [name, ...parameters] of changes) this.#statements.get(name).run(...parameters);
  }

  #changeSums(before: SqlRow | undefined, after: StoredCase | undefined, content?: JsonObject): void {
    const { sums } = this.#statements;
    if (sums.maintained.length > 0) sums.change(before && toSummedCase(before, content), after);
  }

  #deriveItem(before: SqlRow | undefined, after: SqlRow | undefined): void {
    const [from, to] = [before, after].map((row) => row && toNumberedItem(row));
    if (from ?? to) this.#derive(deriveFromItem(from, to));
  }

  /** Notes that the text of a case has changed, by its number. Adds the noted texts to the index if there are many. */
  #addStaleText(seq: number): void {
    this.#derive([["addStaleText", seq]]);
    if (!this.#statements.countStaleText()) return;
    const count = this.#one("countStaleTexts")?.count;
    if (typeof count === "number" && count >= MAX_STALE) {
      this.#derive([["removeTexts"], ["addTexts"], ["clearStaleTexts"]]);
    }
  }

  #one(name: keyof typeof SQL, ...parameters: SQLInputValue[]): SqlRow | undefined {
    this.#willRead();
    return explainDamage(() => this.#statements.get(name).get(...parameters));
  }

  #all(name: keyof typeof SQL, ...parameters: SQLInputValue[]): SqlRow[] {
    this.#willRead();
    return explainDamage(() => this.#statements.get(name).all(...parameters));
  }

  /** Runs a statement and returns the number of changed rows. */
  async #change(name: keyof typeof SQL, ...parameters: SQLInputValue[]): Promise<number> {
    await this.#willWrite();
    return Number(this.#statements.get(name).run(...parameters).changes);
  }

  async #query(query: SqlQuery): Promise<SqlRow[]> {
    this.#check();
    try {
      return await this.#unit.query(query);
    } catch (error) {
      // A caller can cause other errors of SQL, but JSON is malformed only in a damaged database.
      throw error instanceof Error && /malformed/.test(error.message) ? createReadDamage(error) : error;
    }
  }

  async #willWrite(): Promise<void> {
    this.#check();
    await this.#unit.willWrite();
    this.#check(); // The unit may have ended in the meantime.
  }

  #willRead(): void {
    this.#check();
    this.#unit.willRead();
  }

  #check(): void {
    if (!this.#isOpen) throw new TypeError("This unit of work has ended.");
  }
}

/** Reads an item whose derived rows are needed, also if the row is damaged, because it may be replaced or deleted. */
function toNumberedItem(row: SqlRow): NumberedItem {
  const [kind = "", id = "", owner = "", at = ""] = ["kind", "id", "owner", "at"].map((name) => readText(row, name));
  return { kind, id, owner, at, content: parseContent(row.content), seq: readNumber(row, "seq") };
}

function toTextUse(row: SqlRow): TextUse {
  return { text: readText(row, "text"), everywhere: readNumber(row, "everywhere"), here: readNumber(row, "here") };
}

function readGroup(row: SqlRow): Pick<StoredCase, "typeId" | "status" | "stageId"> {
  const [typeId, status, stageId] = ["typeId", "status", "stageId"].map((column) => readText(row, column));
  return { typeId: typeId ?? "", status: status ?? "", stageId: stageId ?? "" };
}

/** Runs a statement that reads, and converts the error of a damaged database. */
function explainDamage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isDatabaseDamaged(error) ? createReadDamage(error) : error;
  }
}

/** Returns the expression that finds the cases of a query in the text index, if no other index finds them sooner. */
function findMatch({ source, filter }: RowQuery, indexes: FieldIndexes): string | undefined {
  const isIndexed = (field: RowField) => "content" in field && indexes.find(field.content) !== undefined;
  const texts = source.kind === "cases" ? findSearchTexts(filter, isIndexed) : undefined;
  return texts && matchTexts(texts);
}

function isUseKind(kind: string): kind is UseKind {
  return kind in COUNT_USES;
}

/** Compares by urgency, then by age. */
function compareTurns(a: SqlRow, b: SqlRow): number {
  const [left, right] = [readText(a, "createdAt"), readText(b, "createdAt")];
  if (a.urgency !== b.urgency) return readNumber(b, "urgency") - readNumber(a, "urgency");
  if (left !== right) return left < right ? -1 : 1;
  return readNumber(a, "seq") - readNumber(b, "seq");
}

function toAssignment(row: SqlRow): StoredAssignment {
  return fromAssignmentRow(decodeRow("assignments", row));
}

function readPlace(row: SqlRow, places: number): RowPlace {
  return Array.from({ length: places }, (_, index) => row[`place${index}`] ?? null);
}

function readText(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`Column ${column} is not text.`);
  return value;
}

function readNumber(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`Column ${column} is not a number.`);
  return value;
}

function readObject(row: SqlRow, column: string): JsonObject {
  const value = parseStored(readText(row, column));
  if (!isJsonObject(value)) throw new TypeError(`Column ${column} is not a JSON object.`);
  return value;
}

/** Reads an array of objects, which a query splits because SQLite limits the arguments of a function, as one object. */
function readParts(row: SqlRow, column: string): JsonObject {
  const value: unknown = parseStored(readText(row, column));
  if (!Array.isArray(value)) throw new TypeError(`Column ${column} is not a JSON array.`);
  return Object.fromEntries(value.filter(isJsonObject).flatMap((part) => Object.entries(part)));
}
