/** Bulk actions in the background: each case once, jobs in turn, and a service that stops in the middle of them. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../lib/json.ts";
import { filesOf } from "../service/directory.ts";
import { openSqliteStore } from "../service/store/sqlite.ts";
import { at, textAt } from "./_support/engine.ts";
import { details, openService, type TestService } from "./_support/service.ts";
import { makeFolder } from "./_support/workflow.ts";

const BULK = "/cases?actionID=pyUpdateCaseDetails";
const ASYNC = `${BULK}&runningMode=async`;

async function createPermit(svc: TestService): Promise<string> {
  const { body } = await svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  return textAt(body, "id");
}

/** Cases that do not exist, each of which takes its time all the same, and then one that does. */
function asked(missing: number, last: string): JsonObject {
  const ids = Array.from({ length: missing }, (_, n) => `CITY-PERMIT-WORK P-${n + 1000}`);
  return { cases: [...ids, last].map((ID) => ({ ID })), content: { Channel: "Post" } };
}

/** How often an action was performed on a case. */
async function performed(svc: TestService, caseId: string): Promise<number> {
  const rows = await svc.rows("D_pyWorkHistory", { dataViewParameters: { CaseInstanceKey: caseId } });
  return rows.filter(({ pyHistoryType }) => pyHistoryType === "performed").length;
}

Deno.test("a case that is named twice, and a job of too many cases, is refused, and nothing is done", async () => {
  await using svc = await openService();
  const ID = await createPermit(svc);
  const refused = async (path: string, body: JsonValue) => {
    const answer = await svc.call("PATCH", path, { body });
    assert.equal(answer.status, 400);
    return details(answer.body)[0]?.message;
  };
  for (const path of [BULK, ASYNC]) {
    const body = { cases: [{ ID }, { ID: "CITY-PERMIT-WORK P-99" }, { ID }], content: {} };
    assert.equal(await refused(path, body), `The case ${ID} is named more than once`);
  }
  assert.equal(await refused(ASYNC, asked(10_000, ID)), "A call may have at most 10000 cases, not 10001");
  assert.equal(await performed(svc, ID), 0);
});

Deno.test("a job in the background waits for no other's last case", async () => {
  await using svc = await openService();
  const [last, only] = [await createPermit(svc), await createPermit(svc)];
  await svc.call("PATCH", ASYNC, { body: asked(2000, last) });
  await svc.call("PATCH", ASYNC, { body: asked(0, only) });
  while (await performed(svc, only) === 0);
  assert.equal(await performed(svc, last), 0);
});

Deno.test("a service that stops leaves its jobs to the next start, which does the rest, and nothing twice", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const first = await openService({ data });
  const [begin, last] = [await createPermit(first), await createPermit(first)];
  const body = asked(2000, last);
  const { status } = await first.call("PATCH", ASYNC, { body: { ...body, cases: [{ ID: begin }, ...cases(body)] } });
  assert.equal(status, 202);
  while (await performed(first, begin) === 0);
  await first.service.close();

  const store = openSqliteStore(filesOf(data).database);
  const [progress] = await store.read((tx) => tx.itemsOf("bulk-progress"));
  await store.close();
  const done = Number(at(progress?.content, "done"));
  assert.ok(done > 0 && done < 2000, `${done} of 2002 cases`);

  await using second = await openService({ data });
  while (await performed(second, last) === 0);
  assert.deepEqual([await performed(second, begin), await performed(second, last)], [1, 1]);
  assert.deepEqual([...first.log, ...second.log], []);
});

function cases({ cases }: JsonObject): JsonValue[] {
  return Array.isArray(cases) ? cases : [];
}
