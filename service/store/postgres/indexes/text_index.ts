/** The trigram index for text searches in cases. It needs an extension that not every user may create. */
import type { Connection } from "../../../../utils/postgres/pool.ts";
import { PostgresError } from "../../../../utils/postgres/postgres_error.ts";
import { BackgroundBuild, type BuildOptions } from "./background_build.ts";

/**
 * Creates the functions of the index.
 *
 * - `svc_fold` ignores case as queries do, and also whether a sigma ends a word: a part of a word may end elsewhere.
 * - `svc_search_text` returns the text in which a case is searched: its number, and every value of its content.
 */
export const TEXT_FUNCTIONS = `
  CREATE FUNCTION svc_fold(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(lower(value COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C";

  CREATE FUNCTION svc_search_text(number text, content json) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 2000
    RETURN svc_fold(concat_ws(E'\\n', number, (
      SELECT string_agg(value #>> '{}', E'\\n')
      FROM jsonb_path_query(content::jsonb, 'strict $.** ? (@.type() == "string" || @.type() == "number")') AS value
    )));
`;

/** Lets one process at a time build the index. */
const LOCK = "hashtextextended('index of texts ' || current_schema(), 0)";

const STATE = `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('"casesByText"')`;

const EXTENSION = `SELECT quote_ident(nspname) AS schema
  FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'`;

/** The text index. While it is missing, queries compare each case. */
export class TextIndex implements AsyncDisposable {
  #isReady = false;
  #build: BackgroundBuild | undefined;

  private constructor() {}

  /** Creates the index if there are no cases. Otherwise builds it in the background, without blocking changes. */
  static async prepare(connection: Connection, options: BuildOptions): Promise<TextIndex> {
    const index = new TextIndex();
    const run = (sql: string) => connection.run(sql);
    if (await index.#isValid(connection)) return index;
    const schema = await findExtension(connection, options.note);
    if (schema === undefined) return index;
    if ((await run("SELECT 1 FROM cases LIMIT 1")).count > 0) {
      index.#build = new BackgroundBuild({
        name: "The text index",
        effect: "Until the index exists, text searches compare all cases.",
        lock: LOCK,
        isDone: (connection) => index.#isValid(connection),
        run: async (connection) => {
          // A build that was interrupted has left an index that nothing uses.
          await connection.run(`DROP INDEX IF EXISTS "casesByText"`);
          await connection.run(compileIndex(schema, "CONCURRENTLY"));
        },
      }, options);
      return index;
    }
    await run(`SELECT pg_advisory_lock(${LOCK})`);
    await run(compileIndex(schema, "IF NOT EXISTS"));
    await run(`SELECT pg_advisory_unlock(${LOCK})`);
    await index.#isValid(connection);
    return index;
  }

  /** True if queries can use the index. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Stops building the index. The next process starts again. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#build?.[Symbol.asyncDispose]();
  }

  async #isValid(connection: Connection): Promise<boolean> {
    const { rows: [row] } = await connection.run(STATE);
    return this.#isReady = row?.indisvalid === true;
  }
}

/** Returns the name of the schema with the extension, which is created if it is missing and the user may create it. */
async function findExtension(connection: Connection, note: (line: string) => void): Promise<string | undefined> {
  const find = async () => (await connection.run(EXTENSION)).rows[0]?.schema?.toString();
  const found = await find();
  if (found !== undefined) return found;
  try {
    await connection.run("CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public");
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error;
    const created = await find(); // Another process may have created it.
    if (created !== undefined) return created;
    note(
      `Text searches use no index, because the extension pg_trgm cannot be created: ${error.message}. ` +
        "Ask an administrator to run 'CREATE EXTENSION pg_trgm' in this database, then restart the service.",
    );
  }
  return await find();
}

/** Compiles the creation of the index. Its pending list is short, because every search scans it. */
function compileIndex(schema: string, how: "IF NOT EXISTS" | "CONCURRENTLY"): string {
  return `CREATE INDEX ${how} "casesByText" ON cases
    USING gin (svc_search_text("businessId", content) ${schema}.gin_trgm_ops) WITH (gin_pending_list_limit = 256)`;
}
