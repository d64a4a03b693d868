/** Calls through a proxy that cuts, delays and refuses: with keys and retries, every change is there once. */
import assert from "node:assert/strict";
import { createCaller } from "../../../lib/client/caller.ts";
import { RetryBudget, retrying } from "../../../lib/client/retry.ts";
import { FAULTS, type ProxyFault, startFaultProxy } from "../../harness/fault_proxy.ts";
import { openService } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";
import { operationByName } from "./_operation.ts";

const CREATE = await operationByName("cases", "create");
const GET = await operationByName("cases", "get");
const PERFORM = await operationByName("assignments", "perform");
const UPLOAD = await operationByName("attachments", "upload");
const SEED = Number(Deno.env.get("SVC_TEST_SEED") ?? Date.now() % 100_000);

const EVERY_FAULT: Record<ProxyFault, number> = {
  "pass": 12,
  "cut-before": 1,
  "cut-after": 1,
  "cut-within": 1,
  "delay": 1,
  "429": 1,
  "429-later": 1,
  "503": 1,
  "503-later": 1,
  "502": 1,
  "502-after": 1,
};

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  }));
}

Deno.test(`300 creates, and performs and uploads, through every fault leave each once (SVC_TEST_SEED=${SEED})`, async () => {
  await using folder = await makeFolder();
  await using svc = await openService({ data: `${folder.path}/data` });
  const client = await svc.service.addClient("clerk@city");
  await using proxy = await startFaultProxy({ target: new URL(svc.service.url), seed: SEED, faults: EVERY_FAULT });
  const caller = retrying(createCaller({ ...client, baseUrl: proxy.url, noCache: true }), {
    attempts: 20,
    budget: new RetryBudget(100_000),
    wait: () => Promise.resolve(),
  });

  const ids: string[] = [];
  await inParallel(300, async (index) => {
    const values = { type: "City-Permit-Work-Permit", data: { Applicant: `A ${index}` } };
    const { body } = await caller.call(CREATE, values, { idempotencyKey: `run.${index}.1` });
    ids[index] = String(valueAt(body, "id"));
    if (index % 5 !== 0) return;
    const next = String(valueAt(body, "nextAssignmentInfo.ID"));
    const action = String(valueAt(body, "data.caseInfo.assignments.0.actions.0.ID"));
    const perform = { assignmentId: next, action, data: { Applicant: `B ${index}` } };
    await caller.call(PERFORM, perform, { idempotencyKey: `run.${index}.2` });
    const { body: read } = await caller.call(GET, { caseId: ids[index] });
    assert.equal(valueAt(read, "data.caseInfo.content.Applicant"), `B ${index}`);
    if (index % 15 !== 0) return;
    const file = new File([`file ${index}`], `${index}.txt`);
    await caller.call(UPLOAD, { file }, { idempotencyKey: `run.${index}.3` });
  });

  assert.equal(new Set(ids).size, 300);
  assert.equal((await svc.rows("D_Permits", { paging: { maxResultsToFetch: 1000 } })).length, 300);
  for (const [index, id] of ids.entries()) {
    const rows = await svc.rows("D_pyWorkHistory", { dataViewParameters: { CaseInstanceKey: id } });
    const count = (kind: string) => rows.filter(({ pyHistoryType }) => pyHistoryType === kind).length;
    assert.deepEqual([count("created"), count("performed")], [1, index % 5 === 0 ? 1 : 0], id);
  }
  assert.equal((await Array.fromAsync(Deno.readDir(`${folder.path}/data/files`))).length, 20);
  assert.deepEqual(svc.log, []);
  for (const fault of FAULTS) assert.ok(proxy.counts[fault] > 0, `${fault} has not happened`);
});

Deno.test("the plan of a proxy is its seed's", async () => {
  await using svc = await openService();
  const fates = async (seed: number) => {
    await using proxy = await startFaultProxy({
      target: new URL(svc.service.url),
      seed,
      faults: { pass: 1, "503": 1 },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 30; n++) {
      const response = await fetch(`${proxy.url}/health`);
      await response.body?.cancel();
      statuses.push(response.status);
    }
    const passed = statuses.filter((status) => status === 200).length;
    assert.deepEqual([proxy.counts.pass, proxy.counts["503"]], [passed, 30 - passed]);
    return statuses.join();
  };
  const first = await fates(7);
  assert.equal(await fates(7), first);
  assert.notEqual(await fates(8), first);
});
