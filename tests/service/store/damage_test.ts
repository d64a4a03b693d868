/** Damage to stored rows: it is found when a row is read, and by `svc service verify`. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { backUp, verify } from "../../../service/backup/backup.ts";
import { SvcError } from "../../../lib/errors.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { computeChecksum } from "../../../utils/sqlite/checksum.ts";
import { CHECKSUM_VERSION } from "../../../service/store/sqlite/schema.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { TABLE_NAMES } from "../../../service/store/tables.ts";
import { upgradeDatabase } from "../../../service/store/sqlite/upgrade/upgrade.ts";
import { createEarlierStore, listFormats } from "../../../tasks/soak/earlier_stores.ts";
import {
  type ApiAnswer,
  openService,
  readErrorDetails,
  requestToken,
  sendRequest,
  type TestService,
} from "../../harness/service.ts";
import { textAt } from "../../harness/service_engine.ts";
import { type Folder, makeFolder } from "../../harness/svc.ts";
import { within } from "../../harness/wait.ts";

const PERMIT = "City-Permit-Work-Permit";

const TIME = "2026-01-02T03:04:05.678Z";

const [FIRST, SECOND] = ["CITY-PERMIT-WORK P-1", "CITY-PERMIT-WORK P-2"];

/** An application with data records. */
const YAML = `
application: { id: Visits, name: Visits, organisation: Org, variant: hosted, platformVersion: 25 }
operators: { ada@visits: { name: Ada } }
caseTypes: {}
dataTypes:
  Org-Visits-Data-Visit:
    name: Visit
    key: [Number]
    savable: D_Visits
    fields: { Number: { type: Text }, Place: { type: Text } }
dataViews:
  D_Visits: { name: Visits, source: records, class: Org-Visits-Data-Visit }
`;

/** Makes a data directory with two cases, the first created with an idempotency key. */
async function makeCases(folder: Folder): Promise<string> {
  const data = `${folder.path}/data`;
  await using svc = await openService({ data });
  for (const name of ["first", "second"]) {
    const { status } = await createCase(svc, name);
    assert.equal(status, 201);
  }
  return data;
}

function createCase(svc: TestService, name: string): Promise<ApiAnswer> {
  return svc.call("POST", "/cases", {
    body: { caseTypeID: PERMIT, content: { Applicant: `Applicant ${name}` } },
    headers: { "idempotency-key": name },
  });
}

/** Changes a stored value directly in the database. */
function damage(data: string, sql: string): void {
  using db = new DatabaseSync(locateFiles(data).database);
  assert.equal(db.prepare(sql).run().changes, 1, sql);
}

function assertDamaged({ status, body }: ApiAnswer, name: string): void {
  assert.equal(status, 500, JSON.stringify(body));
  assert.equal(textAt(body, "localizedValue"), "Stored data is damaged.");
  assert.equal(readErrorDetails(body)[0]?.message, `A stored row is damaged: ${name}.`);
}

const readCase = (svc: TestService, id: string) => svc.call("GET", `/cases/${encodeURIComponent(id)}`);

const DAMAGED_CASES = [
  ["content", `UPDATE cases SET content = replace(content, 'Applicant first', 'Applicant fIrst') WHERE seq = 1`],
  ["status", "UPDATE cases SET status = 'Nev' WHERE seq = 1"],
  ["urgency", "UPDATE cases SET urgency = urgency + 1 WHERE seq = 1"],
  ["flow", "UPDATE cases SET flow = flow || ' ' WHERE seq = 1"],
  ["checksum", "UPDATE cases SET checksum = NULL WHERE seq = 1"],
] as const;

