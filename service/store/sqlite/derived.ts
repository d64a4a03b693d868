/** Tables that the store derives from its rows, and the statements that keep them up to date. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  buildSearchText,
  COUNTED_MEMBERS,
  type ItemMember,
  listCountedTexts,
  listRecipients,
  RECIPIENT_MEMBERS,
} from "../derived.ts";
import type { StoredCase, StoredItem } from "../store.ts";
import type { Change } from "./uses.ts";
import { areSumsRight, refillSums, SUMS_TABLES } from "./case_sums.ts";
import { parseContent } from "./tables.ts";
import type { RowProgress } from "./upgrade/seal_rows.ts";
import { inTransaction } from "../../../utils/sqlite/in_transaction.ts";

/**
 * The text index: it finds cases by trigrams. It stores no positions of the trigrams, so that changes take about half the
 * time.
 */
const TEXT_INDEX = `CREATE VIRTUAL TABLE IF NOT EXISTS caseTexts USING fts5(
  text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);`;

/** Statements that replace the text index of an earlier version by an empty one. */
export const EMPTY_TEXT_INDEX = `DROP TABLE IF EXISTS caseTexts; ${TEXT_INDEX}`;

/** The tables. Changed cases wait in `staleTexts`, because adding many texts to the index at once is faster. */
export const DERIVED_TABLES = `
  CREATE TABLE IF NOT EXISTS caseCounts (
    typeId TEXT NOT NULL,
    status TEXT NOT NULL,
    stageId TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (typeId, status, stageId)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS textCounts (
    kind TEXT NOT NULL,
    member TEXT NOT NULL,
    text TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (kind, member, text)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS itemRecipients (
    kind TEXT NOT NULL,
    recipient TEXT NOT NULL,
    at TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (kind, recipient, at, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS staleTexts (seq INTEGER PRIMARY KEY) STRICT;
  ${TEXT_INDEX}
`;

/** The derived tables, and the queries that compute their rows. */
const DERIVED_ROWS: Readonly<Record<string, string>> = {
  caseCounts: "SELECT typeId, status, stageId, COUNT(*) FROM cases GROUP BY typeId, status, stageId",
  textCounts: COUNTED_MEMBERS.map(({ kind, member }) =>
    `SELECT '${kind}', '${member}', text, COUNT(*) FROM (${selectTexts({ kind, member })}) GROUP BY text`
  ).join(" UNION ALL "),
  itemRecipients: RECIPIENT_MEMBERS.map(({ role, ...member }) =>
    `SELECT '${member.kind}', '${role} ' || text, at, seq FROM (${selectTexts(member)})`
  ).join(" UNION "),
};

/** Statements that compute the counts and recipients again, after names in the rows have been replaced. */
export const FILL_DERIVED: readonly string[] = Object.entries(DERIVED_ROWS).flatMap(([table, rows]) => [
  `DELETE FROM ${table}`,
  `INSERT INTO ${table} ${rows}`,
]);

/** Lists the derived tables whose rows are not those that an intact database would compute, and the index of texts. */
export function findWrongTables(db: DatabaseSync): string[] {
  const hasRows = (sql: string) => db.prepare(`SELECT 1 FROM (${sql}) LIMIT 1`).get() !== undefined;
  const wrong = Object.entries(DERIVED_ROWS).filter(([table, rows]) => {
    const [computed, kept] = [`SELECT * FROM (${rows})`, `SELECT * FROM ${table}`];
    return hasRows(`${computed} EXCEPT ${kept}`) || hasRows(`${kept} EXCEPT ${computed}`);
  });
  const [cases, texts] = ["SELECT seq FROM cases", "SELECT id FROM caseTexts_docsize"];
  const areTextsWrong = hasRows(`${cases} EXCEPT ${texts} EXCEPT SELECT seq FROM staleTexts`) ||
    hasRows(`${texts} EXCEPT ${cases}`);
  return [
    ...wrong.map(([table]) => table),
    ...(areTextsWrong ? ["caseTexts"] : []),
    ...(areSumsRight(db) ? [] : ["caseSums"]),
  ];
}

