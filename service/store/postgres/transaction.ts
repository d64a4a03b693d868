/** A unit of work on PostgreSQL. */
import type { JsonObject } from "../../../utils/json.ts";
import { delay } from "../../../utils/async/abort.ts";
import type { Connection, SqlResult } from "../../../utils/postgres/pool.ts";
import { PostgresError, type PostgresErrorKind, toPostgresError } from "../../../utils/postgres/postgres_error.ts";
import type { SqlParameter, SqlRow } from "../../../utils/postgres/sql_value.ts";
import { fromAssignmentRow, toAssignmentRow } from "../assignment_rows.ts";
import type { Filter, Page, RowQuery } from "../query.ts";
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
import type { FieldSource, Rename, Use, ValueCount } from "../uses.ts";
import { compileReceived } from "./derived.ts";
import { escapeText } from "./escape_text.ts";
import type { Numbers, TakenNumber } from "./numbers.ts";
import type { CaseIndexes, Compiled } from "./query.ts";
import { decodeRow, encodeRow, encodeUpdate } from "./rows.ts";
import { countRows, countTextUses, type Pages, queryRows } from "./run_query.ts";
import { PAGE, SQL, type StatementName } from "./statements.ts";
import { countMismatchedKeys, countUses, countValues, rename } from "./uses.ts";

/** Later than every time in ISO 8601. */
const END_OF_TIME = "~";

const MAX_INTEGER = 2 ** 31 - 1;

/** Milliseconds between two attempts to find an assignment whose case no other unit has locked. */
const LOCKED_INTERVAL = 5;

/** Number of attempts until the unit waits for the other units. */
const LOCKED_ATTEMPTS = 10;

/** Errors after which the whole unit is run again, or fails, even if one of its parts has caught the error. */
const FINAL: readonly PostgresErrorKind[] = ["conflict", "unavailable", "busy"];

interface Statement {
  readonly sql: string;
  readonly parameters?: readonly SqlParameter[];
  readonly name?: StatementName;
}

/** Parts of a store that its units share. */
export interface TransactionOptions {
  readonly numbers: Numbers;
  /** The indexes that exist now. A unit uses those that exist when it begins. */
  readonly indexes: CaseIndexes;
}

/** Connections and pages of a unit that only reads. */
export interface Reading {
  /** The pages of its operator. */
  readonly pages: Pages;
  /** Runs a query, which may read many rows, on another connection. */
  query(query: Compiled): Promise<SqlResult>;
  /** Called before each query. The unit needs its connection only when it reads again. */
  release(): void;
}

/**
 * Reads and changes of one unit of work. A unit that changes data locks what it reads, so that no other unit changes it
 * before the end. Changes wait in this process until the next read or the end, and are sent together with it: the unit
 * waits for the network only when it reads, and once when it ends.
 */
export class PostgresTransaction implements Transaction {
  readonly #connection: Connection;
  readonly #numbers: Numbers;
  readonly #indexes: CaseIndexes;
  readonly #reading: Reading | undefined;
  /** Statements that were not sent yet. */
  #waiting: Statement[] = [];
  /** Changes that were sent, and whose results were not awaited yet. They never reject. */
  #sent: Promise<void>[] = [];
  #failure: PostgresError | undefined;
  #isOpen = true;
  #hasBegun = false;
  #hasChanged = false;
  #changedCases = 0;
  #isCommitSent = false;
  #hasReadResponse = false;
  /** Numbers that this unit has taken. */
  #taken: TakenNumber[] = [];
  /** Assignments by case, which were read together with the case. */
  readonly #prefetched = new Map<string, Promise<readonly SqlRow[]>>();
  /** True if this unit has locked or written rows, or has seen that a row is missing. */
  #exists = new Map<string, boolean>();

  /** Begins a unit of work on a connection that nothing else uses. With `reading`, it only reads. */
  constructor(connection: Connection, { numbers, indexes }: TransactionOptions, reading?: Reading) {
    this.#connection = connection;
    this.#numbers = numbers;
    this.#indexes = indexes;
    this.#reading = reading;
  }

  get #isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** True if the unit has changed rows. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Number of cases that the unit has written. */
  get changedCases(): number {
    return this.#changedCases;
  }

  /** The error of the database that the unit has to end with, if there is one. */
  get failure(): PostgresError | undefined {
    return this.#failure;
  }

