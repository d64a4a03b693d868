/** The sums of cases on PostgreSQL. Triggers maintain them, also while processes of the previous version write. */
import { createHash } from "node:crypto";
import { delay } from "../../../../utils/async/abort.ts";
import type { Connection, Pool } from "../../../../utils/postgres/pool.ts";
import { PostgresError } from "../../../../utils/postgres/postgres_error.ts";
import type { CaseSums } from "../../case_sums.ts";
import { escapeText } from "../escape_text.ts";
import { BackgroundBuild, type BuildOptions } from "./background_build.ts";
import { quotePath, quoteTexts } from "./quote_names.ts";

/** Compiles the key of a group. */
const KEY = `md5(json_build_array(sums, "typeId", status, "stageId", content)::text)`;

const PARTS = "SUM(number), SUM(sum), SUM(others)";
const HAS_CHANGED = "SUM(number) <> 0 OR SUM(sum) <> 0 OR SUM(others) <> 0";

/**
 * Creates the tables and functions. A sum is the total of its rows. A change only adds rows, so that units that change the same
 * sum do not wait for each other. Field 0 counts the cases. `number` counts the numbers of another field, and `others` its values
 * that cannot be added exactly.
 *
 * - `svc_group` returns the part of a content that makes groups.
 * - `svc_summed` returns what a case adds to the sums of its group.
 */
export const SUMS_TABLES = `
  CREATE TABLE "maintainedSums" (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sums text COLLATE "C" NOT NULL,
    groups text[] NOT NULL,
    fields json NOT NULL,
    "isReady" boolean NOT NULL DEFAULT false
  );
  CREATE TABLE "caseSums" (
    sums bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    "typeId" text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    "stageId" text COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL,
    field integer NOT NULL,
    number bigint NOT NULL,
    sum numeric NOT NULL,
    others bigint NOT NULL,
    "isMerged" boolean NOT NULL DEFAULT false
  );
  CREATE INDEX "caseSumsByKey" ON "caseSums" (sums, key);
  CREATE INDEX "unmergedCaseSums" ON "caseSums" (sums) WHERE NOT "isMerged";

  CREATE FUNCTION svc_group(content json, groups text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE BEGIN ATOMIC
    SELECT concat('{', string_agg(to_json(name)::text || ':' || (content -> name)::text, ',' ORDER BY place), '}')
    FROM unnest(groups) WITH ORDINALITY AS list (name, place) WHERE (content -> name) IS NOT NULL;
  END;

  CREATE FUNCTION svc_summed(content json, fields json)
    RETURNS TABLE (field integer, number bigint, sum numeric, others bigint)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 3 AS $$
  DECLARE
    path json;
    name text;
    value json;
  BEGIN
    field := 0;
    number := 1;
    sum := 0;
    others := 0;
    RETURN NEXT;
    FOR path IN SELECT json_array_elements(fields) LOOP
      field := field + 1;
      value := content;
      FOR name IN SELECT json_array_elements_text(path) LOOP value := value -> name; END LOOP;
      CONTINUE WHEN COALESCE(json_typeof(value), 'null') = 'null';
      IF value::text ~ '^-?[0-9]{1,20}([.][0-9]{1,20})?$' THEN
        number := 1;
        sum := value::text::numeric;
        others := 0;
      ELSE
        number := 0;
        sum := 0;
        others := 1;
      END IF;
      RETURN NEXT;
    END LOOP;
  END $$;

  CREATE FUNCTION svc_sum_case() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO "caseSums"
    SELECT sums, ${KEY}, "typeId", status, "stageId", content, field, ${PARTS} FROM (
      SELECT kept.id AS sums, one."typeId", one.status, one."stageId", svc_group(one.content, kept.groups) AS content,
        part.field, one.sign * part.number AS number, one.sign * part.sum AS sum, one.sign * part.others AS others
      FROM "maintainedSums" AS kept, (VALUES
        (-1, OLD."typeId", OLD.status, OLD."stageId", OLD.content),
        (1, NEW."typeId", NEW.status, NEW."stageId", NEW.content)
      ) AS one (sign, "typeId", status, "stageId", content), LATERAL svc_summed(one.content, kept.fields) AS part
      WHERE one."typeId" IS NOT NULL
    ) AS changed
    GROUP BY sums, "typeId", status, "stageId", content, field HAVING ${HAS_CHANGED};
    RETURN NULL;
  END $$;
`;