/** Derives all rows again, after the rows that they come from were copied or the derived rows were damaged. */
export function fillDerived(db: DatabaseSync): void {
  defineSearchText(db);
  inTransaction(db, () => {
    for (const sql of [...FILL_DERIVED, EMPTY_TEXT_INDEX, "DELETE FROM staleTexts", SUMS_TABLES]) db.exec(sql);
    refillSums(db);
  });
  addAllTexts(db).forEach(() => {});
}

function selectTexts({ kind, member }: ItemMember): string {
  const items = `SELECT items.at, items.seq`;
  if (member === undefined) return `${items}, owner AS text FROM items WHERE kind = '${kind}'`;
  const content = "iif(json_valid(items.content), items.content, '{}')"; // That of a damaged row counts as empty.
  return `${items}, json_each.value AS text FROM items, json_each(${content}, '$.${member}')
    WHERE items.kind = '${kind}' AND json_each.type = 'text'`;
}

/** The statements that keep derived rows. */
export const DERIVED_SQL = {
  addCase: `INSERT INTO caseCounts VALUES (?, ?, ?, 1)
    ON CONFLICT (typeId, status, stageId) DO UPDATE SET number = number + 1`,
  removeCase: "UPDATE caseCounts SET number = number - 1 WHERE typeId = ? AND status = ? AND stageId = ?",
  dropCases: "DELETE FROM caseCounts WHERE typeId = ? AND status = ? AND stageId = ? AND number <= 0",
  addText: `INSERT INTO textCounts VALUES (?, ?, ?, 1)
    ON CONFLICT (kind, member, text) DO UPDATE SET number = number + 1`,
  removeText: "UPDATE textCounts SET number = number - 1 WHERE kind = ? AND member = ? AND text = ?",
  dropTexts: "DELETE FROM textCounts WHERE kind = ? AND member = ? AND text = ? AND number <= 0",
  addRecipient: "INSERT OR IGNORE INTO itemRecipients VALUES (?, ?, ?, ?)",
  removeRecipient: "DELETE FROM itemRecipients WHERE kind = ? AND recipient = ? AND at = ? AND seq = ?",
  addStaleText: "INSERT OR IGNORE INTO staleTexts VALUES (?)",
  countStaleTexts: "SELECT COUNT(*) AS count FROM staleTexts",
  removeTexts: "DELETE FROM caseTexts WHERE rowid IN (SELECT seq FROM staleTexts)",
  addTexts: `INSERT INTO caseTexts (rowid, text) SELECT seq, search_text(businessId, content) FROM cases
    WHERE seq IN (SELECT seq FROM staleTexts)`,
  dropText: "DELETE FROM caseTexts WHERE rowid = ?",
  dropStaleText: "DELETE FROM staleTexts WHERE seq = ?",
  clearStaleTexts: "DELETE FROM staleTexts",
} as const;

/** Number of stale texts from which they are added to the index. Every search also reads their cases. */
export const MAX_STALE = 256;

/** Number of changes after which the stale texts are counted. */
export const STALE_INTERVAL = 32;

/** A change of derived rows. */
export type DerivedChange = readonly [statement: keyof typeof DERIVED_SQL, ...parameters: SQLInputValue[]];

type CaseGroup = Pick<StoredCase, "typeId" | "status" | "stageId">;

/** Lists the changes of the counts when a case changes, is added or removed. */
export function deriveFromCase(before: CaseGroup | undefined, after: CaseGroup | undefined): DerivedChange[] {
  const [from, to] = [before, after].map((group) => group && [group.typeId, group.status, group.stageId] as const);
  if (from !== undefined && to !== undefined && from.join("\0") === to.join("\0")) return [];
  return [
    ...(from === undefined ? [] : [["removeCase", ...from], ["dropCases", ...from]] as const),
    ...(to === undefined ? [] : [["addCase", ...to]] as const),
  ];
}

/** An item with the number of its row. */
export interface NumberedItem extends StoredItem {
  readonly seq: number;
}

