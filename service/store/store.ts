/**
 * The state of a service, and the interface of its database: SQLite in a file, or PostgreSQL, which several processes can
 * use at the same time. No module outside this folder depends on either.
 *
 * Guarantees of every implementation:
 *
 * - A unit of work is atomic: its changes become durable together, or not at all.
 * - `transact` resolves only when the changes are durable: they survive a crash of the process and of the machine, unless
 *   the store is in memory. Callers send a response only after that.
 * - A unit that throws leaves no changes.
 * - A unit may run more than once, for example after a conflict with another process. Only its last run has an effect, so
 *   its work changes nothing outside the transaction.
 * - Units that change data have the same effect as if they ran one after another, as far as they read the same cases,
 *   records, responses, items or lists of an owner's items. A unit sees all changes of earlier units, and no changes of an
 *   unfinished unit.
 * - A unit that only reads sees all changes that were durable when it began, and no changes of an unfinished unit. Each of
 *   its queries (`queryRows`, `countRows`, `textUses`, or a page of the items of all owners) sees one state of the
 *   database. The other reads between two queries see one state, too. Each state is at least as new as the one before.
 * - Units that only read do not wait for changes, for queries of other units, or for other processes that write.
 */
import type { JsonObject } from "../../utils/json.ts";
import type { PoolLoad } from "../../utils/postgres/pool.ts";
import type { ByteStore } from "./bytes.ts";
import type { CaseSums } from "./case_sums.ts";
import type { Filter, Page, RowQuery } from "./query.ts";
import type { FieldSource, Rename, Use, ValueCount } from "./uses.ts";

/** A case as it is stored. */
export interface StoredCase {
  /** Case handle, e.g. `CITY-PERMIT-WORK P-1`. */
  id: string;
  /** The part of the handle that people use, e.g. `P-1`. */
  businessId: string;
  /** Case type ID. */
  typeId: string;
  /** Handle of the parent case. */
  parentId?: string;
  /** Status, e.g. `Open`. */
  status: string;
  /** Urgency, 0 to 100. */
  urgency: number;
  /** Current stage. */
  stageId: string;
  /** Operator who created it. */
  createdBy: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  createdAt: string;
  /** Operator who changed it last. */
  updatedBy: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  updatedAt: string;
  /** Entity tag: strictly newer at every change, e.g. `20260102T030405.678 GMT`. */
  tag: string;
  /** Values of the fields. */
  content: JsonObject;
  /** Visited stages and running processes. */
  flow: JsonObject;
}

/** An open assignment. A performed assignment is deleted; the history records it. */
export interface StoredAssignment {
  /** Assignment handle, e.g. `ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE`. */
  id: string;
  caseId: string;
  /** Process it belongs to. */
  processId: string;
  /** Step of the process. */
  stepId: string;
  /** Urgency, 0 to 100. */
  urgency: number;
  /** ISO 8601 time, UTC, with milliseconds. */
  createdAt: string;
  /** The worklist of an operator, or a queue. */
  assignee: { kind: "operator" | "queue"; id: string };
  /** Draft and visited steps. */
  state: JsonObject;
}

/** A case with its position. */
export interface CasePlace {
  readonly stored: StoredCase;
  /** Open assignments. */
  readonly assignments: readonly StoredAssignment[];
}

/** One line of a case's history. */
export interface StoredHistoryEvent {
  caseId: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  at: string;
  /** Operator who caused it. */
  by: string;
  /** Kind of the event, e.g. `created`, `performed`, `stage`, `resolved`. */
  kind: string;
  text: string;
  /** Facts, e.g. the action and the submitted content. */
  facts: JsonObject;
}

/** A data record as it is stored. */
export interface StoredRecord {
  /** Class of the record. */
  classId: string;
  /** Key within the class: the values of the key fields as a JSON array. */
  key: string;
  /** Entity tag. */
  tag: string;
  /** Values of the fields. */
  content: JsonObject;
}

/** A client and its operator. */
export interface StoredClient {
  /** Client ID. */
  id: string;
  /** Hash of its secret. */
  secretHash: string;
  /** Operator that it acts as. */
  operator: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  createdAt: string;
}

/** An issued access token. */
export interface StoredToken {
  /** Hash of the token. */
  hash: string;
  /** ID of the client. */
  clientId: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  expiresAt: string;
}

