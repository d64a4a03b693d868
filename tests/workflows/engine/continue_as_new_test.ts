/** `continueAsNew`: an input ends its history and continues with a new one, exactly once. */
import assert from "node:assert/strict";
import { startService } from "../../../service/mod.ts";
import { openRuns, type RunsOptions, testCassettes } from "../../../workflows/runs/mod.ts";
import { makeFolder } from "../../harness/svc.ts";
import {
  CREATE_CASE,
  killAfterOutput,
  prepareScriptWorkspaces,
  RUN_SCRIPT,
  runText,
  scriptText,
} from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

const CREATE_FOUR = `const ids = input?.ids ?? [];
  log("at " + (ids.length + 1));
  ${CREATE_CASE}
  const next = [...ids, made.id];
  if (next.length < 4) return await continueAsNew({ ids: next });
  return next;`;

Deno.test("each history has calls and limits of its own, and the input keeps its number and its value", async () => {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  await using folder = await makeFolder({ "script.ts": scriptText(`log("x".repeat(600_000)); ${CREATE_FOUR}`) });
  const script = `${folder.path}/script.ts`;
  const start = async (journal: RunsOptions["journal"]) => {
    await using runs = openRuns({ baseUrl: service.url, clientId, clientSecret, noCache: true, journal });
    const limits = { maxJournalMiB: 1 };
    await using run = await runs.start({ script, inputs: [{}], allowDeclared: true, limits });
    const [result] = await Array.fromAsync(run.results);
    const inputs = journal === false ? [] : await Array.fromAsync(runs.inputs(run.id));
    return { ids: result !== undefined && "result" in result ? result.result : result, inputs };
  };
  const cases = (...numbers: number[]) => numbers.map((number) => `CITY-PERMIT-WORK P-${number}`);
  const recorded = await start(`${folder.path}/journal.db`);
  assert.deepEqual(recorded.ids, cases(1, 2, 3, 4));
  assert.deepEqual(
    recorded.inputs.map(({ number, value, continuations, calls }) => ({
      number,
      value,
      continuations,
      calls: calls.length,
    })),
    [{ number: 1, value: {}, continuations: 3, calls: 1 }],
  );
  assert.deepEqual((await start(false)).ids, cases(5, 6, 7, 8), "without a journal");
});

Deno.test("after kill -9 in any history, the input continues with it and repeats no call", async () => {
  await using workspace = await openScriptWorkspace(CREATE_FOUR);
  await killAfterOutput(workspace.start(...RUN_SCRIPT), "at 2");
  await killAfterOutput(workspace.start("resume", "r1"), "at 4");
  const { code, stdout } = await workspace.svc("resume", "r1", "--format", "compact");
  assert.deepEqual([code, new Set(JSON.parse(stdout)).size, await workspace.permits()], [0, 4, 4]);
  await workspace.svc("verify", "r1");
});

Deno.test("a plan ends where the input continues, and a cassette holds the last history", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(
      `log(Date.now()); await sleep(1); return input === 3 ? input : await continueAsNew(input + 1);`,
      [],
    ),
  });
  const script = `${folder.path}/script.ts`;
  await using runs = openRuns({ journal: `${folder.path}/journal.db` });
  const { plan } = await runs.plan({ script, input: 1 });
  assert.equal(plan.end.sentence, "The plan ends after step 1: the input continues as new with 2.");
  await using run = await runs.start({ script, input: 1, id: "r1" });
  assert.deepEqual(await Array.fromAsync(run.results), [{ input: "input", result: 3 }]);
  const cassette = await runs.cassette("r1");
  assert.deepEqual([cassette?.input, cassette?.calls.length, cassette?.result], [3, 1, 3]);
  assert(cassette !== undefined);
  const play = async (input: number) => {
    const [played] = await Array.fromAsync(
      testCassettes([{ name: "one", cassette: { ...cassette, input } }], { script }),
    );
    return played?.error?.message;
  };
  assert.equal(await play(3), undefined);
  assert.equal(await play(2), "The script ended; now it continues with another input.");
});

Deno.test("continueAsNew rejects an input that is not JSON, and nothing after it counts", async () => {
  const { error } = await runText(scriptText(`return await continueAsNew(NaN);`, []));
  assert.equal(error?.code, "WORKFLOW_FAILED");
  assert.match(error?.message ?? "", /^The input of continueAsNew is not JSON: /);
  const { result } = await runText(
    scriptText(`if (input === 2) return 2; continueAsNew(2); throw new Error("late");`, []),
  );
  assert.equal(result, 2);
});