/** Replaces the new rows of each sum, and those that were merged before, by one row. */
export const MERGE_SUMS = `WITH new AS (
    DELETE FROM "caseSums" WHERE NOT "isMerged" RETURNING *
  ), old AS (
    DELETE FROM "caseSums" WHERE "isMerged" AND (sums, key) IN (SELECT sums, key FROM new) RETURNING *
  )
  INSERT INTO "caseSums"
  SELECT sums, key, "typeId", status, "stageId", content, field, ${PARTS}, true
  FROM (SELECT * FROM new UNION ALL SELECT * FROM old) AS merged
  GROUP BY sums, key, "typeId", status, "stageId", content, field HAVING ${HAS_CHANGED}`;

/** Creates the triggers. They are created with the first sums, and stay when no sums are maintained. */
const TRIGGERS = `
  CREATE OR REPLACE TRIGGER "sumCase" AFTER INSERT OR DELETE ON cases FOR EACH ROW EXECUTE FUNCTION svc_sum_case();
  CREATE OR REPLACE TRIGGER "sumChangedCase" AFTER UPDATE ON cases FOR EACH ROW
    WHEN ((OLD."typeId", OLD.status, OLD."stageId", OLD.content::text)
      IS DISTINCT FROM (NEW."typeId", NEW.status, NEW."stageId", NEW.content::text))
    EXECUTE FUNCTION svc_sum_case();
`;

const FILL = `INSERT INTO "caseSums"
  SELECT sums, ${KEY}, "typeId", status, "stageId", content, field, ${PARTS}, true FROM (
    SELECT $1::bigint AS sums, "typeId", status, "stageId", svc_group(cases.content, $2::text[]) AS content, part.*
    FROM cases, LATERAL svc_summed(cases.content, $3::json) AS part
  ) AS found GROUP BY sums, "typeId", status, "stageId", content, field`;

/** Lets one process at a time change what is maintained. */
const LOCK = "hashtextextended('sums of cases ' || current_schema(), 0)";

const INDEXES =
  `SELECT relname AS name, indisvalid AS "isValid" FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indrelid = 'cases'::regclass AND relname ~ '^casesByGroup_[0-9a-f]{32}$'`;

/** Milliseconds to wait for the lock on the cases. Changes of cases wait behind it. */
const LOCK_MILLISECONDS = 1000;

/** Milliseconds between two attempts to lock the cases. */
const LOCK_INTERVAL = 5000;

/** Sums that queries can use. */
export interface ReadySums extends CaseSums {
  /** Identifier of these sums. It is never reused. */
  readonly id: string;
}

/** The sums of cases that a definition needs. */
export class MaintainedSums implements AsyncDisposable {
  #ready: readonly ReadySums[] = [];
  #build: BackgroundBuild | undefined;

  /** The sums that queries can use now. */
  get ready(): readonly ReadySums[] {
    return this.#ready;
  }

  /** Maintains exactly these sums. If there are cases, they are read in the background, without blocking changes. */
  async maintain(connection: Connection, sums: readonly CaseSums[], options: BuildOptions): Promise<void> {
    await this[Symbol.asyncDispose]();
    if (await this.#areReady(connection, sums)) return;
    const build = {
      name: "The sums of insights",
      effect: "Until they exist, insights read all cases.",
      lock: LOCK,
      isDone: (connection: Connection) => this.#areReady(connection, sums),
      run: (connection: Connection) => change(connection, sums, options, "CONCURRENTLY"),
    };
    if ((await connection.run("SELECT 1 FROM cases LIMIT 1")).count > 0) {
      this.#build = new BackgroundBuild(build, options);
      return;
    }
    const pool = await options.open();
    try {
      await pool.use(async (locked) => {
        await locked.run(`SELECT pg_advisory_lock(${LOCK})`);
        if (!await this.#areReady(locked, sums)) await change(locked, sums, options);
      });
    } finally {
      await pool.close(); // Releases the lock.
    }
    await this.#areReady(connection, sums);
  }

  /** Stops reading cases. The next process starts again. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#build?.[Symbol.asyncDispose]();
  }

  /** Uses the sums that are ready. Reports whether they are exactly those that are needed. */
  async #areReady(connection: Connection, sums: readonly CaseSums[]): Promise<boolean> {
    const { rows } = await connection.run(`SELECT id::text AS id, sums, "isReady" FROM "maintainedSums"`);
    const ids = new Map(rows.filter(({ isReady }) => isReady === true).map(({ id, sums }) => [sums, String(id)]));
    this.#ready = sums.flatMap((one) => {
      const id = ids.get(nameSums(one));
      return id === undefined ? [] : [{ ...one, id }];
    });
    return this.#ready.length === sums.length && rows.length === sums.length;
  }
}

