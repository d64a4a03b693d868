/** `patched`: old and new inputs of an edited script, side by side. */
import assert from "node:assert/strict";
import { startService } from "../../../service/mod.ts";
import { openRuns, testCassettes } from "../../../workflows/runs/mod.ts";
import type { Cassette } from "../../../workflows/cassette/cassette.ts";
import { makeFolder } from "../../harness/svc.ts";
import { runText, scriptText, TinyApi } from "../../harness/workflow.ts";

const BEFORE = `const { id } = await svc.cases.get(input); log("waits"); await sleep(500); return [id];`;
const EDITED = `const ids = [];
  const get = async (name) => ids.push((await svc.cases.get(name)).id);
  if (patched("early")) await get(input + "-early");
  await get(input);
  log("waits");
  await sleep(500);
  if (patched("late")) await get(input + "-late");
  if (patched("early")) await get(input + "-again");
  return ids;`;

Deno.test("an open input takes the old path of an edited script, and a new one the new path, also when resumed", async () => {
  await using api = new TinyApi();
  await using folder = await makeFolder({ "script.ts": scriptText(BEFORE) });
  const script = `${folder.path}/script.ts`;
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  await using runs = openRuns({ ...service, journal: `${folder.path}/journal.db` });
  const stopInSleep = async (id: string) => {
    const controller = new AbortController();
    const options = { allowDeclared: true, onLog: () => controller.abort(), signal: controller.signal };
    await using run = await runs.start({ script, id, input: id, ...options });
    await assert.rejects(run.finish(), { code: "INTERRUPTED" });
  };
  const finish = async (id: string) => {
    await using run = await runs.resume(id, { force: id === "old" });
    const [result] = await Array.fromAsync(run.results);
    return result;
  };
  const play = async (cassette: Cassette | undefined) => {
    assert(cassette !== undefined);
    const [played] = await Array.fromAsync(testCassettes([{ name: "one", cassette }], { script }));
    return played?.error;
  };

  await stopInSleep("old");
  await stopInSleep("done");
  await finish("done");
  await Deno.writeTextFile(script, scriptText(EDITED));
  for await (const { error } of runs.check({ script, run: "old" })) assert.equal(error, undefined);
  assert.deepEqual(await finish("old"), { input: "input", result: ["old", "old-late"] });
  await stopInSleep("new");
  for await (const { error } of runs.check({ script, run: "new" })) assert.equal(error, undefined);
  assert.deepEqual(await finish("new"), { input: "input", result: ["new-early", "new", "new-late", "new-again"] });
  assert.deepEqual(api.received.map(({ call }) => call.replace("GET /cases/", "")), [
    ...["old", "done", "old-late"],
    ...["new-early", "new", "new-late", "new-again"],
  ]);

  const cassette = await runs.cassette("new");
  assert.deepEqual(cassette?.patches, ["early", "late"]);
  assert.equal(await play(cassette), undefined);
  assert.equal(await play(await runs.cassette("done")), undefined, "a cassette of the old script takes the old path");
  const { plan } = await runs.plan({ script, input: "P", allowDeclared: true });
  assert.equal(plan.steps.length, 5);
});

Deno.test("patched rejects a name that is invalid", async () => {
  const script = scriptText(
    `return input.map((name) => {
    try {
      return patched(name);
    } catch (error) {
      return error.code + ": " + error.message;
    }
  });`,
    [],
  );
  const { result } = await runText(script, {}, ["a.b_c-1", "x".repeat(64), "x".repeat(65), "", "-a", "a b", "ä", 5]);
  assert.deepEqual(result, [
    ...[true, true],
    ...[`"${"x".repeat(65)}"`, `""`, `"-a"`, `"a b"`, `"ä"`, "a value of type number"].map((shown) =>
      `INVALID_ARGS: patched requires a valid name, not ${shown}.`
    ),
  ]);
});

Deno.test("the example of the guide runs", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/workflows.md", import.meta.url));
  const [example = ""] = /import [^`]*name: "tagged-intake"[^`]*/.exec(page) ?? [];
  await using service = await startService();
  await using folder = await makeFolder({ "script.ts": example });
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  await using runs = openRuns({ baseUrl: service.url, clientId, clientSecret, noCache: true, journal: false });
  const input = { Applicant: "Ada", Address: "Main St 1" };
  await using run = await runs.start({ script: `${folder.path}/script.ts`, input, allowDeclared: true });
  assert.deepEqual(await Array.fromAsync(run.results), [{ input: "input", result: "CITY-PERMIT-WORK P-1" }]);
});
