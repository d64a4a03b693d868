/** Creating and upgrading the tables of a schema. */
import assert from "node:assert/strict";
import { migrate, SchemaError, type SchemaPlan, type SchemaStep } from "../../../utils/postgres/migrate.ts";
import type { Pool } from "../../../utils/postgres/pool.ts";
import { type TestSchema, useTestSchema } from "../../harness/postgres_schema.ts";

const STEPS: readonly SchemaStep[] = [
  { activity: "creating the table", sql: "CREATE TABLE things (id text PRIMARY KEY); INSERT INTO things VALUES ('a')" },
  { activity: "adding a column", sql: "ALTER TABLE things ADD COLUMN n integer", compatibleWith: 1 },
  { activity: "renaming a column", sql: "ALTER TABLE things RENAME COLUMN n TO number" },
];

function plan(version: number, more: Partial<SchemaPlan> = {}): SchemaPlan {
  return { purpose: "things", steps: STEPS.slice(0, version), ...more };
}

async function withSchema(work: (pool: Pool, schema: TestSchema) => Promise<void>): Promise<void> {
  await using schema = useTestSchema();
  const pool = await schema.open();
  await work(pool, schema).finally(() => pool.close());
}

Deno.test("tables are created once, and upgraded with their rows", () =>
  withSchema(async (pool, { parsed }) => {
    const activities: string[] = [];
    const onStep = ({ activity }: SchemaStep) => void activities.push(activity);
    assert.equal(await migrate(pool, parsed, plan(1, { onStep })), true);
    assert.equal(await migrate(pool, parsed, plan(1, { onStep })), false);
    assert.equal(await migrate(pool, parsed, plan(3, { onStep })), false);
    assert.deepEqual(activities, STEPS.map(({ activity }) => activity));
    const { rows } = await pool.use((connection) => connection.run("SELECT id, number FROM things"));
    assert.deepEqual(rows.map((row) => ({ ...row })), [{ id: "a", number: null }]);
  }));

Deno.test("several processes that start at the same time create the tables once", () =>
  withSchema(async (_, schema) => {
    const pools = await Promise.all(Array.from({ length: 4 }, () => schema.open()));
    const created = await Promise.all(pools.map((pool) => migrate(pool, schema.parsed, plan(2))));
    assert.deepEqual(created.filter((one) => one), [true]);
    await Promise.all(pools.map((pool) => pool.close()));
  }));

Deno.test("an earlier version works with newer tables only as long as they are compatible", () =>
  withSchema(async (pool, { parsed }) => {
    await migrate(pool, parsed, plan(2));
    assert.equal(await migrate(pool, parsed, plan(1)), false);
    await migrate(pool, parsed, plan(3));
    for (const version of [1, 2]) {
      await assert.rejects(migrate(pool, parsed, plan(version)), (error) => {
        return error instanceof SchemaError && /newer version \(schema 3; this version supports/.test(error.message);
      });
    }
  }));

Deno.test("a step that fails changes nothing, and a schema for another purpose is refused", () =>
  withSchema(async (pool, { parsed }) => {
    await migrate(pool, parsed, plan(1));
    const broken = [...STEPS.slice(0, 2), { activity: "failing", sql: "ALTER TABLE nowhere ADD COLUMN n integer" }];
    await assert.rejects(migrate(pool, parsed, { purpose: "things", steps: broken }), /nowhere/);
    await assert.rejects(pool.use((connection) => connection.run("SELECT n FROM things")), /does not exist/);
    await assert.rejects(
      migrate(pool, parsed, plan(1, { purpose: "others" })),
      /is used for something else \(things\)/,
    );
  }));