function nameSums({ groups, fields, extremes }: CaseSums): string {
  return escapeText(JSON.stringify({ groups, fields, extremes }));
}

async function change(
  connection: Connection,
  sums: readonly CaseSums[],
  { open }: BuildOptions,
  how: "CONCURRENTLY" | "" = "",
): Promise<void> {
  const wanted = new Map(sums.map((one) => [nameSums(one), one]));
  await connection.run(`DELETE FROM "maintainedSums" WHERE NOT "isReady" OR NOT sums = ANY($1::text[])`, [
    [...wanted.keys()],
  ]);
  // Queries of other processes do not read the rows of sums that are no longer maintained.
  await connection.run(`DELETE FROM "caseSums" WHERE NOT sums IN (SELECT id FROM "maintainedSums")`);
  await changeIndexes(connection, sums, how);
  const { rows } = await connection.run(`SELECT sums FROM "maintainedSums"`);
  const kept = new Set(rows.map(({ sums }) => sums));
  const added = [...wanted].filter(([name]) => !kept.has(name));
  if (added.length === 0) return;
  const locks = await open();
  try {
    for (const [name, one] of added) await add(connection, locks, name, one);
  } finally {
    await locks.close();
  }
}

/**
 * Computes new sums. Both the triggers and the state that is read begin while no other unit changes cases, so that each change
 * is counted once.
 */
async function add(connection: Connection, locks: Pool, name: string, { groups, fields }: CaseSums): Promise<void> {
  const names = groups.map(escapeText);
  const paths = JSON.stringify(fields.map((path) => path.map(escapeText)));
  const id = await locks.use(async (locked) => {
    await lockCases(locked, connection);
    await locked.run(TRIGGERS);
    const { rows: [row] } = await locked.run(
      `INSERT INTO "maintainedSums" (sums, groups, fields) VALUES ($1, $2::text[], $3::json) RETURNING id::text AS id`,
      [name, names, paths],
    );
    await connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await connection.run("SELECT 1 FROM cases LIMIT 1"); // Takes the state.
    await locked.run("COMMIT");
    return String(row?.id);
  });
  await connection.run(FILL, [id, names, paths]);
  await connection.run("COMMIT");
  await connection.run(`UPDATE "maintainedSums" SET "isReady" = true WHERE id = $1`, [id]);
}

/**
 * Begins a transaction in which no other one changes cases. Each attempt is short, because changes wait behind it. Stops if
 * the connection of the build is lost.
 */
async function lockCases(locked: Connection, build: Connection): Promise<void> {
  for (;;) {
    await locked.run("BEGIN");
    await locked.run(`SET LOCAL lock_timeout = ${LOCK_MILLISECONDS}`);
    try {
      await locked.run("LOCK TABLE cases IN SHARE ROW EXCLUSIVE MODE");
      return;
    } catch (error) {
      await locked.run("ROLLBACK");
      if (build.isLost || !(error instanceof PostgresError) || error.kind !== "busy") throw error;
    }
    await delay(LOCK_INTERVAL);
  }
}

/** Creates the indexes that find the least and the greatest value of a group, and drops all others. */
async function changeIndexes(
  connection: Connection,
  sums: readonly CaseSums[],
  how: "CONCURRENTLY" | "",
): Promise<void> {
  const wanted = new Map(
    sums.flatMap(({ groups, extremes }) =>
      extremes.map((path) => [nameIndex(groups, path), { groups, path }] as const)
    ),
  );
  const found = new Map((await connection.run(INDEXES)).rows.map(({ name, isValid }) => [String(name), isValid]));
  for (const [name, isValid] of found) {
    // An interrupted build leaves an invalid index.
    if (!wanted.has(name) || isValid !== true) await connection.run(`DROP INDEX ${how} IF EXISTS "${name}"`);
  }
  for (const [name, { groups, path }] of wanted) {
    if (found.get(name) === true) continue;
    const group = compileGroupKey("content", `ARRAY[${await quoteTexts(connection, groups)}]::text[]`);
    const value = `svc_number(${await quotePath(connection, path)})`;
    await connection.run(
      `CREATE INDEX ${how} "${name}" ON cases ("typeId", status, "stageId", (${group}), (${value}))`,
    );
  }
}

function nameIndex(groups: readonly string[], path: readonly string[]): string {
  return "casesByGroup_" + createHash("sha256").update(JSON.stringify([groups, path])).digest("hex").slice(0, 32);
}

/** Compiles a short text for the part of a content that makes groups. */
export function compileGroupKey(content: string, groups: string): string {
  return `md5(svc_group(${content}, ${groups})) COLLATE "C"`;
}