/** An object that belongs to an owner, e.g. a message of a case, a tag, a conversation. */
export interface StoredItem {
  /** Kind, e.g. `message`. */
  kind: string;
  /** ID, unique within its kind. */
  id: string;
  /** Owner, e.g. a case handle. */
  owner: string;
  /** ISO 8601 time, UTC, with milliseconds. It orders the items of an owner. */
  at: string;
  content: JsonObject;
}

/** A response that is sent again when a request with the same key is repeated. */
export interface StoredResponse {
  /** Operator to whom the key belongs. */
  caller: string;
  key: string;
  /** Digest of the request. */
  request: string;
  /** Time of the service's clock, ISO 8601, UTC, with milliseconds. */
  at: string;
  status: number;
  headers: JsonObject;
  /** Body, or an empty string. */
  body: string;
}

/** The number of uses of a text. */
export interface TextUse {
  readonly text: string;
  /** Uses by all owners. */
  readonly everywhere: number;
  /** Uses by the requested owner. */
  readonly here: number;
}

/** A range of items. */
export interface ItemRange {
  /** ISO 8601 time. Only items before it are read. */
  before?: string;
  /** Maximum number of items. The newest are read. */
  limit?: number;
  /** Names of recipients (`nameRecipient`). Messages that have none of them may be left out. */
  recipients?: readonly string[];
}

/** Reads and changes of one unit of work. It ends with the function that received it; later calls throw. */
export interface Transaction {
  /** Performs a part of the unit of work. If the part throws, its changes are undone, and the unit can continue. */
  attempt<T>(part: () => Promise<T>): Promise<T>;
  /** Returns the next number of a sequence, starting at 1. */
  nextNumber(sequence: string): Promise<number>;
  /** Reads a case, if it exists. */
  getCase(id: string): Promise<StoredCase | undefined>;
  /** Writes a new case or a new state of a case, whose number, type, parent, creator and time of creation stay. */
  putCase(stored: StoredCase): Promise<void>;
  /** Removes a case with its assignments, its history and the items that belong to it. */
  deleteCase(id: string): Promise<void>;
  /** Lists the child cases, in order of creation. */
  listChildren(id: string): Promise<StoredCase[]>;
  /** Writes a new assignment or a new state of an assignment, whose case stays. */
  putAssignment(stored: StoredAssignment): Promise<void>;
  /** Removes an assignment. */
  deleteAssignment(id: string): Promise<void>;
  /** Lists the open assignments of a case, in order of creation. */
  listAssignments(caseId: string): Promise<StoredAssignment[]>;
  /**
   * Finds the most urgent, then oldest assignment of an operator or of the queues. Assignments that are not workable in
   * the current state of their case are skipped. A unit that changes data has the case of the assignment to itself, and
   * skips assignments of queues whose cases other units are changing.
   */
  nextAssignment(
    operator: string,
    queues: readonly string[],
    isWorkable: (place: CasePlace) => boolean,
  ): Promise<StoredAssignment | undefined>;
  /** Adds a line to a case's history. */
  addEvent(event: StoredHistoryEvent): Promise<void>;
  /** Reads a record, if it exists. */
  getRecord(classId: string, key: string): Promise<StoredRecord | undefined>;
  /** Writes a new record or a new state of a record. */
  putRecord(stored: StoredRecord): Promise<void>;
  /** Removes a record. */
  deleteRecord(classId: string, key: string): Promise<void>;
  /** Reads an item, if it exists. */
  getItem(kind: string, id: string): Promise<StoredItem | undefined>;
  /** Writes a new item or a new state of an item. */
  putItem(item: StoredItem): Promise<void>;
  /** Removes an item. */
  deleteItem(kind: string, id: string): Promise<void>;
  /** Lists the items of an owner, or of all owners, newest first. */
  listItems(kind: string, owner?: string, range?: ItemRange): Promise<StoredItem[]>;
  /**
   * Counts the texts in a member of the items of a kind. The member may be a list of texts. With a filter, items of other
   * cases are left out.
   */
  textUses(kind: string, member: string, owner: string | undefined, cases?: Filter): Promise<TextUse[]>;
  /**
   * Reads the stored response for a caller's key, if it exists. A unit that changes data has the key to itself from then on:
   * other such units that read it wait until this one has ended.
   */
  getResponse(caller: string, key: string): Promise<StoredResponse | undefined>;
  /** Returns the time of the response that was stored last, if there is one. */
  findNewestResponseTime(): Promise<string | undefined>;
  /** Stores a response. It replaces a response with the same key. */
  putResponse(answer: StoredResponse): Promise<void>;
  /** Deletes up to `limit` of the oldest responses from before a time. Returns their number. */
  deleteResponses(before: string, limit: number): Promise<number>;
  /**
   * Queries records, cases, assignments, events or given rows. Throws `RowsTooLong` if the rows exceed the size of the page.
   * In a unit that only reads, a page may continue where the same operator's page of the same query has ended, as if no rows
   * before it had been added or removed.
   */
  queryRows(query: RowQuery, page: Page): Promise<JsonObject[]>;
  /** Counts all rows of a query. */
  countRows(query: RowQuery): Promise<number>;
  /** Counts the uses of names of the definition in stored data. */
  countUses(): Promise<Use[]>;
  /** Counts the values of fields by their types. */
  countValues(source: FieldSource): Promise<ValueCount[]>;
  /** Counts the records of a class whose key does not match the values of its key fields. */
  countMismatchedKeys(classId: string, key: readonly string[]): Promise<number>;
  /** Replaces a name of the definition in stored data. Returns the number of changed rows. */
  rename(change: Rename): Promise<number>;
  /** Reads a client, if it exists. */
  getClient(id: string): Promise<StoredClient | undefined>;
  /** Counts the clients. */
  countClients(): Promise<number>;
  /** Writes a new client. */
  putClient(client: StoredClient): Promise<void>;
  /** Reads a token with its client, if it exists. */
  getToken(hash: string): Promise<{ token: StoredToken; client: StoredClient } | undefined>;
  /** Removes a client with its tokens. Returns whether it existed. */
  deleteClient(id: string): Promise<boolean>;
  /** Removes a token. */
  deleteToken(hash: string): Promise<void>;
  /** Writes a new token, and deletes tokens that expired before a time. */
  putToken(token: StoredToken, expiredBefore: string): Promise<void>;
}

