/**
 * What the service keeps, and the one narrow way to it. Nothing outside this folder knows which database is below, and
 * everything is asynchronous, so that a database over a socket can take SQLite's place.
 */
import type { JsonObject } from "../../utils/json.ts";
import type { Page, RowQuery } from "./query.ts";

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
  /** The fields. */
  content: JsonObject;
  /** What the engine remembers of the case's way: visited stages, running processes. */
  flow: JsonObject;
}

/** An open assignment as it is stored; a performed one is gone, the history tells of it. */
export interface StoredAssignment {
  /** Assignment handle, e.g. `ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE`. */
  id: string;
  /** Its case. */
  caseId: string;
  /** Process it belongs to. */
  processId: string;
  /** Step of the process. */
  stepId: string;
  /** Urgency, 0 to 100. */
  urgency: number;
  /** ISO 8601 time, UTC, with milliseconds. */
  createdAt: string;
  /** A person's worklist, or a queue from which a person takes it. */
  assignee: { kind: "operator" | "queue"; id: string };
  /** Draft and visited steps. */
  state: JsonObject;
}

/** Where a case is. */
export interface CasePlace {
  /** Its case type. */
  readonly typeId: string;
  /** Its stage. */
  readonly stageId: string;
  /** What the engine keeps of it. */
  readonly flow: JsonObject;
  /** Its open assignments. */
  readonly assignments: readonly StoredAssignment[];
}

/** One line of a case's history. */
export interface StoredEvent {
  /** The case. */
  caseId: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  at: string;
  /** Operator who did it. */
  by: string;
  /** What happened, e.g. `created`, `performed`, `stage`, `resolved`. */
  kind: string;
  /** A sentence for people. */
  text: string;
  /** Its facts, e.g. the action and the content that was submitted. */
  facts: JsonObject;
}

/** A data record as it is stored. */
export interface StoredRecord {
  /** Class of the record: what its data views have in common. */
  classId: string;
  /** Key of the record within its class: the key fields' values as JSON text. */
  key: string;
  /** Entity tag. */
  tag: string;
  /** The fields. */
  content: JsonObject;
}

/** A program that may call, and as whom. */
export interface StoredClient {
  /** Client ID. */
  id: string;
  /** Hash of its secret. */
  secretHash: string;
  /** Operator as whom it works. */
  operator: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  createdAt: string;
}

/** An access token that was given out. */
export interface StoredToken {
  /** Hash of the token. */
  hash: string;
  /** Client to which it was given. */
  clientId: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  expiresAt: string;
}

/** A thing that belongs to something else: a message of a case, a case's tag, a conversation with an agent. */
export interface StoredItem {
  /** What it is, e.g. `message`. */
  kind: string;
  /** ID, of which there is one within its kind. */
  id: string;
  /** What it belongs to, e.g. a case handle. */
  owner: string;
  /** ISO 8601 time, UTC, with milliseconds: the items of an owner are in its order. */
  at: string;
  /** Its members. */
  content: JsonObject;
}

/** An answer that a caller gets again who repeats the request with the same key. */
export interface StoredAnswer {
  /** Operator whose key it is. */
  caller: string;
  /** The key. */
  key: string;
  /** Digest of the request. */
  request: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  at: string;
  /** HTTP status. */
  status: number;
  /** Headers. */
  headers: JsonObject;
  /** Body; empty where there is none. */
  body: string;
}

/** How often a text is found. */
export interface TextUse {
  /** The text. */
  readonly text: string;
  /** With all owners. */
  readonly everywhere: number;
  /** With the owner that was asked for. */
  readonly here: number;
}

/** Which items of an owner are wanted. */
export interface ItemRange {
  /** Only those before a time, in ISO 8601. */
  before?: string;
  /** Not more than these: the newest. */
  limit?: number;
}

