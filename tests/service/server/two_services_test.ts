/** Two processes of the service on one PostgreSQL database. One of them is killed. */
import assert from "node:assert/strict";
import { type ApiCaller, openService, type ServiceProcess, spawnService } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";
import { type TestSchema, useTestSchema } from "../../harness/postgres_schema.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

const CASES = 120;
const PERMIT = { caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada" } };

interface TwoServices extends AsyncDisposable {
  readonly services: readonly [ServiceProcess, ServiceProcess];
  readonly schema: TestSchema;
}

async function startTwo(): Promise<TwoServices> {
  const resources = new AsyncDisposableStack();
  const schema = resources.use(useTestSchema());
  const folder = resources.use(await makeFolder());
  const start = async (name: string) => {
    const service = await spawnService(`${folder.path}/${name}`, "", schema.location);
    resources.defer(() => service.kill().catch(() => {})); // A test may have killed it.
    return service;
  };
  const services = [await start("one"), await start("two")] as const;
  return { services, schema, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Cuts all connections of the services to the database. */
async function cutConnections({ open, parsed }: TestSchema): Promise<void> {
  const pool = await open();
  await pool.use((connection) =>
    connection.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'svc service' AND pid IN (SELECT pid FROM pg_locks JOIN pg_class ON oid = relation
          JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1)`,
      [parsed.schema],
    )
  );
  await pool.close();
}

async function countPerformed(service: ApiCaller, caseId: string): Promise<number> {
  const body = { dataViewParameters: { CaseInstanceKey: caseId } };
  const rows = valueAt((await service.call("POST", "/data_views/D_pyWorkHistory", { body })).body, "data");
  assert.ok(Array.isArray(rows));
  return rows.filter((row) => valueAt(row, "pyHistoryType") === "performed").length;
}

Deno.test("calls that two processes receive at the same time run once, although connections and a process are killed", async () => {
  await using two = await startTwo();
  const [first, second] = two.services;
  const create = async (service: ApiCaller, key: string) => {
    return await service.call("POST", "/cases", { body: PERMIT, headers: { "idempotency-key": key } });
  };
  const ids = new Map<string, Set<string>>();
  const note = (key: string, id: string) => ids.set(key, (ids.get(key) ?? new Set()).add(id));
  const keys = Array.from({ length: CASES }, (_, index) => `run.${index}.1`);
  const rest = [...keys.entries()];
  const work = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const [index, key] = next;
      if (index === CASES / 3) await cutConnections(two.schema);
      if (index === CASES / 2) await second.kill();
      for (const result of await Promise.allSettled([create(first, key), create(second, key)])) {
        if (result.status === "fulfilled" && result.value.status === 201) note(key, textAt(result.value.body, "id"));
      }
    }
  };
  await Promise.all(Array.from({ length: 12 }, work));
  for (const key of keys) {
    const { status, body } = await create(first, key);
    assert.equal(status, 201, JSON.stringify(body));
    note(key, textAt(body, "id"));
  }
  assert.deepEqual([...ids].filter(([, found]) => found.size !== 1), []);
  const counted = await first.call("POST", "/data_views/D_Permits", {
    body: { paging: { maxResultsToFetch: 1, includeTotalCount: true } },
  });
  assert.equal(valueAt(counted.body, "totalCount"), CASES);
});

Deno.test("a bulk action in the background continues in the other process after a kill, and repeats nothing", async () => {
  await using two = await startTwo();
  const [first, second] = two.services;
  const ids = await Promise.all(Array.from({ length: 30 }, async () => {
    return textAt((await first.call("POST", "/cases", { body: PERMIT })).body, "id");
  }));
  const path = "/cases?actionID=pyUpdateCaseDetails&runningMode=async";
  const body = { cases: ids.map((ID) => ({ ID })), content: { Channel: "Post" } };
  assert.equal((await second.call("PATCH", path, { body })).status, 202);
  await eventually("the first case is performed", () => countPerformed(first, ids[0] ?? ""));
  await second.kill();
  await eventually("the last case is performed", () => countPerformed(first, ids.at(-1) ?? ""));
  for (const id of ids) assert.equal(await countPerformed(first, id), 1, id);
});

Deno.test("a change that the database has no room for gets 507", async () => {
  await using schema = useTestSchema();
  await using svc = await openService({ store: schema.location });
  const pool = await schema.open();
  await pool.use((connection) =>
    connection.run(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE EXCEPTION 'could not extend file: Disk quota exceeded' USING ERRCODE = '53100'; END$$;
      CREATE TRIGGER refuse BEFORE INSERT ON cases FOR EACH ROW EXECUTE FUNCTION refuse()`,
    )
  );
  await pool.close();
  const { status } = await svc.call("POST", "/cases", { body: PERMIT });
  assert.equal(status, 507);
  assert.equal((await svc.call("GET", "/casetypes")).status, 200);
});
