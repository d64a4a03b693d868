/** Several processes on one database: each has a store of its own. */
import assert from "node:assert/strict";
import { SvcError } from "../../../../lib/errors.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../../../../service/store/postgres/postgres_store.ts";
import { QueryTooSlow } from "../../../../service/store/query.ts";
import {
  OutcomeUnknown,
  type Store,
  StoreBusy,
  type StoredAssignment,
  type StoredCase,
  StoreUnavailable,
} from "../../../../service/store/store.ts";
import { parseLocation } from "../../../../utils/postgres/location.ts";
import { startPostgres } from "../../../harness/postgres.ts";
import { SHARED_POSTGRES, type TestSchema, useTestSchema } from "../../../harness/postgres_schema.ts";
import { LOCK_SECONDS } from "../../../harness/stores.ts";
import { eventually } from "../../../harness/wait.ts";

const TIME = "2026-01-02T03:04:05.678Z";

function newCase(id: string, n = 0): StoredCase {
  const times = { createdBy: "ada", createdAt: TIME, updatedBy: "ada", updatedAt: TIME, tag: "t" };
  return {
    ...times,
    id,
    businessId: id,
    typeId: "T",
    status: "New",
    urgency: 10,
    stageId: "S",
    content: { n },
    flow: {},
  };
}

function newAssignment(caseId: string): StoredAssignment {
  const assignee = { kind: "queue", id: "q" } as const;
  return { id: `A ${caseId}`, caseId, processId: "P", stepId: "S", urgency: 10, createdAt: TIME, assignee, state: {} };
}

/** Runs a test with two stores. */
async function withStores(
  work: (first: Store, second: Store, schema: TestSchema) => Promise<void>,
  options: PostgresStoreOptions = {},
): Promise<void> {
  await using schema = useTestSchema();
  const open = () => openPostgresStore(schema.parsed, { lockSeconds: LOCK_SECONDS, ...options });
  const stores = [await open(), await open()];
  const [first, second] = stores;
  assert.ok(first && second);
  await work(first, second, schema).finally(() => Promise.all(stores.map((store) => store.close())));
}

/** Runs statements beside the stores. */
async function execute(schema: TestSchema, sql: string): Promise<void> {
  const pool = await schema.open();
  await pool.use((connection) => connection.run(sql)).finally(() => pool.close());
}