/** Thrown if the database stays locked by another process, or if too many queries are waiting. Retry the unit later. */
export class StoreBusy extends Error {}

/** Thrown if the disk of the database is full. Reads still work. */
export class StoreFull extends Error {}

/** Thrown if the database cannot be reached. Retry the unit later: the store reconnects. */
export class StoreUnavailable extends Error {}

/** Thrown if the connection to the database was lost during a commit. The changes of the unit may be durable. */
export class OutcomeUnknown extends Error {}

/** A database server, which other processes may use at the same time. */
export interface StoreServer {
  /** Stores files in the database. */
  readonly files: ByteStore;
  /** Returns the time of its clock, which all processes share. Throws `StoreUnavailable` if it cannot be reached. */
  readTime(): Promise<Date>;
}

/** Queries of units that only read, at one time. */
export interface QueryLoad {
  readonly running: number;
  /** Number of queries that wait for their first turn. */
  readonly waiting: number;
  /** Number of queries that have exceeded the short time limit and wait for another turn. */
  readonly waitingLong: number;
}

/** The load of a database at one time. */
export interface StoreLoad {
  /** Queries. Undefined for a database in memory, where they do not wait. */
  readonly queries?: QueryLoad;
  /** Connections to a database server by their use. Undefined for an embedded database. */
  readonly pools?: Readonly<Record<string, PoolLoad>>;
}

/** A database with the state of one application. */
export interface Store {
  /** The database server. Undefined if the database is embedded, so that only this process serves its state. */
  readonly server?: StoreServer;
  /**
   * Runs a unit of work, and resolves with its result when its changes are durable. Units that wait at the same time share
   * one commit. If the work throws, its changes are undone and the promise is rejected with the same error.
   */
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs a unit of work that only reads; a change throws. Its queries have a time limit: a query that takes too long throws
   * `QueryTooSlow`. The queries of different operators take turns.
   */
  read<T>(work: (transaction: Transaction) => Promise<T>, operator?: string): Promise<T>;
  /**
   * Creates indexes on fields of cases, maintains sums of cases, and drops all others. Queries that compare the fields or sort
   * by them use the indexes. Queries that the sums serve do not read the cases. Takes seconds for a million cases, and returns
   * at once if there is nothing to do.
   */
  indexFields(fields: readonly (readonly string[])[], sums?: readonly CaseSums[]): Promise<void>;
  /** Returns the load, for metrics. */
  readLoad(): StoreLoad;
  /** Waits for the units that have started, then closes the database. */
  close(): Promise<void>;
}
