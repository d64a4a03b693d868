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

/**
 * Creates the table of texts. Changed cases wait in `staleTexts`, because adding many texts to the index at once is faster.
 * Triggers maintain it, so that it stays correct while processes of the previous version write.
 */
export const TEXT_TABLES = `
  CREATE TABLE "caseTexts" (seq bigint PRIMARY KEY, text text COLLATE "C" NOT NULL);
  CREATE TABLE "staleTexts" (seq bigint NOT NULL);

  CREATE FUNCTION svc_note_stale_text() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO "staleTexts" VALUES (COALESCE(NEW.seq, OLD.seq));
    RETURN NULL;
  END $$;
  CREATE TRIGGER "noteStaleText" AFTER INSERT OR DELETE ON cases FOR EACH ROW EXECUTE FUNCTION svc_note_stale_text();
  CREATE TRIGGER "noteChangedText" AFTER UPDATE ON cases FOR EACH ROW
    WHEN ((OLD."businessId", OLD.content::text) IS DISTINCT FROM (NEW."businessId", NEW.content::text))
    EXECUTE FUNCTION svc_note_stale_text();
  INSERT INTO "staleTexts" SELECT seq FROM cases;
`;

/**
 * Creates the function that computes the text of a case. A number may have more digits than `jsonb` allows. It is left out,
 * because an error would keep the texts of all cases from the index.
 */
export const CASE_TEXT_FUNCTION = `
  CREATE FUNCTION svc_case_text(number text, content json) RETURNS text LANGUAGE plpgsql STABLE
    SET search_path FROM CURRENT AS $$
  BEGIN
    RETURN svc_search_text(number, content);
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN svc_search_text(number,
      regexp_replace(content::text, '([:,[])-?([0-9.]+[eE][-+]?[0-9]{4,}|[0-9.]{255,})', '\\1 0', 'g')::json);
  END $$;
`;

/** Maximum number of stale texts that are merged at once. */
const MERGE_SIZE = 1000;

/**
 * Replaces stale texts by those of their cases. The lock lets one merge run at a time. It reads the cases after the previous merge
 * has ended: otherwise it could overwrite a newer text.
 */
export const MERGE_TEXTS: readonly string[] = [
  "BEGIN",
  'LOCK TABLE "staleTexts" IN SHARE UPDATE EXCLUSIVE MODE',
  `WITH stale AS (
    DELETE FROM "staleTexts" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "staleTexts" LIMIT ${MERGE_SIZE})) RETURNING seq
  ), gone AS (
    DELETE FROM "caseTexts" WHERE seq IN (SELECT seq FROM stale EXCEPT SELECT seq FROM cases)
  )
  INSERT INTO "caseTexts" SELECT seq, svc_case_text("businessId", content) FROM cases
    WHERE seq IN (SELECT seq FROM stale)
    ON CONFLICT (seq) DO UPDATE SET text = excluded.text WHERE "caseTexts".text <> excluded.text`,
  "COMMIT",
];

/** Number of stale texts from which queries do not use the index, because they would compare each of these cases. */
const MAX_STALE = 5000;

/** Lets one process at a time build the index. */
const LOCK = "hashtextextended('index of texts ' || current_schema(), 0)";

const STATE = `SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('"textsByTrigram"')) AS "isValid",
  (SELECT COUNT(*) FROM (SELECT FROM "staleTexts" LIMIT ${MAX_STALE}) AS stale) AS stale,
  to_regclass('"casesByText"') IS NULL AS "isUpgraded"`;

const EXTENSION = `SELECT quote_ident(nspname) AS schema
  FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'`;

/** Removes the index of earlier versions. */
const DROP_EARLIER = 'DROP INDEX CONCURRENTLY IF EXISTS "casesByText"';

/** The text index. While it is missing, queries compare each case. */
export class TextIndex implements AsyncDisposable {
  #isReady = false;
  #build: BackgroundBuild | undefined;

  private constructor() {}

  /** Creates the index if there are no cases. Otherwise builds it in the background, without blocking changes. */
  static async prepare(connection: Connection, options: BuildOptions): Promise<TextIndex> {
    const index = new TextIndex();
    const run = (sql: string) => connection.run(sql);
    if (await index.#isDone(connection)) return index;
    const schema = await findExtension(connection, options.note);
    if (schema === undefined) return index;
    if ((await run("SELECT 1 FROM cases LIMIT 1")).count > 0) {
      index.#build = new BackgroundBuild({
        name: "The text index",
        effect: "Until the index exists, text searches compare all cases.",
        lock: LOCK,
        isDone: (connection) => index.#isDone(connection),
        run: (connection) => build(connection, schema),
      }, options);
      return index;
    }
    await run(`SELECT pg_advisory_lock(${LOCK})`);
    await run(compileIndex(schema, "IF NOT EXISTS"));
    await run(`SELECT pg_advisory_unlock(${LOCK})`);
    await index.#isDone(connection);
    return index;
  }

  /** True if queries can use the index. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Stops building the index. The next process starts it again. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#build?.[Symbol.asyncDispose]();
  }

  /** Uses the index if it exists. Reports whether there is nothing to build and no earlier index to remove. */
  async #isDone(connection: Connection): Promise<boolean> {
    const { rows: [row] } = await connection.run(STATE);
    this.#isReady = row?.isValid === true && Number(row.stale) < MAX_STALE;
    return this.#isReady && row?.isUpgraded === true;
  }
}

/** Collects the texts of all cases, then builds the index. */
async function build(connection: Connection, schema: string): Promise<void> {
  do {
    for (const sql of MERGE_TEXTS) await connection.run(sql);
  } while ((await connection.run('SELECT FROM "staleTexts" LIMIT 1')).count > 0);
  const { rows: [row] } = await connection.run(STATE);
  if (row?.isValid !== true) {
    // An interrupted build leaves an invalid index.
    await connection.run(`DROP INDEX IF EXISTS "textsByTrigram"`);
    await connection.run(compileIndex(schema, "CONCURRENTLY"));
    await connection.run(`ANALYZE "caseTexts", "staleTexts"`);
  }
  await connection.run(DROP_EARLIER);
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
  return `CREATE INDEX ${how} "textsByTrigram" ON "caseTexts"
    USING gin (text ${schema}.gin_trgm_ops) WITH (gin_pending_list_limit = 256)`;
}
