/**
 * The PostgreSQL server that tests share. `deno task test` starts it, and `SVC_TEST_POSTGRES` names its location. A test
 * file that runs by itself starts its own server.
 */
import { formatLocation, parseLocation, type PostgresLocation } from "../../utils/postgres/location.ts";
import { openPool, type Pool, type PoolOptions } from "../../utils/postgres/pool.ts";
import { startPostgres } from "./postgres.ts";

/** Location of the shared server. The server is started here, because a test must not leave a process behind. */
export const SHARED_POSTGRES: string = Deno.env.get("SVC_TEST_POSTGRES") ?? (await startPostgres()).location;

/** An empty schema of a test. */
export interface TestSchema extends AsyncDisposable {
  /** Location with the schema, as a user writes it. */
  readonly location: string;
  /** The same location, parsed. */
  readonly parsed: PostgresLocation;
  /** Opens further connections. The caller closes them. */
  open(options?: Partial<PoolOptions>): Promise<Pool>;
}

/** Runs statements one after another on one connection. */
export async function runAll(pool: Pool, statements: readonly string[]): Promise<void> {
  await pool.use(async (connection) => {
    for (const sql of statements) await connection.run(sql);
  });
}

/** Chooses a new schema of the shared server, or of another one. The program under test creates it. */
export function useTestSchema(server: string = SHARED_POSTGRES): TestSchema {
  const parsed = parseLocation(server, `test_${crypto.randomUUID().replaceAll("-", "")}`);
  const open = (options: Partial<PoolOptions> = {}) =>
    openPool(parsed, {
      applicationName: "test",
      getPassword: () => Promise.resolve(Deno.env.get("PGPASSWORD")),
      ...options,
    });
  return {
    location: formatLocation(parsed),
    parsed,
    open,
    async [Symbol.asyncDispose]() {
      const pool = await open();
      await pool.use((connection) => connection.run(`DROP SCHEMA IF EXISTS ${parsed.schema} CASCADE`));
      await pool.close();
    },
  };
}
