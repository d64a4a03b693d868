/** Builds of indexes in the background. */
import assert from "node:assert/strict";
import { BackgroundBuild } from "../../../../service/store/postgres/indexes/background_build.ts";
import { useTestSchema } from "../../../harness/postgres_schema.ts";
import { eventually } from "../../../harness/wait.ts";

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
      if (attempts === 1) await connection.run("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$");
    },
  }, { open: schema.open, note: (line) => notes.push(line) });
  await eventually("the build has ended", () => attempts === 2);
  assert.deepEqual(notes, []);
});