/** Ends the connections that run a statement, when there are some. */
async function cutConnections(schema: TestSchema, query: string): Promise<void> {
  const pool = await schema.open();
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query = $1 AND state <> 'idle' AND pid IN (SELECT pid FROM pg_locks WHERE relation = 'cases'::regclass)`;
  await eventually(
    `a connection runs ${query}`,
    () => pool.use(async (connection) => (await connection.run(sql, [query])).count),
  )
    .finally(() => pool.close());
}

Deno.test("units of several processes that change the same case lose no change", () =>
  withStores(async (first, second) => {
    await first.transact((tx) => tx.putCase(newCase("C-1")));
    await Promise.all(Array.from({ length: 40 }, (_, index) =>
      (index % 2 ? first : second).transact(async (tx) => {
        const stored = await tx.getCase("C-1");
        if (stored) await tx.putCase({ ...stored, content: { n: Number(stored.content.n) + 1 } });
      })));
    assert.deepEqual((await second.read((tx) => tx.getCase("C-1")))?.content, { n: 40 });
  }));

Deno.test("of units that create the same record or item, one sees that of the other", () =>
  withStores(async (first, second) => {
    const create = (store: Store) =>
      store.transact(async (tx) => {
        const [record, item] = [await tx.getRecord("D", "1"), await tx.getItem("tag", "1")];
        await tx.putRecord({ classId: "D", key: "1", tag: "t", content: { n: Number(record?.content.n ?? 0) + 1 } });
        const content = { n: Number(item?.content.n ?? 0) + 1 };
        await tx.putItem({ kind: "tag", id: "1", owner: "C-1", at: TIME, content });
      });
    await Promise.all([first, second, first, second].map(create));
    await first.read(async (tx) => {
      assert.deepEqual((await tx.getRecord("D", "1"))?.content, { n: 4 });
      assert.deepEqual((await tx.getItem("tag", "1"))?.content, { n: 4 });
    });
  }));

Deno.test("of units that list the items of an owner before they add one, each sees those of the others", () =>
  withStores(async (first, second) => {
    const add = (store: Store, id: string) =>
      store.transact(async (tx) => {
        const content = { n: (await tx.listItems("tag", "C-1")).length };
        await tx.putItem({ kind: "tag", id, owner: "C-1", at: TIME, content });
      });
    await Promise.all([0, 1, 2, 3].map((n) => add(n % 2 ? first : second, String(n))));
    const items = await first.read((tx) => tx.listItems("tag", "C-1"));
    assert.deepEqual(items.map(({ content }) => content.n).sort(), [0, 1, 2, 3]);
  }));

Deno.test("numbers of a sequence are never given twice", () =>
  withStores(async (first, second) => {
    const numbers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? first : second).transact((tx) => tx.nextNumber("C"))),
    );
    assert.equal(new Set(numbers).size, 100);
  }));

Deno.test("no assignment of a queue is taken twice, and all are taken", () =>
  withStores(async (first, second) => {
    const ids = Array.from({ length: 60 }, (_, index) => `C-${index}`);
    await first.transact(async (tx) => {
      for (const id of ids) {
        await tx.putCase(newCase(id));
        await tx.putAssignment(newAssignment(id));
      }
    });
    const takeAll = async (store: Store) => {
      const taken: string[] = [];
      for (;;) {
        const next = await store.transact(async (tx) => {
          const next = await tx.nextAssignment("ada", ["q"], ({ assignments }) => assignments.length > 0);
          if (next) await tx.deleteAssignment(next.id);
          return next;
        });
        if (next === undefined) return taken;
        taken.push(next.caseId);
      }
    };
    const taken = (await Promise.all([first, second, first, second].map(takeAll))).flat();
    assert.deepEqual(taken.sort(), ids.sort());
  }));

Deno.test("calls with the same key are performed once, although two processes receive them", () =>
  withStores(async (first, second) => {
    let runs = 0;
    const call = (store: Store) =>
      store.transact(async (tx) => {
        const stored = await tx.getResponse("ada", "key");
        if (stored) return stored.body;
        const body = String(++runs);
        await tx.putResponse({ caller: "ada", key: "key", request: "r", at: TIME, status: 200, headers: {}, body });
        return body;
      });
    assert.deepEqual(await Promise.all([first, second, first, second].map(call)), ["1", "1", "1", "1"]);
  }));

Deno.test("units that lock cases in different orders are run again until both succeed", () =>
  withStores(async (first, second) => {
    await first.transact(async (tx) => {
      await tx.putCase(newCase("C-1"));
      await tx.putCase(newCase("C-2"));
    });
    const { promise: bothHaveOne, resolve } = Promise.withResolvers<void>();
    let locked = 0;
    const change = (store: Store, ids: readonly string[]) =>
      store.transact(async (tx) => {
        for (const id of ids) {
          const stored = await tx.getCase(id);
          if (++locked === 2) resolve();
          await bothHaveOne;
          if (stored) await tx.putCase({ ...stored, content: { n: Number(stored.content.n) + 1 } });
        }
      });
    await Promise.all([change(first, ["C-1", "C-2"]), change(second, ["C-2", "C-1"])]);
    for (const id of ["C-1", "C-2"]) assert.deepEqual((await first.read((tx) => tx.getCase(id)))?.content, { n: 2 });
  }));

Deno.test("a unit that waits too long for a lock fails, and can be run later", () =>
  withStores(async (first, second) => {
    await first.transact((tx) => tx.putCase(newCase("C-1")));
    await first.transact(async (tx) => {
      await tx.getCase("C-1");
      await assert.rejects(second.transact((other) => other.getCase("C-1")), StoreBusy);
      assert.ok(await second.read((other) => other.getCase("C-1"))); // Units that only read do not wait.
    });
    assert.ok(await second.transact((tx) => tx.getCase("C-1")));
  }, { lockSeconds: 0.2 }));

Deno.test("a query that takes too long fails", () =>
  withStores(async (first, _, schema) => {
    const other = await schema.open();
    await other.use(async (connection) => {
      await connection.run("BEGIN; LOCK TABLE cases");
      await assert.rejects(first.read((tx) => tx.getCase("C-1")), QueryTooSlow);
    });
    await other.close();
  }, { querySeconds: 0.2 }));

Deno.test("a part that breaks a rule of the database is undone alone", () =>
  withStores(async (first) => {
    await first.transact(async (tx) => {
      await tx.putCase(newCase("C-1"));
      await assert.rejects(tx.attempt(() => tx.putAssignment(newAssignment("nowhere"))), /foreign key/);
      await tx.attempt(() => tx.putAssignment(newAssignment("C-1")));
    });
    assert.equal((await first.read((tx) => tx.listAssignments("C-1"))).length, 1);
  }));

Deno.test("a unit that loses its connection before the commit is run again", () =>
  withStores(async (first, _, schema) => {
    let runs = 0;
    await first.transact(async (tx) => {
      runs++;
      await tx.putCase(newCase("C-1"));
      await tx.getCase("C-1");
      if (runs === 1) await execute(schema, TERMINATE_WRITERS);
    });
    assert.equal(runs, 2);
    assert.ok(await first.read((tx) => tx.getCase("C-1")));
  }));

const TERMINATE_WRITERS = `SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
  WHERE relation = 'cases'::regclass AND mode = 'RowExclusiveLock'`;

Deno.test("if the connection is lost during the commit, the outcome is unknown, unless the unit finds its response", () =>
  withStores(async (first, _, schema) => {
    await execute(
      schema,
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON cases DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.status = 'New') EXECUTE FUNCTION wait()`,
    );
    const unknown = first.transact((tx) => tx.putCase(newCase("C-1")));
    await Promise.all([assert.rejects(unknown, OutcomeUnknown), cutConnections(schema, "COMMIT")]);
    assert.equal(await first.read((tx) => tx.getCase("C-1")), undefined);
    let runs = 0;
    const repeated = first.transact(async (tx) => {
      await tx.getResponse("ada", "key");
      await tx.putCase({ ...newCase("C-2"), status: ++runs === 1 ? "New" : "Open" });
    });
    await Promise.all([repeated, cutConnections(schema, "COMMIT")]);
    assert.equal((await first.read((tx) => tx.getCase("C-2")))?.status, "Open");
  }));