/** Everything that one unit of work may read and change. Its changes become durable together, or not at all. */
export interface Transaction {
  /** Does a part of the work. One that throws leaves nothing behind, and the rest may go on. */
  attempt<T>(part: () => Promise<T>): Promise<T>;
  /** The next number of a sequence, from 1. */
  nextNumber(sequence: string): Promise<number>;
  /** A case, if it exists. */
  getCase(id: string): Promise<StoredCase | undefined>;
  /** Writes a new case or a new state of a case, whose number, type, parent, creator and time of creation stay. */
  putCase(stored: StoredCase): Promise<void>;
  /** Removes a case with its assignments, its history and the items that belong to it. */
  deleteCase(id: string): Promise<void>;
  /** The cases whose parent it is, in order of creation. */
  listChildren(id: string): Promise<StoredCase[]>;
  /** Writes a new assignment or a new state of an assignment, whose case stays. */
  putAssignment(stored: StoredAssignment): Promise<void>;
  /** Removes an assignment. */
  deleteAssignment(id: string): Promise<void>;
  /** The open assignments of a case, in order of creation. */
  listAssignments(caseId: string): Promise<StoredAssignment[]>;
  /**
   * The most urgent, then oldest assignment of a person or of the queues: those of nobody else. Those that the person
   * could not work on, as their case is, are passed over.
   */
  nextAssignment(
    operator: string,
    queues: readonly string[],
    isWorkable: (place: CasePlace) => boolean,
  ): Promise<StoredAssignment | undefined>;
  /** Adds a line to a case's history. */
  addEvent(event: StoredEvent): Promise<void>;
  /** A record, if it exists. */
  getRecord(classId: string, key: string): Promise<StoredRecord | undefined>;
  /** Writes a new record or a new state of a record. */
  putRecord(stored: StoredRecord): Promise<void>;
  /** Removes a record. */
  deleteRecord(classId: string, key: string): Promise<void>;
  /** An item, if it exists. */
  getItem(kind: string, id: string): Promise<StoredItem | undefined>;
  /** Writes a new item or a new state of an item. */
  putItem(item: StoredItem): Promise<void>;
  /** Removes an item. */
  deleteItem(kind: string, id: string): Promise<void>;
  /** The items of an owner, or of all owners, newest first. */
  listItems(kind: string, owner?: string, range?: ItemRange): Promise<StoredItem[]>;
  /** The texts that the items of a kind have in a member, which may be a list of them; none is read by itself. */
  textUses(kind: string, member: string, owner: string | undefined): Promise<TextUse[]>;
  /** The answer that was kept for a caller's key, if there is one. */
  getAnswer(caller: string, key: string): Promise<StoredAnswer | undefined>;
  /** Keeps an answer, in the place of one with the same key. */
  putAnswer(answer: StoredAnswer): Promise<void>;
  /** Removes answers from before a time: of the oldest, not more than these. Answers how many. */
  deleteAnswers(before: string, limit: number): Promise<number>;
  /** Rows of records, cases, assignments or events; throws `RowsTooLong` where they exceed the size of the page. */
  queryRows(query: RowQuery, page: Page): Promise<JsonObject[]>;
  /** How many rows a query has in all. */
  countRows(query: RowQuery): Promise<number>;
  /** A client, if it exists. */
  getClient(id: string): Promise<StoredClient | undefined>;
  /** The number of clients. */
  countClients(): Promise<number>;
  /** Writes a new client. */
  putClient(client: StoredClient): Promise<void>;
  /** A token with its client, if it exists. */
  getToken(hash: string): Promise<{ token: StoredToken; client: StoredClient } | undefined>;
  /** Writes a new token and forgets those that expired before a time. */
  putToken(token: StoredToken, expiredBefore: string): Promise<void>;
}

/** A database with the state of one application. */
export interface Store {
  /**
   * Does a unit of work and answers when it is durable. Units run one after another, so none sees another's half; those
   * that wait at the same time share one commit. One that throws leaves nothing behind.
   */
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** The same for a unit that is expected to change nothing: it does not wait for others to share a commit with. */
  read<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Finishes the work in hand and closes the database. */
  close(): Promise<void>;
}
