/**
 * A unit of work as its caller may see it. A case that the caller may not see is missing, with everything that belongs to
 * it. Handlers receive no other access to the store, so that none of them can forget a right.
 */
import type { JsonObject } from "../../utils/json.ts";
import type { Application } from "../application/model/application.ts";
import type { ScopeContext } from "../cases/scope.ts";
import type { Filter, Page, RowQuery } from "../store/query.ts";
import type {
  CasePlace,
  ItemRange,
  StoredAssignment,
  StoredCase,
  StoredItem,
  TextUse,
  Transaction,
} from "../store/store.ts";
import { buildReadFilter, mayRead } from "./case_rights.ts";

/**
 * A unit of work that shows only what the caller may see. Only `listItems` without an owner shows all items, because its
 * pages must stay complete: check the owner of each item with `isVisible`.
 */
export interface CallerTransaction extends Transaction {
  /** The same unit of work without restrictions, for rules that do not depend on the caller. */
  readonly unrestricted: Transaction;
  /** Reports whether the caller may see the items of an owner: the owner is a case that the caller may see, or no case. */
  isVisible(owner: string): Promise<boolean>;
}

/** Restricts a unit of work to what the caller may see. */
export function restrict(tx: Transaction, app: Application, context: ScopeContext): CallerTransaction {
  const cases = buildReadFilter(app, context);
  const isReadable = (stored: StoredCase) => cases === undefined || mayRead(stored, { app, ...context });
  const visible = new Map<string, boolean>();

  async function isVisible(owner: string): Promise<boolean> {
    if (cases === undefined) return true;
    const known = visible.get(owner);
    if (known !== undefined) return known;
    const stored = await tx.getCase(owner);
    const result = stored === undefined || isReadable(stored);
    visible.set(owner, result);
    return result;
  }

  const reads = {
    async getCase(id: string): Promise<StoredCase | undefined> {
      const stored = await tx.getCase(id);
      return stored && isReadable(stored) ? stored : undefined;
    },
    async listChildren(id: string): Promise<StoredCase[]> {
      return (await tx.listChildren(id)).filter(isReadable);
    },
    async nextAssignment(
      operator: string,
      queues: readonly string[],
      isWorkable: (place: CasePlace) => boolean,
    ): Promise<StoredAssignment | undefined> {
      return await tx.nextAssignment(operator, queues, (place) => isReadable(place.stored) && isWorkable(place));
    },
    async getItem(kind: string, id: string): Promise<StoredItem | undefined> {
      const item = await tx.getItem(kind, id);
      return item && await isVisible(item.owner) ? item : undefined;
    },
    async listItems(kind: string, owner?: string, range?: ItemRange): Promise<StoredItem[]> {
      return owner === undefined || await isVisible(owner) ? await tx.listItems(kind, owner, range) : [];
    },
    async textUses(kind: string, member: string, owner: string | undefined): Promise<TextUse[]> {
      return await tx.textUses(kind, member, owner, cases);
    },
    async queryRows(query: RowQuery, page: Page): Promise<JsonObject[]> {
      return await tx.queryRows(restrictQuery(query, cases), page);
    },
    async countRows(query: RowQuery): Promise<number> {
      return await tx.countRows(restrictQuery(query, cases));
    },
  };
  return {
    unrestricted: tx,
    isVisible,
    ...reads,
    attempt: (part) => tx.attempt(part),
    nextNumber: (sequence) => tx.nextNumber(sequence),
    putCase: (stored) => tx.putCase(stored),
    deleteCase: (id) => tx.deleteCase(id),
    putAssignment: (stored) => tx.putAssignment(stored),
    deleteAssignment: (id) => tx.deleteAssignment(id),
    listAssignments: (caseId) => tx.listAssignments(caseId),
    addEvent: (event) => tx.addEvent(event),
    getRecord: (classId, key) => tx.getRecord(classId, key),
    putRecord: (stored) => tx.putRecord(stored),
    deleteRecord: (classId, key) => tx.deleteRecord(classId, key),
    putItem: (item) => tx.putItem(item),
    deleteItem: (kind, id) => tx.deleteItem(kind, id),
    getResponse: (caller, key) => tx.getResponse(caller, key),
    findNewestResponseTime: () => tx.findNewestResponseTime(),
    putResponse: (response) => tx.putResponse(response),
    deleteResponses: (before, limit) => tx.deleteResponses(before, limit),
    countUses: () => tx.countUses(),
    countMismatchedKeys: (...args) => tx.countMismatchedKeys(...args),
    countValues: (source) => tx.countValues(source),
    rename: (change) => tx.rename(change),
    getClient: (id) => tx.getClient(id),
    countClients: () => tx.countClients(),
    putClient: (client) => tx.putClient(client),
    deleteClient: (id) => tx.deleteClient(id),
    deleteToken: (hash) => tx.deleteToken(hash),
    getToken: (hash) => tx.getToken(hash),
    putToken: (token, expiredBefore) => tx.putToken(token, expiredBefore),
  };
}

function restrictQuery(query: RowQuery, cases: Filter | undefined): RowQuery {
  if (cases === undefined || query.source.kind === "records" || query.source.kind === "given") return query;
  return { ...query, cases: query.cases === undefined ? cases : { and: [query.cases, cases] } };
}