Deno.test("while the server is down, units fail, and the store recovers by itself", async () => {
  await using server = await startPostgres({ settings: { fsync: "on" } });
  const store = await openPostgresStore(parseLocation(server.location, "test"));
  await store.transact((tx) => tx.putCase(newCase("C-1")));
  await server.kill();
  // A connection may notice that the server has ended only when it sends something. If that is the commit, the outcome
  // is unknown.
  await eventually(
    "changes fail",
    () =>
      store.transact((tx) => tx.putCase(newCase("C-2"))).then(() => false, (error) => {
        assert.ok(error instanceof StoreUnavailable || error instanceof OutcomeUnknown);
        return error instanceof StoreUnavailable;
      }),
  );
  await assert.rejects(store.read((tx) => tx.getCase("C-1")), StoreUnavailable);
  await assert.rejects(store.server?.readTime() ?? Promise.resolve(), StoreUnavailable);
  await server.start();
  assert.ok(await store.read((tx) => tx.getCase("C-1")));
  await store.transact((tx) => tx.putCase(newCase("C-3")));
  const time = await store.server?.readTime();
  assert.ok(time && Math.abs(time.getTime() - Date.now()) < 60_000);
  await store.close();
});

Deno.test("a database that cannot be opened is named, with what to check", async () => {
  const open = (location: string) => openPostgresStore(parseLocation(location, "test"));
  const nowhere = SHARED_POSTGRES.replace(/[^/]*$/, "nowhere");
  await assert.rejects(open(nowhere), (error) => {
    return error instanceof SvcError && error.code === "INVALID_CONFIG" && error.message.includes(nowhere) &&
      /name of the database/.test(error.hint ?? "");
  });
});
