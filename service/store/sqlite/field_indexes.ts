/** Indexes on fields of cases. */
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { CaseSums } from "../case_sums.ts";

/** Prefixes of the names of the indexes. */
const PREFIXES = { field: "casesByField_", group: "casesByGroup_" } as const;

/** Indexes of fields, and sums, that queries need. */
export interface WantedIndexes {
  readonly fields: readonly (readonly string[])[];
  readonly sums: readonly CaseSums[];
}

/**
 * The indexes of fields that the definition declares, and those that find the least and the greatest value of a group. SQLite
 * uses such an index only if the statement contains the path of the field as text. The text comes from the definition, never
 * from a query.
 */
export class FieldIndexes {
  /** Expressions by the path of a field. */
  #expressions: ReadonlyMap<string, string> = new Map();
  #sums: readonly CaseSums[] = [];

  /** The sums that queries can use. */
  get sums(): readonly CaseSums[] {
    return this.#sums;
  }

  /** Returns the SQL expression of a field that has an index. */
  find(members: readonly string[]): string | undefined {
    return this.#expressions.size === 0 ? undefined : this.#expressions.get(toJsonPath(members));
  }

  /** Reports whether the indexes of a database are those that queries need. */
  areCreated(db: DatabaseSync, wanted: WantedIndexes): boolean {
    const indexes = describeIndexes(wanted);
    const found = readIndexes(db);
    return indexes.size === found.size && [...indexes].every(([name, sql]) => found.get(name) === sql);
  }

  /** Creates the missing indexes, and drops those that no query needs. */
  create(db: DatabaseSync, wanted: WantedIndexes): void {
    const indexes = describeIndexes(wanted);
    const found = readIndexes(db);
    for (const [name, sql] of found) {
      if (indexes.get(name) !== sql) db.exec(`DROP INDEX ${name}`); // The name is one that `describeIndexes` made.
    }
    for (const [name, sql] of indexes) {
      if (found.get(name) !== sql) db.exec(sql);
    }
  }

  /** Uses the indexes and the sums from now on. */
  use({ fields, sums }: WantedIndexes): void {
    this.#expressions = new Map(fields.map((members) => [toJsonPath(members), compileExpression(members)]));
    this.#sums = sums;
  }
}

/** Returns the path of a value in JSON. Its members are JSON strings, which contain no control characters. */
export function toJsonPath(members: readonly string[]): string {
  return "$" + members.map((name) => "." + JSON.stringify(name)).join("");
}

/** Compiles the value of a field. A damaged text counts as a missing value, so that its row can be replaced. */
function compileExpression(members: readonly string[], table?: string): string {
  return ifValid((content) => `json_extract(${content}, ${quotePath(members)})`, table);
}

/** Compiles the JSON of a field that makes groups. */
function compileGroup(name: string, table?: string): string {
  return ifValid((content) => `${content} -> ${quotePath([name])}`, table);
}

function ifValid(compile: (content: string) => string, table?: string): string {
  const content = table === undefined ? "content" : `${table}.content`;
  return `iif(json_valid(${content}), ${compile(content)}, NULL)`;
}

function quotePath(members: readonly string[]): string {
  return `'${toJsonPath(members).replaceAll("'", "''")}'`;
}

/** Compiles the least or the greatest value of a field in the group of cases that a row of `cells` has. An index finds it. */
export function compileExtreme(
  summary: "MIN" | "MAX",
  { groups }: CaseSums,
  members: readonly string[],
  cells: string,
): string {
  const isEqual = [
    `${compilePlace("one")} = ${compilePlace(cells)}`,
    ...groups.map((name) => `${compileGroup(name, "one")} IS ${compileGroup(name, cells)}`),
  ];
  return `${summary}((SELECT ${summary}(${compileExpression(members, "one")}) FROM cases AS one
    WHERE ${isEqual.join(" AND ")}))`;
}

/**
 * Compiles the type, the status and the stage as one value. SQLite would use an index that begins with one of them for other
 * queries, and sort their rows.
 */
function compilePlace(table?: string): string {
  const columns = ["typeId", "status", "stageId"].map((name) => table === undefined ? name : `${table}.${name}`);
  return `json_array(${columns.join(", ")})`;
}

/** Returns the statements that create the indexes, by their names. */
function describeIndexes({ fields, sums }: WantedIndexes): ReadonlyMap<string, string> {
  const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);
  const byField = fields.map((members): [string, readonly string[]] => [
    PREFIXES.field + digest(toJsonPath(members)),
    [compileExpression(members), "seq", "typeId"],
  ]);
  const byGroup = sums.flatMap(({ groups, extremes }) =>
    extremes.map((members): [string, readonly string[]] => [
      PREFIXES.group + digest(JSON.stringify([groups, members])),
      [compilePlace(), ...groups.map((group) => compileGroup(group)), compileExpression(members)],
    ])
  );
  return new Map([...byField, ...byGroup].map(([name, columns]) => [
    name,
    `CREATE INDEX ${name} ON cases (${columns.join(", ")})`,
  ]));
}

function readIndexes(db: DatabaseSync): ReadonlyMap<string, string> {
  const sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND (name GLOB ? OR name GLOB ?)";
  const names = Object.values(PREFIXES).map((prefix) => prefix + "[0-9a-f]".repeat(32));
  return new Map(db.prepare(sql).all(...names).map((row) => [String(row.name), String(row.sql)]));
}