for (const [column, sql] of DAMAGED_CASES) {
  Deno.test(`a case with a damaged ${column} is never shown, but other cases are`, async () => {
    await using folder = await makeFolder();
    const data = await makeCases(folder);
    damage(data, sql);
    await using svc = await openService({ data });
    assertDamaged(await readCase(svc, FIRST), `cases (id "${FIRST}")`);
    assert.equal((await readCase(svc, SECOND)).status, 200);
    assert.ok(svc.log.some((line) => line.includes(`cases (id "${FIRST}")`)));
    const list = await svc.call("POST", "/data_views/D_Permits", { body: {} });
    assertDamaged(list, `cases (id "${FIRST}")`);
    const filter = { filterConditions: { F1: { lhs: { field: ".pyID" }, comparator: "EQ", rhs: { value: "P-2" } } } };
    const body = { query: { select: [{ field: ".pyID" }], filter: { ...filter, logic: "F1" } } };
    const others = await svc.call("POST", "/data_views/D_Permits", { body });
    assert.equal(others.status, 200, JSON.stringify(others.body));
  });
}

Deno.test("a damaged JSON text makes a list fail with the reason", async () => {
  await using folder = await makeFolder();
  const data = await makeCases(folder);
  damage(data, "UPDATE cases SET content = substr(content, 2) WHERE seq = 1");
  await using svc = await openService({ data });
  const { status, body } = await svc.call("POST", "/data_views/D_Permits", { body: {} });
  assert.equal(status, 500);
  assert.match(
    String(readErrorDetails(body)[0]?.message),
    /^Stored rows are damaged and cannot be read: malformed JSON/,
  );
  assert.equal((await readCase(svc, SECOND)).status, 200);
});

Deno.test("a damaged line of a history is never shown, but other histories are", async () => {
  await using folder = await makeFolder();
  const data = await makeCases(folder);
  damage(data, `UPDATE events SET text = text || '.' WHERE seq = (SELECT min(seq) FROM events)`);
  await using svc = await openService({ data });
  const history = (id: string) =>
    svc.call("POST", "/data_views/D_pyWorkHistory", { body: { dataViewParameters: { CaseInstanceKey: id } } });
  assertDamaged(await history(FIRST), 'events (seq "1")');
  assert.equal((await history(SECOND)).status, 200);
});

Deno.test("a damaged response is not sent again, and its request is not repeated", async () => {
  await using folder = await makeFolder();
  const data = await makeCases(folder);
  damage(data, `UPDATE answers SET status = 200 WHERE key = 'first'`);
  await using svc = await openService({ data });
  assertDamaged(await createCase(svc, "first"), 'answers (caller "clerk@city", key "first")');
  assert.equal((await createCase(svc, "second")).status, 201);
  assert.equal((await readCase(svc, "CITY-PERMIT-WORK P-3")).status, 404);
});

Deno.test("a damaged sequence returns no number", async () => {
  await using folder = await makeFolder();
  const data = await makeCases(folder);
  damage(data, "UPDATE sequences SET value = value - 1 WHERE name LIKE 'CITY-PERMIT-WORK%'");
  await using svc = await openService({ data });
  const { status, body } = await createCase(svc, "third");
  assert.equal(status, 500);
  assert.match(String(readErrorDetails(body)[0]?.message), /^A stored row is damaged: sequences \(name "CITY-PERMIT/);
  assert.equal((await readCase(svc, SECOND)).status, 200);
});

Deno.test("a damaged record is never shown, but other records are", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  {
    await using svc = await openService({ data, yaml: YAML });
    for (const Number of ["1", "2"]) {
      const { status, body } = await svc.call("POST", "/data/D_Visits", { body: { data: { Number, Place: "Town" } } });
      assert.ok(status < 300, JSON.stringify(body));
    }
  }
  damage(data, "UPDATE records SET content = replace(content, 'Town', 'Torn') WHERE seq = 1");
  await using svc = await openService({ data, yaml: YAML });
  const list = await svc.call("POST", "/data_views/D_Visits", { body: {} });
  assertDamaged(list, 'records (classId "Org-Visits-Data-Visit", key "[\\"1\\"]")');
  const change = await svc.call("PUT", "/data/D_Visits", { body: { data: { Number: "2", Place: "City" } } });
  assert.ok(change.status < 300, JSON.stringify(change.body));
});

Deno.test("a damaged client or token is an error of the service", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  let client: { clientId: string; clientSecret: string };
  let token: string;
  {
    await using svc = await openService({ data });
    client = await svc.service.addClient("clerk@city");
    token = await requestToken(svc.service, client);
  }
  damage(data, `UPDATE clients SET operator = 'boss@city' WHERE id = '${client.clientId}'`);
  await using svc = await openService({ data });
  const headers = { authorization: `Bearer ${token}` };
  assertDamaged(await sendRequest("GET", `${svc.api}/casetypes`, { headers }), `clients (id "${client.clientId}")`);
  assert.equal((await svc.call("GET", "/casetypes")).status, 200);
});

