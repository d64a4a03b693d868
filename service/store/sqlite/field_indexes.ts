/** Indexes on fields of cases. */
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** Prefix of the names of the indexes. */
const PREFIX = "casesByField_";

/**
 * The indexes of fields that the definition declares. SQLite uses such an index only if the statement contains the path
 * of the field as text. The text comes from the definition, never from a query.
 */
export class FieldIndexes {
  /** Expressions by the path of a field. */
  #expressions: ReadonlyMap<string, string> = new Map();

  /** Returns the SQL expression of a field that has an index. */
  find(members: readonly string[]): string | undefined {
    return this.#expressions.size === 0 ? undefined : this.#expressions.get(toJsonPath(members));
  }

  /** Reports whether the indexes of a database are those of the fields. */
  areCreated(db: DatabaseSync, fields: readonly (readonly string[])[]): boolean {
    const wanted = describeIndexes(fields);
    const found = readIndexes(db);
    return wanted.size === found.size && [...wanted].every(([name, sql]) => found.get(name) === sql);
  }

  /** Creates the missing indexes, and drops those that no field requires. */
  create(db: DatabaseSync, fields: readonly (readonly string[])[]): void {
    const wanted = describeIndexes(fields);
    const found = readIndexes(db);
    for (const [name, sql] of found) {
      if (wanted.get(name) !== sql) db.exec(`DROP INDEX ${name}`); // The name is one that `describeIndexes` made.
    }
    for (const [name, sql] of wanted) {
      if (found.get(name) !== sql) db.exec(sql);
    }
  }

  /** Uses the indexes of the fields from now on. */
  use(fields: readonly (readonly string[])[]): void {
    this.#expressions = new Map(fields.map((members) => [toJsonPath(members), compileExpression(members)]));
  }
}

/** Returns the path of a value in JSON. Its members are JSON strings, which contain no control characters. */
export function toJsonPath(members: readonly string[]): string {
  return "$" + members.map((name) => "." + JSON.stringify(name)).join("");
}

/** Compiles the value of a field. A damaged text counts as a missing value, so that its row can be replaced. */
function compileExpression(members: readonly string[]): string {
  const path = `'${toJsonPath(members).replaceAll("'", "''")}'`;
  return `iif(json_valid(content), json_extract(content, ${path}), NULL)`;
}

/** Returns the statements that create the indexes, by their names. */
function describeIndexes(fields: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  return new Map(fields.map((members) => {
    const name = PREFIX + createHash("sha256").update(toJsonPath(members)).digest("hex").slice(0, 32);
    return [name, `CREATE INDEX ${name} ON cases (${compileExpression(members)}, seq, typeId)`];
  }));
}

function readIndexes(db: DatabaseSync): ReadonlyMap<string, string> {
  const sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name GLOB ?";
  const name = `${PREFIX}${"[0-9a-f]".repeat(32)}`;
  return new Map(db.prepare(sql).all(name).map((row) => [String(row.name), String(row.sql)]));
}
