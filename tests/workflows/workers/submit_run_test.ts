/** Runs whose inputs are recorded for workers: what their commands report, and how they end. */
import assert from "node:assert/strict";
import { submitRun } from "../../../workflows/workers/submit_run.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { makeFolder } from "../../harness/svc.ts";
import { scriptText } from "../../harness/workflow.ts";

/** A script, a journal, and a run for workers. */
async function openSubmission() {
  const folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
  const schema = useTestSchema();
  return {
    location: schema.location,
    service: { configDirectory: folder.path },
    submit: (options: { readonly inputs: AsyncIterable<number> | Iterable<number>; readonly signal?: AbortSignal }) =>
      submitRun(
        { script: `${folder.path}/script.ts`, id: "r1", workers: schema.location, ...options },
        { configDirectory: folder.path },
      ),
    async [Symbol.asyncDispose]() {
      await schema[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a command that is interrupted reports whether workers have all inputs, and what to do", async () => {
  await using submission = await openSubmission();
  const first = new AbortController();
  async function* interrupted() {
    yield 1;
    first.abort();
    yield await Promise.resolve(2);
  }
  {
    await using run = await submission.submit({ inputs: interrupted(), signal: first.signal });
    await assert.rejects(run.finish(), {
      code: "INTERRUPTED",
      message: "Not all inputs of run r1 are recorded. Workers continue the others.",
      hint: "Repeat the command with --run-id r1 to record the rest.",
    });
  }
  const second = new AbortController();
  await using run = await submission.submit({ inputs: [1, 2], signal: second.signal });
  await run.recorded;
  second.abort();
  await assert.rejects(run.finish(), ({ message, hint }) => {
    assert.equal(message, "Workers continue run r1.");
    assert.match(hint, /svc workflow watch r1 .*svc workflow cancel r1 /);
    return true;
  });
});