Deno.test("verify names damaged rows, and a backup of them is refused", async () => {
  await using folder = await makeFolder();
  const data = await makeCases(folder);
  assert.equal((await verify({ data })).cases, 2);
  damage(data, "UPDATE cases SET status = 'Nev' WHERE seq = 1");
  damage(data, "UPDATE events SET at = '2020' WHERE seq = 2");
  const error = await verify({ data }).catch((error) => error);
  assert.ok(error instanceof SvcError);
  assert.equal(error.code, "STORE_DAMAGED");
  const rows = [`A row is damaged: cases (id "${FIRST}")`, 'A row is damaged: events (seq "2")'];
  assert.deepEqual(error.details?.map(({ message }) => message), rows);
  const file = `${folder.path}/damaged.backup`;
  await assert.rejects(backUp({ data, file }), { code: "STORE_DAMAGED" });
});

Deno.test("an upgrade of each earlier version gives every row its checksum", async () => {
  for (const version of listFormats()) {
    await using folder = await makeFolder();
    const data = `${folder.path}/data`;
    createEarlierStore(data, version, 20);
    const { database } = locateFiles(data);
    await upgradeDatabase(database);
    assert.ok((await verify({ data: await serveOnce(data) })).cases >= 20);
    using db = new DatabaseSync(database, { readOnly: true });
    for (const table of TABLE_NAMES) {
      for (const { seq: _, checksum, ...columns } of db.prepare(`SELECT * FROM ${table}`).iterate()) {
        assert.equal(checksum, computeChecksum([table, ...Object.values(columns)]), `${table} of version ${version}`);
      }
    }
  }
});

/** Starts and stops a service. */
async function serveOnce(data: string): Promise<string> {
  await using _svc = await openService({ data });
  return data;
}

Deno.test("computing the checksums of many rows reports progress and continues after an interruption", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  createEarlierStore(data, 6, 3000);
  const { database } = locateFiles(data);
  const controller = new AbortController();
  const observe = ({ activity }: { activity: string }) => {
    // The first batch is complete when the second one begins.
    if (activity === "computing checksums") queueMicrotask(() => setTimeout(() => controller.abort()));
    return Promise.resolve();
  };
  await assert.rejects(upgradeDatabase(database, { signal: controller.signal, observe }), { code: "INTERRUPTED" });
  {
    using db = new DatabaseSync(database, { readOnly: true });
    assert.equal(db.prepare("PRAGMA user_version").get()?.user_version, CHECKSUM_VERSION - 1);
  }
  assert.throws(() => openSqliteStore(database), /older version of svc/);
  await upgradeDatabase(database);
  assert.ok((await verify({ data: await serveOnce(data) })).cases >= 3000);
});

