/** Creates and upgrades the tables of a schema. */
import { formatLocation, type PostgresLocation } from "./location.ts";
import type { Connection, Pool } from "./pool.ts";

/** A step from one version of the tables to the next. All steps are for the same purpose, such as the tables of a store. */
export interface SchemaStep {
  /** Completes a progress message, e.g. `adding indexes`. */
  readonly activity: string;
  /** Statements of the step, separated by semicolons. */
  readonly sql: string;
  /** The oldest version of the program's tables that still works after the step. Default: the new one. */
  readonly compatibleWith?: number;
}

/** The tables that a program needs. */
export interface SchemaPlan {
  /** Purpose of the tables, e.g. `store`. Tables for another purpose need another schema. */
  readonly purpose: string;
  /** The steps to the current version. The version is the number of steps. */
  readonly steps: readonly SchemaStep[];
  /** Called before each step. */
  readonly onStep?: (step: SchemaStep) => void;
}

/** Thrown if a schema contains other tables, or tables of a newer version. */
export class SchemaError extends Error {}

/** The version of the tables, and the oldest version of a program that can use them. */
interface SchemaState {
  readonly version: number;
  readonly compatibleWith: number;
}

/**
 * Creates the schema and its tables, or upgrades them, in one transaction. Concurrent processes wait for each other.
 * Tables of a newer version are accepted if they still work with this one. Returns whether the tables were created.
 */
export async function migrate(pool: Pool, location: PostgresLocation, plan: SchemaPlan): Promise<boolean> {
  return await pool.use(async (connection) => {
    const run = async (sql: string, parameters: readonly string[] = []) => await connection.run(sql, parameters);
    if (isUsable(await readState(connection, location, plan), location, plan)) return false;
    await run("BEGIN");
    await run("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
    await run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`schema ${location.schema}`]);
    const found = await readState(connection, location, plan); // Another process may have upgraded them.
    if (isUsable(found, location, plan)) {
      await run("ROLLBACK");
      return false;
    }
    if (found === undefined) await createSchema(connection, location.schema, plan.purpose);
    const done = found?.version ?? 0;
    let compatibleWith = found?.compatibleWith ?? 0;
    for (const [index, step] of plan.steps.entries()) {
      if (index < done) continue;
      plan.onStep?.(step);
      await run(step.sql);
      compatibleWith = Math.max(compatibleWith, step.compatibleWith ?? index + 1);
    }
    await connection.run("UPDATE schema_version SET version = $1, compatible_with = $2", [
      plan.steps.length,
      compatibleWith,
    ]);
    await run("COMMIT");
    return found === undefined;
  });
}

/** Reports whether the tables need no step. Throws `SchemaError` if this version cannot use them. */
function isUsable(found: SchemaState | undefined, location: PostgresLocation, { steps }: SchemaPlan): boolean {
  if (found === undefined || found.version < steps.length) return false;
  if (found.compatibleWith <= steps.length) return true;
  throw new SchemaError(
    `The tables at ${formatLocation(location)} were written by a newer version (schema ${found.version}; ` +
      `this version supports up to ${steps.length}). Use that version, or another schema.`,
  );
}

async function readState(
  connection: Connection,
  location: PostgresLocation,
  { purpose }: SchemaPlan,
): Promise<SchemaState | undefined> {
  const exists = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'";
  if ((await connection.run(exists, [location.schema])).count === 0) return undefined;
  const { rows: [row] } = await connection.run("SELECT purpose, version, compatible_with FROM schema_version");
  if (row?.purpose !== purpose) {
    throw new SchemaError(
      `The schema at ${formatLocation(location)} is used for something else (${row?.purpose ?? "unknown"}). ` +
        "Choose another one with ?schema=<name>.",
    );
  }
  return { version: Number(row.version), compatibleWith: Number(row.compatible_with) };
}

/** Creates a schema with the table of its version. */
async function createSchema(connection: Connection, schema: string, purpose: string): Promise<void> {
  await connection.run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`); // A location has only valid names.
  await connection.run("CREATE TABLE schema_version (purpose text, version integer, compatible_with integer)");
  await connection.run("INSERT INTO schema_version VALUES ($1, 0, 0)", [purpose]);
}
