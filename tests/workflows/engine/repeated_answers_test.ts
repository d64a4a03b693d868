/** Responses that repeat an earlier one take little space in the journal, and a script receives them in full. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openRuns } from "../../../workflows/runs/mod.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, scriptText, TinyApi } from "../../harness/workflow.ts";

const READS = 100;

const FILLER = "x".repeat(30_000);

/** Reads a case again and again, and returns the total length of what it has read. */
const POLL = scriptText(`
  const read = [];
  for (let i = 0; i < ${READS}; i++) read.push((await svc.cases.get("C-1")).data.caseInfo.filler.length);
  if (input === "stop") throw new Error("stopped");
  return read.reduce((sum, length) => sum + length, 0);`);

Deno.test("a response that a script receives repeatedly is stored once, and each call returns it in full", async () => {
  let read = 0;
  await using api = new TinyApi((call) => {
    const filler = read++ % 2 === 0 ? FILLER : FILLER + "!";
    return Response.json({ ...createCaseBody(call), data: { caseInfo: { filler } } });
  });
  await using folder = await makeFolder({ "script.ts": POLL });
  const journal = `${folder.path}/journal.db`;
  const credentials = { clientId: "id", clientSecret: "secret", noCache: true };
  await using runs = openRuns({ ...credentials, baseUrl: api.baseUrl, journal });
  const options = { script: `${folder.path}/script.ts`, allowDeclared: true, limits: { maxJournalMiB: 1 } };
  {
    await using run = await runs.start({ ...options, id: "r1", input: "done" });
    const { error } = await run.finish();
    assert.equal(error, undefined, "100 reads of 30 kB count once");
  }
  const [input] = await Array.fromAsync(runs.inputs("r1"));
  const expected = READS * FILLER.length + READS / 2;
  assert.equal(input?.result, expected);
  const shown = input?.calls.map(({ answer }) => JSON.stringify(answer).length) ?? [];
  assert.equal(shown.length, READS);
  assert.ok(shown.every((length) => length > FILLER.length), String(shown));
  assert.deepEqual((await runs.verify()).damaged, []);
  using db = new DatabaseSync(journal);
  const { size } = db.prepare("SELECT sum(length(content)) AS size FROM events WHERE kind = 'answer'").get() ?? {};
  assert.ok(Number(size) < 20_000, `the responses take ${size} bytes`);
  {
    await using run = await runs.start({ ...options, id: "r2", input: "stop" });
    assert.equal((await run.finish()).error?.code, "WORKFLOW_FAILED");
  }
  const calls = api.received.length;
  await Deno.writeTextFile(`${folder.path}/script.ts`, POLL.replace("if (input", "if (false && input"));
  await using again = await runs.retry("r2", { force: true });
  const [result] = await Array.fromAsync(again.results);
  assert.ok(result !== undefined && "result" in result, JSON.stringify(result));
  assert.equal(result.result, expected);
  assert.ok(api.received.length - calls <= READS);
});

Deno.test("a resumed run reads repeated responses from the journal", async () => {
  await using api = new TinyApi((call) => Response.json({ ...createCaseBody(call), data: { caseInfo: { FILLER } } }));
  await using folder = await makeFolder({
    "script.ts": scriptText(`
      const lengths = [];
      for (let i = 0; i < 5; i++) lengths.push((await svc.cases.get("C-1")).data.caseInfo.FILLER.length);
      await svc.cases.create({ type: "T" });
      log("created");
      await sleep(2000);
      return lengths;`),
  });
  const credentials = { clientId: "id", clientSecret: "secret", noCache: true };
  await using runs = openRuns({ ...credentials, baseUrl: api.baseUrl, journal: `${folder.path}/journal.db` });
  const interruption = new AbortController();
  {
    const script = `${folder.path}/script.ts`;
    const { signal } = interruption;
    const onLog = () => interruption.abort();
    await using run = await runs.start({ script, allowDeclared: true, id: "r1", signal, onLog });
    await assert.rejects(run.finish(), { code: "INTERRUPTED" });
  }
  const requests = api.received.length;
  await using run = await runs.resume("r1");
  assert.deepEqual(await Array.fromAsync(run.results), [{ input: "input", result: Array(5).fill(FILLER.length) }]);
  assert.equal(api.received.length, requests, "nothing is sent again");
});
