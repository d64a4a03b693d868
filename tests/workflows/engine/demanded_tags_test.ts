/** Changes for which the service demands an entity tag: each is still applied once, and replays without a request. */
import assert from "node:assert/strict";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { Runner } from "../../../workflows/runs/runner.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, newRun, openScript, scriptText, TinyApi } from "../../harness/workflow.ts";

/** A request of a workflow: its call, entity tag and idempotency key. */
type Received = [call: string, tag: string | null, key: string | null];

/** Starts an API that demands an entity tag and answers a change with the tag `v1` as told. */
function startStrictApi(received: Received[], answer: () => Response): TinyApi {
  return new TinyApi((call, { headers }) => {
    const tag = headers.get("if-match");
    received.push([call, tag, headers.get("idempotency-key")]);
    if (call.startsWith("GET")) return Response.json(createCaseBody("C"), { headers: { etag: "v1" } });
    return tag === null ? Response.json({ localizedValue: "Send If-Match." }, { status: 428 }) : answer();
  });
}

const CHANGE = "POST /cases/C/stages/next";

Deno.test("without keys, the demanded tag is recorded, so that a lost response is settled when the run resumes", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText(`return await svc.cases.stageNext("C");`) });
  const script = `${folder.path}/script.ts`;
  const received: Received[] = [];
  let changes = 0;
  await using api = startStrictApi(received, () => new Response("", { status: ++changes === 1 ? 502 : 412 }));
  await using journal = await openJournal(`${folder.path}/journal.db`);
  await journal.createRun(newRun("r1", script));
  const attempt = async (interrupts: boolean) => {
    await using workflow = await openScript({ script, allowDeclared: true });
    const credentials = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
    const caller = createCaller({ ...credentials, idempotencyKeys: false });
    const interruptAfter = (prepared: Awaited<ReturnType<Caller["prepare"]>>): typeof prepared => ({
      ...prepared,
      send: () =>
        prepared.send().catch((error) => {
          if (interrupts && error.status === 502) setTimeout(() => void runner.interrupt());
          throw error;
        }),
      async addDemandedTag(thrown) {
        const tagged = await prepared.addDemandedTag(thrown);
        return tagged && interruptAfter(tagged);
      },
    });
    const interrupting: Caller = {
      ...caller,
      prepare: async (...args) => interruptAfter(await caller.prepare(...args)),
    };
    const runner = new Runner({ workflow, live: new GrantedCalls(interrupting, workflow), journal, id: "r1" });
    return await runner.run({ number: 1, place: "input" });
  };
  assert.equal((await attempt(true)).isOpen, true);
  assert.deepEqual(received, [[CHANGE, null, null], ["GET /cases/C", null, null], [CHANGE, "v1", null]]);
  const sent = (await journal.events("r1", 1)).filter(({ kind }) => kind === "sent");
  assert.deepEqual(sent.map(({ content }) => JSON.parse(content).tag), [undefined, "v1"]);
  received.length = 0;
  assert.deepEqual(await attempt(false), { result: { settled: "arrived" } });
  assert.deepEqual(received, [[CHANGE, "v1", null]], "the tag is not read again");
});

Deno.test("with keys, both requests carry the same key, and the replay sends nothing", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`
      const { id } = await svc.cases.stageNext("C");
      log("moved");
      await sleep(100);
      return id;`),
  });
  const script = `${folder.path}/script.ts`;
  const received: Received[] = [];
  await using api = startStrictApi(received, () => Response.json(createCaseBody("C")));
  await using journal = await openJournal(`${folder.path}/journal.db`);
  await journal.createRun(newRun("r1", script));
  const attempt = async (onLog: (runner: Runner) => void) => {
    await using workflow = await openScript({ script, allowDeclared: true });
    const runner = new Runner({ workflow, live: new GrantedCalls(api.caller, workflow), journal, id: "r1" });
    return await runner.run({ number: 1, place: "input" }, () => onLog(runner));
  };
  assert.equal((await attempt((runner) => void runner.interrupt())).isOpen, true);
  const [, , key] = received[0] ?? [];
  assert.ok(key);
  assert.deepEqual(received, [[CHANGE, null, key], ["GET /cases/C", null, null], [CHANGE, "v1", key]]);
  received.length = 0;
  assert.deepEqual(await attempt(() => {}), { result: "C" });
  assert.deepEqual(received, []);
});