/** Lists the changes of derived rows when an item changes, is added or removed. */
export function deriveFromItem(before: NumberedItem | undefined, after: NumberedItem | undefined): DerivedChange[] {
  const removed = before === undefined ? [] : listDerived(before);
  const added = after === undefined ? [] : listDerived(after);
  if (JSON.stringify(removed) === JSON.stringify(added)) return [];
  return [
    ...removed.flatMap(({ table, row }): DerivedChange[] =>
      table === "texts" ? [["removeText", ...row], ["dropTexts", ...row]] : [["removeRecipient", ...row]]
    ),
    ...added.map(({ table, row }): DerivedChange => [table === "texts" ? "addText" : "addRecipient", ...row]),
  ];
}

function listDerived(item: NumberedItem): { readonly table: "texts" | "recipients"; readonly row: SQLInputValue[] }[] {
  return [
    ...listCountedTexts(item).map(({ member, text }) => ({ table: "texts" as const, row: [item.kind, member, text] })),
    ...listRecipients(item).map((recipient) => ({
      table: "recipients" as const,
      row: [item.kind, recipient, item.at, item.seq],
    })),
  ];
}

/** Maximum number of recipients of one statement. SQLite allows 500 parts. */
export const MAX_RECIPIENTS = 400;

/** Compiles the statement that lists the newest items of a kind that have one of up to `MAX_RECIPIENTS` recipients. */
export function compileReceived(kind: string, recipients: readonly string[], before: string, limit: number): Change {
  const ofEach = recipients.map((_, index) =>
    `SELECT seq FROM (SELECT seq FROM itemRecipients WHERE kind = ?1 AND recipient = ?${index + 4} AND at < ?2
      ORDER BY at DESC, seq DESC LIMIT ?3)`
  );
  return {
    sql: `SELECT * FROM items WHERE seq IN (${ofEach.join(" UNION ALL ")}) ORDER BY at DESC, seq DESC LIMIT ?3`,
    parameters: [kind, before, limit, ...recipients],
  };
}

/** Compiles the statement that reads the counts of a member's texts, with the number of uses by an owner. */
export function compileCountedTexts(kind: string, member: string, owner: string): Change {
  return {
    sql: `SELECT textCounts.text, number AS everywhere, IFNULL(own.here, 0) AS here FROM textCounts
      LEFT JOIN (
        SELECT json_each.value AS text, COUNT(*) AS here FROM items, json_each(items.content, '$.' || ?2)
        WHERE items.kind = ?1 AND items.owner = ?3 GROUP BY json_each.value
      ) AS own ON own.text = textCounts.text
      WHERE textCounts.kind = ?1 AND textCounts.member = ?2`,
    parameters: [kind, member, owner],
  };
}

/** Defines the SQL function `search_text` on a connection. */
export function defineSearchText(db: DatabaseSync): void {
  db.function("search_text", { deterministic: true }, (businessId, content) => {
    return buildSearchText(String(businessId), parseContent(content));
  });
}

/** Number of texts that share a transaction. */
const BATCH = 500;

/** Adds the texts of all cases to the index. Each batch is a transaction. A later call continues after an interruption. */
export function* addAllTexts(db: DatabaseSync): Generator<RowProgress> {
  const read = (statement: StatementSync, ...parameters: SQLInputValue[]) =>
    Number(statement.get(...parameters)?.n ?? 0);
  const total = read(db.prepare("SELECT COUNT(*) AS n FROM cases"));
  let last = read(db.prepare("SELECT MAX(id) AS n FROM caseTexts_docsize"));
  let done = read(db.prepare("SELECT COUNT(*) AS n FROM cases WHERE seq <= ?"), last);
  const findEnd = db.prepare(
    `SELECT MAX(seq) AS n, COUNT(*) AS count FROM (SELECT seq FROM cases WHERE seq > ? ORDER BY seq LIMIT ${BATCH})`,
  );
  const add = db.prepare(
    `INSERT INTO caseTexts (rowid, text) SELECT seq, search_text(businessId, content) FROM cases
      WHERE seq > ? AND seq <= ?`,
  );
  for (;;) {
    const { n, count } = findEnd.get(last) ?? {};
    if (n === null || n === undefined) return;
    const first = last;
    inTransaction(db, () => add.run(first, n));
    last = Number(n);
    yield { done: done += Number(count), total };
  }
}
