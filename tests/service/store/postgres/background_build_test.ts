/** Builds of indexes in the background. */
import assert from "node:assert/strict";
import { BackgroundBuild } from "../../../../service/store/postgres/indexes/background_build.ts";
import { delay } from "../../../../utils/async/abort.ts";
import { useTestSchema } from "../../../harness/postgres_schema.ts";
import { eventually, within } from "../../../harness/wait.ts";

const DEADLOCK = "DO $$ BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END $$";

Deno.test("a build that ends in a deadlock starts again soon, and nothing is reported", async () => {
  await using schema = useTestSchema();
  const notes: string[] = [];
  let attempts = 0;
  await using _build = new BackgroundBuild({
    name: "The index",
    effect: "",
    lock: "1",
    isDone: () => Promise.resolve(attempts === 2),
    async run(connection) {
      attempts++;
      if (attempts === 1) await connection.run(DEADLOCK);
    },
  }, { open: schema.open, note: (line) => notes.push(line), conflictInterval: 1 });
  await eventually("the build has ended", () => attempts === 2);
  assert.deepEqual(notes, []);
});

Deno.test("a build that ends in a deadlock again and again is reported", async () => {
  await using schema = useTestSchema();
  const notes: string[] = [];
  await using _build = new BackgroundBuild({
    name: "The index",
    effect: "Queries read all cases.",
    lock: "1",
    isDone: () => Promise.resolve(false),
    run: async (connection) => void await connection.run(DEADLOCK),
  }, { open: schema.open, note: (line) => notes.push(line), retrySeconds: 3600, conflictInterval: 1 });
  await eventually("the deadlocks are reported", () => notes.length > 0);
  const line = "The index cannot be built: deadlock detected. The next attempt is in 3600 s. Queries read all cases.";
  assert.deepEqual(notes, [line]);
});

Deno.test("a build stops between two of its statements, too", async () => {
  await using schema = useTestSchema();
  let statements = 0;
  let hasStopped = false;
  const build = new BackgroundBuild({
    name: "The index",
    effect: "",
    lock: "1",
    isDone: () => Promise.resolve(hasStopped),
    async run(connection) {
      while (!hasStopped) {
        await connection.run("SELECT 1");
        statements++;
        await delay(50);
      }
    },
  }, { open: schema.open, note: () => {} });
  await eventually("the build has begun", () => statements > 0);
  await within("the build stops", build[Symbol.asyncDispose](), { seconds: 20 }).finally(() => hasStopped = true);
});