  /** True if the connection was lost while the database committed the changes, so that they may have been made. */
  get isOutcomeUnknown(): boolean {
    return this.#isCommitSent && this.#failure?.kind === "unavailable";
  }

  /** True if the unit has read a stored response. If its outcome is unknown, it can run again: it finds its response. */
  get isRepeatable(): boolean {
    return this.#hasReadResponse;
  }

  /** Makes the changes durable, and ends the unit. */
  async commit(): Promise<void> {
    this.#check();
    this.#isOpen = false;
    if (this.#failure) throw this.#failure;
    if (!this.#hasChanged) return this.#finish("COMMIT");
    this.#waiting.push({ sql: "COMMIT" });
    this.#isCommitSent = !this.#connection.isLost;
    await this.#settle();
  }

  /** Ends the unit without its changes. Does nothing after a commit whose outcome is unknown. */
  rollback(): void {
    this.#isOpen = false;
    this.#waiting = [];
    if (this.isOutcomeUnknown) return;
    this.#taken.forEach((number) => this.#numbers.giveBack(number));
    this.#taken = [];
    this.#finish("ROLLBACK");
  }

  async attempt<T>(part: () => Promise<T>): Promise<T> {
    this.#check();
    if (this.#isReading) return await part();
    const save: Statement = { sql: "SAVEPOINT part" };
    const [exists, taken] = [new Map(this.#exists), this.#taken.length];
    this.#waiting.push(save);
    try {
      const result = await part();
      await this.#settle(); // A change that fails belongs to this part.
      this.#waiting.push({ sql: "RELEASE part" });
      return result;
    } catch (error) {
      await Promise.all(this.#sent);
      if (this.#failure && FINAL.includes(this.#failure.kind)) throw this.#failure;
      this.#failure = undefined;
      const place = this.#waiting.indexOf(save);
      if (place >= 0) this.#waiting.length = place;
      else this.#waiting = [{ sql: "ROLLBACK TO part" }, { sql: "RELEASE part" }];
      this.#exists = exists;
      this.#prefetched.clear();
      this.#taken.splice(taken).forEach((number) => this.#numbers.giveBack(number));
      throw error;
    }
  }

  async nextNumber(sequence: string): Promise<number> {
    this.#willChange();
    const taken = await this.#numbers.take(sequence);
    this.#taken.push(taken);
    return taken.number;
  }

  /** Reads the assignments of the case, too: almost every unit needs them next. */
  async getCase(id: string): Promise<StoredCase | undefined> {
    const found = this.#one(this.#isReading ? "getCase" : "lockCase", [escapeText(id)]);
    this.#prefetchAssignments(id);
    const row = await found;
    this.#note(["case", id], row);
    return row && decodeRow("cases", row);
  }

  async putCase(stored: StoredCase): Promise<void> {
    this.#changedCases++;
    const key = ["case", stored.id];
    if (this.#exists.get(toKey(key)) === true) return this.#change("updateCase", encodeUpdate("cases", stored));
    await this.#put(key, "insertCase", "putCase", encodeRow("cases", stored));
  }

  async deleteCase(id: string): Promise<void> {
    await this.#change("deleteCase", [escapeText(id)]);
    await this.#change("deleteItemsOf", [escapeText(id)]);
    this.#exists.clear(); // Its items are gone, too.
  }

  async listChildren(id: string): Promise<StoredCase[]> {
    return (await this.#all("listChildren", [escapeText(id)])).map((row) => decodeRow("cases", row));
  }

  async putAssignment(stored: StoredAssignment): Promise<void> {
    await this.#change("putAssignment", encodeRow("assignments", toAssignmentRow(stored)));
  }

  async deleteAssignment(id: string): Promise<void> {
    await this.#change("deleteAssignment", [escapeText(id)]);
  }

  async listAssignments(caseId: string): Promise<StoredAssignment[]> {
    this.#check();
    return (await (this.#prefetched.get(caseId) ?? this.#readAssignments(caseId))).map(toAssignment);
  }

  /** Skips assignments in queues whose case another unit has locked, because that unit may be about to take them. */
  async nextAssignment(
    operator: string,
    queues: readonly string[],
    isWorkable: (place: CasePlace) => boolean,
  ): Promise<StoredAssignment | undefined> {
    const lists = [["operator", ...queues.map(() => "queue")], [operator, ...queues].map(escapeText)];
    for (let attempt = 1;; attempt++) {
      let isSkipped = false;
      for await (const candidate of this.#listWorkable(lists, isWorkable)) {
        if (this.#isReading) return candidate;
        const isShared = candidate.assignee.kind === "queue" && attempt < LOCKED_ATTEMPTS;
        const place = await this.#lockPlace(candidate.caseId, isShared ? "tryLockCase" : "lockCase");
        if (place === undefined) isSkipped = true;
        const found = place?.assignments.find(({ id }) => id === candidate.id);
        if (place && found && isEqualAssignee(found, candidate) && isWorkable(place)) return found;
      }
      if (!isSkipped || attempt >= LOCKED_ATTEMPTS) return undefined;
      await delay(LOCKED_INTERVAL);
    }
  }

  async addEvent(event: StoredHistoryEvent): Promise<void> {
    await this.#change("addEvent", encodeRow("events", event));
  }

  async getRecord(classId: string, key: string): Promise<StoredRecord | undefined> {
    const row = await this.#one(this.#isReading ? "getRecord" : "lockRecord", [classId, key].map(escapeText));
    this.#note(["record", classId, key], row);
    return row && decodeRow("records", row);
  }

  async putRecord(stored: StoredRecord): Promise<void> {
    const key = ["record", stored.classId, stored.key];
    await this.#put(key, "insertRecord", "putRecord", encodeRow("records", stored));
  }

  async deleteRecord(classId: string, key: string): Promise<void> {
    await this.#change("deleteRecord", [classId, key].map(escapeText));
    this.#exists.delete(toKey(["record", classId, key]));
  }

  async getItem(kind: string, id: string): Promise<StoredItem | undefined> {
    const row = await this.#one(this.#isReading ? "getItem" : "lockItem", [kind, id].map(escapeText));
    this.#note(["item", kind, id], row);
    return row && decodeRow("items", row);
  }

  async putItem(item: StoredItem): Promise<void> {
    this.#lockList(item.kind, item.owner);
    await this.#put(["item", item.kind, item.id], "insertItem", "putItem", encodeRow("items", item));
  }

  async deleteItem(kind: string, id: string): Promise<void> {
    await this.#change("deleteItem", [kind, id].map(escapeText));
    this.#exists.delete(toKey(["item", kind, id]));
  }

  async listItems(kind: string, owner?: string, range: ItemRange = {}): Promise<StoredItem[]> {
    const { before, limit, recipients } = range;
    const end = before === undefined ? END_OF_TIME : escapeText(before);
    if (owner === undefined && recipients !== undefined) {
      const { rows } = await this.#query(compileReceived(kind, recipients, end, limit));
      return rows.map((row) => decodeRow("items", row));
    }
    if (owner !== undefined && !this.#isReading) this.#lockList(kind, owner);
    const rows = owner === undefined
      ? (await this.#query({ sql: SQL.allItems, parameters: [escapeText(kind), end, limit ?? null] })).rows
      : await this.#all("listItems", [escapeText(kind), escapeText(owner), end, limit ?? null]);
    return rows.map((row) => decodeRow("items", row));
  }

  async textUses(kind: string, member: string, owner?: string, cases?: Filter): Promise<TextUse[]> {
    return await countTextUses((query) => this.#query(query), kind, member, owner, cases);
  }

  /** Calls with the same key wait for each other, in all processes. */
  async getResponse(caller: string, key: string): Promise<StoredResponse | undefined> {
    if (!this.#isReading) this.#lock(["answer", caller, key]);
    this.#hasReadResponse = true;
    const row = await this.#one("getResponse", [caller, key].map(escapeText));
    return row && decodeRow("answers", row);
  }

  async findNewestResponseTime(): Promise<string | undefined> {
    const row = await this.#one("findNewestResponse", []);
    return row && String(row.at);
  }

  async putResponse(response: StoredResponse): Promise<void> {
    await this.#change("putResponse", encodeRow("answers", response));
  }

  async deleteResponses(before: string, limit: number): Promise<number> {
    return await this.#changeNow("deleteResponses", [before, limit]);
  }

  async queryRows(query: RowQuery, page: Page): Promise<JsonObject[]> {
    return await queryRows((query) => this.#query(query), query, page, {
      pages: this.#reading?.pages,
      indexes: this.#indexes,
    });
  }

  async countRows(query: RowQuery): Promise<number> {
    return await countRows((query) => this.#query(query), query, this.#indexes);
  }

  async countUses(): Promise<Use[]> {
    return await countUses((query) => this.#query(query));
  }

  async countValues(source: FieldSource): Promise<ValueCount[]> {
    return await countValues((query) => this.#query(query), source);
  }

  async countMismatchedKeys(classId: string, key: readonly string[]): Promise<number> {
    return await countMismatchedKeys((query) => this.#query(query), classId, key);
  }

  async rename(change: Rename): Promise<number> {
    this.#willChangeRows();
    this.#exists.clear();
    return await rename((query) => this.#query(query), change);
  }

  async getClient(id: string): Promise<StoredClient | undefined> {
    const row = await this.#one("getClient", [escapeText(id)]);
    return row && decodeRow("clients", row);
  }

  async countClients(): Promise<number> {
    return Number((await this.#one("countClients", []))?.count ?? 0);
  }

  async putClient(client: StoredClient): Promise<void> {
    await this.#change("putClient", encodeRow("clients", client));
  }

  async deleteClient(id: string): Promise<boolean> {
    return await this.#changeNow("deleteClient", [escapeText(id)]) > 0;
  }

  async getToken(hash: string): Promise<{ token: StoredToken; client: StoredClient } | undefined> {
    const row = await this.#one("getToken", [escapeText(hash)]);
    const token = row && decodeRow("tokens", row);
    const client = token && await this.getClient(token.clientId);
    return client && { token, client };
  }

  async putToken(token: StoredToken, expiredBefore: string): Promise<void> {
    await this.#change("deleteTokens", [escapeText(expiredBefore)]);
    await this.#change("putToken", encodeRow("tokens", token));
  }

  async deleteToken(hash: string): Promise<void> {
    await this.#change("deleteToken", [escapeText(hash)]);
  }

  /** Yields the workable assignments of lists, in order of their turns. */
  async *#listWorkable(
    lists: readonly string[][],
    isWorkable: (place: CasePlace) => boolean,
  ): AsyncGenerator<StoredAssignment> {
    let last: readonly SqlParameter[] = [MAX_INTEGER, "", 0];
    for (;;) {
      const rows = await this.#all("nextAssignments", [...lists, ...last]);
      const ids = [...new Set(rows.map(({ caseId }) => String(caseId)))];
      const [cases, assignments] = await Promise.all([
        this.#all("getCases", [ids]),
        this.#all("listAssignmentsOf", [ids]),
      ]);
      const places = toPlaces(cases, assignments);
      for (const row of rows) {
        const place = places.get(decodeRow("assignments", row).caseId);
        if (place && isWorkable(place)) yield toAssignment(row);
      }
      const [end] = rows.slice(-1);
      if (end === undefined || rows.length < PAGE) return;
      last = [end.urgency ?? null, end.createdAt ?? null, end.seq ?? null];
    }
  }

  async #readAssignments(caseId: string): Promise<readonly SqlRow[]> {
    return await this.#all("listAssignments", [escapeText(caseId)]);
  }

  /** Starts to read the assignments of a case without waiting for them. They are valid until this unit changes anything. */
  #prefetchAssignments(caseId: string): void {
    const found = this.#readAssignments(caseId);
    found.catch(() => {}); // The caller that awaits them receives the error.
    this.#prefetched.set(caseId, found);
  }

  /** Locks a case, and reads it with its assignments. Returns undefined if another unit has locked it. */
  async #lockPlace(id: string, name: "lockCase" | "tryLockCase"): Promise<CasePlace | undefined> {
    const [row, assignments] = await Promise.all([this.#one(name, [escapeText(id)]), this.listAssignments(id)]);
    return row && { stored: decodeRow("cases", row), assignments };
  }

  /** Lets units that list the items of an owner, and change them, take turns. */
  #lockList(kind: string, owner: string): void {
    this.#lock(["items", kind, owner]);
  }

  #lock(key: readonly string[]): void {
    this.#willChange();
    const parameters = [escapeText(toKey(key))];
    this.#waiting.push({ sql: SQL.lockText, parameters, name: "lockText" });
  }

  /** Remembers whether a row exists. A new row is then inserted only if no other unit has inserted it since. */
  #note(key: readonly string[], row: SqlRow | undefined): void {
    if (!this.#isReading) this.#exists.set(toKey(key), row !== undefined);
  }

  async #put(
    key: readonly string[],
    insert: StatementName,
    put: StatementName,
    values: readonly SqlParameter[],
  ): Promise<void> {
    await this.#change(this.#exists.get(toKey(key)) === false ? insert : put, values);
    this.#exists.set(toKey(key), true);
  }

  async #one(name: StatementName, parameters: readonly SqlParameter[]): Promise<SqlRow | undefined> {
    return (await this.#all(name, parameters))[0];
  }

  async #all(name: StatementName, parameters: readonly SqlParameter[]): Promise<readonly SqlRow[]> {
    return (await this.#run({ sql: SQL[name], parameters, name })).rows;
  }

  /** Runs a query, which may read many rows. A unit that only reads sees a newer state after it. */
  async #query({ sql, parameters }: Compiled): Promise<SqlResult> {
    const reading = this.#reading;
    if (reading === undefined) return await this.#run({ sql, parameters });
    this.#check();
    if (this.#failure) throw this.#failure;
    this.#finish("COMMIT");
    this.#prefetched.clear();
    reading.release();
    try {
      return await reading.query({ sql, parameters });
    } catch (error) {
      if (error instanceof PostgresError) this.#failure ??= error;
      throw error;
    }
  }

  /** Sends a statement after those that wait, and returns its result. */
  async #run({ sql, parameters, name }: Statement): Promise<SqlResult> {
    this.#check();
    if (this.#failure) throw this.#failure;
    this.#send();
    try {
      return await this.#connection.run(sql, parameters, name);
    } catch (error) {
      await Promise.all(this.#sent); // If one of them has failed, the others fail because of it.
      this.#failure ??= toPostgresError(error);
      throw this.#failure;
    }
  }

  // deno-lint-ignore require-await -- async turns a throw into a rejection
  async #change(name: StatementName, parameters: readonly SqlParameter[]): Promise<void> {
    this.#willChangeRows();
    this.#waiting.push({ sql: SQL[name], parameters, name });
  }

  /** Runs a change without delay, and returns the number of changed rows. */
  async #changeNow(name: StatementName, parameters: readonly SqlParameter[]): Promise<number> {
    this.#willChangeRows();
    return (await this.#run({ sql: SQL[name], parameters, name })).count;
  }

  /** Sends the statements that wait, without waiting for their results. */
  #send(): void {
    const statements = this.#waiting;
    this.#waiting = [];
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      statements.unshift({ sql: this.#isReading ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN" });
    }
    for (const { sql, parameters, name } of statements) {
      const noteFailure = (error: unknown) => void (this.#failure ??= toPostgresError(error));
      this.#sent.push(this.#connection.run(sql, parameters, name).then(() => {}, noteFailure));
    }
  }

  /** Sends the statements that wait. Throws the first error of all statements so far. */
  async #settle(): Promise<void> {
    this.#send();
    await Promise.all(this.#sent);
    this.#sent = [];
    if (this.#failure) throw this.#failure;
  }

  /** Ends the transaction in the database. Nothing depends on it, so nothing waits for it. */
  #finish(sql: "COMMIT" | "ROLLBACK"): void {
    if (this.#hasBegun) this.#connection.run(sql).catch(() => {}); // A lost connection has ended the transaction.
    this.#hasBegun = false;
  }

  #willChangeRows(): void {
    this.#willChange();
    this.#hasChanged = true;
    this.#prefetched.clear();
  }

  #willChange(): void {
    this.#check();
    if (this.#isReading) throw new TypeError("This unit of work only reads.");
  }

  #check(): void {
    if (!this.#isOpen) throw new TypeError("This unit of work has ended.");
  }
}

function toKey(parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function toAssignment(row: SqlRow): StoredAssignment {
  return fromAssignmentRow(decodeRow("assignments", row));
}

function toPlaces(cases: readonly SqlRow[], assignments: readonly SqlRow[]): Map<string, CasePlace> {
  const lists = Map.groupBy(assignments.map(toAssignment), ({ caseId }) => caseId);
  return new Map(cases.map((row) => {
    const stored = decodeRow("cases", row);
    return [stored.id, { stored, assignments: lists.get(stored.id) ?? [] }];
  }));
}

function isEqualAssignee({ assignee: a }: StoredAssignment, { assignee: b }: StoredAssignment): boolean {
  return a.kind === b.kind && a.id === b.id;
}
