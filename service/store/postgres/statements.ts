/** The statements of a transaction on PostgreSQL. Their names are those of prepared statements, too. */
import { insertInto, selectList, update, upsert } from "./rows.ts";

/** Number of assignments to read at a time. */
export const PAGE = 20;

const CASE = `SELECT ${selectList("cases")} FROM cases WHERE id = $1`;
const RECORD = `SELECT ${selectList("records")} FROM records WHERE "classId" = $1 AND key = $2`;
const ITEM = `SELECT ${selectList("items")} FROM items WHERE kind = $1 AND id = $2`;
const ASSIGNMENTS = `SELECT ${selectList("assignments")} FROM assignments`;
const ORDER = `urgency DESC, "createdAt", seq`;

/** A changed case still has its number, so that new rows may refer to it while it is locked. */
const LOCK = "FOR NO KEY UPDATE";

/** Statements by name. */
export const SQL = {
  getCase: CASE,
  lockCase: `${CASE} ${LOCK}`,
  tryLockCase: `${CASE} ${LOCK} SKIP LOCKED`,
  getCases: `SELECT ${selectList("cases")} FROM cases WHERE id = ANY($1)`,
  insertCase: insertInto("cases"),
  putCase: upsert("cases"),
  updateCase: update("cases"),
  deleteCase: "DELETE FROM cases WHERE id = $1",
  listChildren: `SELECT ${selectList("cases")} FROM cases WHERE "parentId" = $1 ORDER BY seq`,
  putAssignment: upsert("assignments"),
  deleteAssignment: "DELETE FROM assignments WHERE id = $1",
  listAssignments: `${ASSIGNMENTS} WHERE "caseId" = $1 ORDER BY seq`,
  listAssignmentsOf: `${ASSIGNMENTS} WHERE "caseId" = ANY($1) ORDER BY seq`,
  nextAssignments: `SELECT found.* FROM unnest($1::text[], $2::text[]) AS list (kind, id), LATERAL (
      SELECT ${selectList("assignments")}, seq FROM assignments
      WHERE "assigneeKind" = list.kind AND "assigneeId" = list.id AND urgency <= $3
        AND (urgency < $3 OR ("createdAt", seq) > ($4, $5))
      ORDER BY ${ORDER} LIMIT ${PAGE}
    ) AS found ORDER BY ${ORDER} LIMIT ${PAGE}`,
  addEvent: insertInto("events"),
  getRecord: RECORD,
  lockRecord: `${RECORD} ${LOCK}`,
  insertRecord: insertInto("records"),
  putRecord: upsert("records"),
  deleteRecord: `DELETE FROM records WHERE "classId" = $1 AND key = $2`,
  getItem: ITEM,
  lockItem: `${ITEM} ${LOCK}`,
  insertItem: insertInto("items"),
  putItem: upsert("items"),
  deleteItem: "DELETE FROM items WHERE kind = $1 AND id = $2",
  deleteItemsOf: "DELETE FROM items WHERE owner = $1",
  listItems: `SELECT ${selectList("items")} FROM items
    WHERE kind = $1 AND owner = $2 AND at < $3 ORDER BY at DESC, seq DESC LIMIT $4`,
  allItems: `SELECT ${selectList("items")} FROM items WHERE kind = $1 AND at < $2 ORDER BY at DESC, seq DESC LIMIT $3`,
  lockText: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
  getResponse: `SELECT ${selectList("answers")} FROM answers WHERE caller = $1 AND key = $2`,
  findNewestResponse: "SELECT at FROM answers ORDER BY seq DESC LIMIT 1",
  putResponse: upsert("answers"),
  deleteResponses: "DELETE FROM answers WHERE at < $1 AND seq IN (SELECT seq FROM answers ORDER BY seq LIMIT $2)",
  getClient: `SELECT ${selectList("clients")} FROM clients WHERE id = $1`,
  countClients: "SELECT COUNT(*) AS count FROM clients",
  putClient: insertInto("clients"),
  deleteClient: "DELETE FROM clients WHERE id = $1",
  getToken: `SELECT ${selectList("tokens")} FROM tokens WHERE hash = $1`,
  putToken: insertInto("tokens"),
  deleteToken: "DELETE FROM tokens WHERE hash = $1",
  deleteTokens: `DELETE FROM tokens
    WHERE hash = ANY(ARRAY(SELECT hash FROM tokens WHERE "expiresAt" < $1 FOR UPDATE SKIP LOCKED))`,
} as const;

/** The name of a statement. */
export type StatementName = keyof typeof SQL;