Deno.test("renames, a deleted parent and odd texts keep the checksums correct, and a damaged row stays damaged", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/service.db`;
  const store = openSqliteStore(path);
  const newCase = (id: string, parentId?: string) => ({
    id,
    businessId: id,
    typeId: "T",
    ...(parentId !== undefined && { parentId }),
    status: "New",
    urgency: 10,
    stageId: "S",
    createdBy: "ada",
    createdAt: TIME,
    updatedBy: "ada",
    updatedAt: TIME,
    tag: "t",
    content: { Name: "a\u0000\ud800😀", Old: 2 ** 53 },
    flow: { lockedBy: "ada", waiting: { C: { processId: "P", stepId: "S" } }, visits: { S: 1 } },
  });
  await store.transact(async (tx) => {
    await tx.putCase(newCase("parent"));
    await tx.putCase(newCase("child", "parent"));
    await tx.putCase(newCase("damaged"));
    await tx.putCase({ ...newCase("child", "parent"), status: "Open" });
    await tx.putAssignment({
      id: "A",
      caseId: "child",
      processId: "P",
      stepId: "S",
      urgency: 1,
      createdAt: TIME,
      assignee: { kind: "operator", id: "ada" },
      state: { drafts: { Do: { Old: 1 } } },
    });
    await tx.putRecord({ classId: "R", key: '["\ud800"]', tag: "t\u0000u", content: { Old: 1 } });
    await tx.putItem({ kind: "message", id: "1", owner: "child", at: TIME, content: { text: "😀" } });
    await tx.addEvent({ caseId: "child", at: TIME, by: "ada", kind: "k", text: "\udc00 a\u0000b", facts: {} });
    await tx.putClient({ id: "c", secretHash: "h", operator: "ada", createdAt: TIME });
    await tx.putToken({ hash: "h", clientId: "c", expiresAt: TIME }, "");
    const answer = { caller: "ada", key: "k\u00e4", request: "r", at: TIME, status: 200, headers: {}, body: "{}" };
    await tx.putResponse(answer);
    await tx.putResponse({ ...answer, status: 201 });
    for (let number = 1; number <= 3; number++) assert.equal(await tx.nextNumber("N"), number);
  });
  const damaged = new DatabaseSync(path);
  damaged.exec("UPDATE cases SET urgency = 11 WHERE id = 'damaged'");
  damaged.close();
  await store.transact(async (tx) => {
    await tx.rename({ kind: "caseType", from: "T", to: "U" });
    await tx.rename({ kind: "dataType", from: "R", to: "Q" });
    await tx.rename({ kind: "operator", from: "ada", to: "bob" });
    await tx.rename({ kind: "stage", owner: "U", from: "S", to: "S2" });
    await tx.rename({ kind: "process", owner: "U", from: "P", to: "P2" });
    await tx.rename({ kind: "step", owner: "U", process: "P2", from: "S", to: "S3" });
    await tx.rename({ kind: "field", owner: "U", from: "Old", to: "New" });
    await tx.rename({ kind: "recordField", owner: "Q", from: "Old", to: "New" });
    await tx.deleteCase("parent");
    assert.equal((await tx.getCase("child"))?.parentId, undefined);
    assert.equal((await tx.getCase("child"))?.flow.lockedBy, "bob");
    assert.deepEqual((await tx.listAssignments("child"))[0]?.state, { drafts: { Do: { New: 1 } } });
    assert.equal((await tx.getToken("h"))?.client.operator, "bob");
    assert.equal((await tx.getResponse("bob", "k\u00e4"))?.status, 201);
    assert.equal((await tx.listItems("message", "child")).length, 1);
    assert.deepEqual((await tx.getRecord("Q", '["\ud800"]'))?.content, { New: 1 });
    await assert.rejects(tx.getCase("damaged"), /cases \(id "damaged"\)/);
  });
  await store.close();
  const { checkDatabase } = await import("../../../service/store/sqlite/snapshot.ts");
  assert.deepEqual(checkDatabase(path).issues, ['A row is damaged: cases (id "damaged")']);
});

Deno.test("after a file was truncated, every read ends", async () => {
  await using folder = await makeFolder({});
  const path = `${folder.path}/service.db`;
  const put = openSqliteStore(path);
  await put.transact(async (tx) => {
    for (let n = 0; n < 500; n++) {
      await tx.putRecord({ classId: "D", key: String(n), tag: "", content: { text: "x".repeat(2000) } });
    }
  });
  await put.close();
  const store = openSqliteStore(path);
  await Deno.truncate(path, 200_000);
  const reads = Array.from({ length: 3 }, () => store.read((tx) => tx.getRecord("D", "499")));
  const outcomes = await within("every read ends", Promise.allSettled(reads));
  assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected", "rejected"]);
  await within("the store closes", store.close());
});
