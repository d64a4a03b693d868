/** The PostgreSQL server of the tests. */
import assert from "node:assert/strict";
import { startPostgres } from "../harness/postgres.ts";
import { useTestSchema } from "../harness/postgres_schema.ts";
import { LimitedCommand } from "../harness/svc.ts";
import { exists } from "../../utils/fs/exists.ts";
import { eventually, readUntil } from "../harness/wait.ts";

Deno.test("a server is killed and started again with its data, and stops without leaving anything", async () => {
  const server = await startPostgres({ settings: { fsync: "on" } });
  const schema = useTestSchema(server.location);
  const run = async (sql: string) => {
    const pool = await schema.open();
    return await pool.use((connection) => connection.run(sql)).finally(() => pool.close());
  };
  await run(`CREATE SCHEMA ${schema.parsed.schema}`);
  await run("CREATE TABLE kept AS SELECT 1 AS n");
  await server.kill();
  await server.start();
  assert.equal((await run("SELECT n FROM kept")).count, 1);
  await server[Symbol.asyncDispose]();
  assert.equal(await exists(server.folder), false);
});

Deno.test("a server ends when the process that started it is killed", async () => {
  const script = `
    import { startPostgres } from ${JSON.stringify(import.meta.resolve("../harness/postgres.ts"))};
    const server = await startPostgres();
    console.log(server.folder + ".");`;
  const child = new LimitedCommand(Deno.execPath(), {
    args: ["run", "--allow-all", "data:application/typescript," + encodeURIComponent(script)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const { text, rest } = await readUntil(child.stdout, ".\n");
  const folder = text.trim().slice(0, -1);
  assert.ok(await exists(`${folder}/data/postmaster.pid`));
  child.kill("SIGKILL");
  await Promise.all([child.status, rest]);
  await eventually("the server has removed its folder", async () => !await exists(folder));
});
