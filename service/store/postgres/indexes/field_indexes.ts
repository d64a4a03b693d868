/** Indexes on fields of cases. */
import { createHash } from "node:crypto";
import type { Connection } from "../../../../utils/postgres/pool.ts";
import { BackgroundBuild, type BuildOptions } from "./background_build.ts";
import { quotePath } from "./quote_names.ts";

/**
 * Creates the function of the indexes. `svc_key` returns a text that sorts as its value: missing values, numbers, then texts.
 * Different values may have equal keys, because an entry of an index must be short. A key contains the first 200 characters
 * of a text, or the 64 bits of a number.
 */
export const KEY_FUNCTION = `
  CREATE FUNCTION svc_key(value text, number numeric) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  DECLARE
    bits bigint;
  BEGIN
    IF value IS NOT NULL THEN RETURN 't' || left(value, 200); END IF;
    IF number IS NULL THEN RETURN ''; END IF;
    bits := ('x' || encode(float8send(number::float8), 'hex'))::bit(64)::bigint;
    RETURN 'n' || lpad(to_hex(CASE WHEN bits < 0 THEN ~bits ELSE bits # (-9223372036854775807 - 1) END), 16, '0');
  END $$;
`;

/** Compiles the key of a value, which is a text or a number. */
export function compileKey(text = "NULL", number = "NULL"): string {
  return `svc_key(${text}, ${number}) COLLATE "C"`;
}

/** Compiles the text and the number in a JSON value. */
export function compileScalar(json: string): { readonly text: string; readonly number: string } {
  return { text: `svc_text(${json}) COLLATE "C"`, number: `svc_number(${json})` };
}

/** Lets one process at a time change the indexes. */
const LOCK = "hashtextextended('indexes of fields ' || current_schema(), 0)";

const NAMES = `SELECT relname AS name, indisvalid AS "isValid" FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indrelid = 'cases'::regclass AND relname ~ '^casesByField_[0-9a-f]{32}$'`;

/** The indexes of the fields that the definition declares. */
export class FieldIndexes implements AsyncDisposable {
  /** Names of the indexes that queries can use. */
  #ready: ReadonlySet<string> = new Set();
  #build: BackgroundBuild | undefined;

  /** Returns a function that reports whether a field has an index now. Later builds do not change its results. */
  get hasField(): (members: readonly string[]) => boolean {
    const ready = this.#ready;
    return (members) => ready.size > 0 && ready.has(nameIndex(members));
  }

  /**
   * Creates the indexes of fields, and drops all others. If there are cases, it does so in the background, without blocking
   * changes.
   */
  async create(
    connection: Connection,
    fields: readonly (readonly string[])[],
    options: BuildOptions,
  ): Promise<void> {
    await this[Symbol.asyncDispose]();
    const wanted = new Map(fields.map((members) => [nameIndex(members), members]));
    if (await this.#areCreated(connection, wanted)) return;
    if ((await connection.run("SELECT 1 FROM cases LIMIT 1")).count > 0) {
      this.#build = new BackgroundBuild({
        name: "The indexes of the fields with 'indexed: true'",
        effect: "Until they exist, queries on these fields read all cases.",
        lock: LOCK,
        isDone: (connection) => this.#areCreated(connection, wanted),
        run: (connection) => changeIndexes(connection, wanted, "CONCURRENTLY"),
      }, options);
      return;
    }
    await connection.run("BEGIN");
    await connection.run(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await changeIndexes(connection, wanted);
    await connection.run("COMMIT");
    await this.#areCreated(connection, wanted);
  }

  /** Stops creating indexes. The next process continues. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#build?.[Symbol.asyncDispose]();
  }

  /** Uses the indexes that exist. Reports whether they are exactly those of the fields. */
  async #areCreated(connection: Connection, wanted: Wanted): Promise<boolean> {
    const found = await readNames(connection);
    this.#ready = new Set([...wanted.keys()].filter((name) => found.get(name) === true));
    return this.#ready.size === wanted.size && found.size === wanted.size;
  }
}

/** Fields by the names of their indexes. */
type Wanted = ReadonlyMap<string, readonly string[]>;

function nameIndex(members: readonly string[]): string {
  return "casesByField_" + createHash("sha256").update(JSON.stringify(members)).digest("hex").slice(0, 32);
}

/** Reads the names of the indexes, and whether their build has ended. */
async function readNames(connection: Connection): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await connection.run(NAMES);
  return new Map(rows.map(({ name, isValid }) => [String(name), isValid === true]));
}

async function changeIndexes(connection: Connection, wanted: Wanted, how: "CONCURRENTLY" | "" = ""): Promise<void> {
  const found = await readNames(connection);
  for (const [name, isValid] of found) {
    // An interrupted build leaves an invalid index.
    if (!wanted.has(name) || !isValid) await connection.run(`DROP INDEX ${how} IF EXISTS "${name}"`);
  }
  const missing = [...wanted].filter(([name]) => found.get(name) !== true);
  for (const [name, members] of missing) {
    const { text, number } = compileScalar(await quotePath(connection, members));
    const key = `(${compileKey(text, number)})`;
    await connection.run(`CREATE INDEX ${how} "${name}" ON cases (${key}, seq, "typeId")`);
  }
  // The planner needs to know how often the values occur.
  if (how === "CONCURRENTLY" && missing.length > 0) await connection.run("ANALYZE cases");
}
