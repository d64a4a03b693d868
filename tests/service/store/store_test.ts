/** The stores: what they promise to keep, and when. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { SvcError } from "../../../lib/errors.ts";
import { ExactNumber } from "../../../utils/exact_number.ts";
import type { JsonObject } from "../../../utils/json.ts";
import type { RowQuery } from "../../../service/store/query.ts";
import { openPostgresStore } from "../../../service/store/postgres/postgres_store.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { upgradeDatabase } from "../../../service/store/sqlite/upgrade/upgrade.ts";
import type { Store, StoredAssignment, StoredCase, Transaction } from "../../../service/store/store.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { testStores, withPostgresStore } from "../../harness/stores.ts";
import { LimitedCommand } from "../../harness/svc.ts";

const TIME = "2026-01-02T03:04:05.678Z";

function newCase(id: string, more: Partial<StoredCase> = {}): StoredCase {
  const [businessId = id] = id.split(" ").slice(-1);
  return {
    id,
    businessId,
    typeId: "T",
    status: "New",
    urgency: 10,
    stageId: "PRIM0",
    createdBy: "ada",
    createdAt: TIME,
    updatedBy: "ada",
    updatedAt: TIME,
    tag: "20260102T030405.678 GMT",
    content: {},
    flow: {},
    ...more,
  };
}

function newAssignment(id: string, caseId: string, more: Partial<StoredAssignment> = {}): StoredAssignment {
  const assignee = { kind: "operator", id: "ada" } as const;
  return { id, caseId, processId: "P", stepId: "S", urgency: 10, createdAt: TIME, assignee, state: {}, ...more };
}

/** The histories of all cases. */
const HISTORY: RowQuery = {
  source: { kind: "events" },
  columns: [
    ...["caseId", "at", "by", "kind", "text"].map((name) => ({ name, field: { property: name } })),
    { name: "n", field: { content: ["n"] } },
  ],
};

async function withFile(work: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await work(`${directory}/service.db`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("the store returns what was written, also after it is reopened (SQLite)", () =>
  withFile(async (path) => {
    await checkReopened(() => Promise.resolve(openSqliteStore(path)));
  }));

Deno.test("the store returns what was written, also after it is reopened (PostgreSQL)", async () => {
  await using schema = useTestSchema();
  await checkReopened(() => openPostgresStore(schema.parsed));
});

async function checkReopened(open: () => Promise<Store>): Promise<void> {
  const stored = newCase("W C-1", {
    content: { Name: 'ä"\u0000\u0001😀', List: [{ a: null }] },
    flow: { at: ["x"] },
    urgency: 70,
  });
  const child = newCase("W C-2", { parentId: "W C-1" });
  const assignment = newAssignment("A W C-1!P", "W C-1", {
    state: { draft: { x: 1 } },
    assignee: { kind: "queue", id: "q" },
  });
  const facts = { n: 1 };
  const line = { caseId: "W C-1", at: TIME, by: "ada", kind: "created", text: "Created" };
  const record = { classId: "D", key: '["1"]', tag: "t", content: { ID: "1" } };
  const item = {
    kind: "message",
    id: "1",
    owner: "W C-1",
    at: TIME,
    content: { digits: new ExactNumber("12345678901234567890.5") },
  };
  const answer = { caller: "ada", key: "k", request: "r", at: TIME, status: 200, headers: { etag: "t" }, body: "ä" };
  const first = await open();
  await first.transact(async (tx) => {
    await tx.putCase(stored);
    await tx.putCase(child);
    await tx.putAssignment(assignment);
    await tx.addEvent({ ...line, facts });
    await tx.putRecord(record);
    await tx.putItem(item);
    await tx.putResponse(answer);
    assert.equal(await tx.nextNumber("C"), 1);
  });
  await first.close();
  const second = await open();
  await second.read(async (tx) => {
    assert.deepEqual(await tx.getCase("W C-1"), stored);
    assert.deepEqual(await tx.listChildren("W C-1"), [child]);
    assert.deepEqual(await tx.listAssignments("W C-1"), [assignment]);
    assert.deepEqual(await tx.queryRows(HISTORY, { offset: 0, limit: 9 }), [{ ...line, ...facts }]);
    assert.deepEqual(await tx.getRecord("D", '["1"]'), record);
    assert.deepEqual(await tx.listItems("message", "W C-1"), [item]);
    assert.deepEqual(await tx.listItems("message"), [item]);
    assert.deepEqual(await tx.getResponse("ada", "k"), answer);
    assert.equal(await tx.getResponse("bob", "k"), undefined);
    assert.equal(await tx.findNewestResponseTime(), TIME);
  });
  assert.equal(await second.transact((tx) => tx.nextNumber("C")), 2);
  await second.close();
}

testStores("a failed unit of work leaves no changes, and units with the same commit are stored", async (store) => {
  const used: number[] = [];
  const units = ["W C-1", "W C-2", "W C-3"].map((id) =>
    store.transact(async (tx) => {
      await tx.putCase(newCase(id));
      const number = await tx.nextNumber("C");
      if (id === "W C-2") throw new RangeError("no");
      return number;
    }).then((number) => used.push(number))
  );
  const outcomes = await Promise.allSettled(units);
  assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  await store.read(async (tx) => {
    assert.ok(await tx.getCase("W C-1"));
    assert.equal(await tx.getCase("W C-2"), undefined);
    assert.ok(await tx.getCase("W C-3"));
  });
  used.push(await store.transact((tx) => tx.nextNumber("C")));
  assert.deepEqual(used.sort(), [1, 2, 3]); // The number of the failed unit is used again.
});

testStores("a unit of work that fails alone leaves nothing behind", async (store) => {
  await assert.rejects(
    store.transact(async (tx) => {
      await tx.putCase(newCase("W C-1"));
      throw new RangeError("no");
    }),
    RangeError,
  );
  assert.equal(await store.read((tx) => tx.getCase("W C-1")), undefined);
});

Deno.test("if the database fails a shared commit, all its units fail with the reason, and the next commit succeeds", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path);
    using other = new DatabaseSync(path);
    other.exec(`CREATE TRIGGER full BEFORE INSERT ON cases WHEN NEW.id = 'W C-2'
      BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END`);
    const put = (id: string) => store.transact((tx) => tx.putCase(newCase(id)));
    const outcomes = await Promise.allSettled(["W C-1", "W C-2", "W C-3"].map(put));
    const reasons = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.message);
    assert.deepEqual(reasons, Array(3).fill("The disk of the database is full."));
    await put("W C-4");
    await store.read(async (tx) => {
      assert.equal(await tx.getCase("W C-1"), undefined);
      assert.ok(await tx.getCase("W C-4"));
    });
    await store.close();
  }));

testStores("the store counts the texts in a member of items, for all owners and for one", async (store) => {
  const items: [kind: string, owner: string, content: JsonObject][] = [
    ["message", "W C-1", { author: "ada", tags: ["late", "Late"] }],
    ["message", "W C-2", { author: "bob", tags: ["late", "'\" 😀"] }],
    ["message", "W C-2", { tags: [] }],
    ["reply", "W C-2", { author: "eve", tags: ["late"] }],
  ];
  await store.transact(async (tx) => {
    for (const [n, [kind, owner, content]] of items.entries()) {
      await tx.putItem({ kind, id: String(n), owner, at: TIME, content });
    }
  });
  await store.read(async (tx) => {
    const uses = async (member: string, owner?: string) =>
      (await tx.textUses("message", member, owner)).map(({ text, everywhere, here }) => [text, everywhere, here])
        .sort();
    assert.deepEqual(await uses("tags", "W C-2"), [["'\" 😀", 1, 1], ["Late", 1, 0], ["late", 2, 1]]);
    assert.deepEqual(await uses("author"), [["ada", 1, 0], ["bob", 1, 0]]);
  });
});

testStores("a failed part of a unit of work undoes only its own changes", async (store) => {
  const unit = (name: string, fails: boolean) =>
    store.transact(async (tx) => {
      await tx.nextNumber(name);
      const part = tx.attempt(async () => {
        await tx.putCase(newCase(`W ${name}`));
        await tx.nextNumber(name);
        throw new RangeError("no");
      });
      await assert.rejects(part, RangeError);
      assert.equal(await tx.attempt(() => tx.nextNumber(name)), 2);
      if (fails) throw new RangeError("no");
    });
  await Promise.allSettled([unit("A", false), unit("B", true), unit("C", false)]); // They share a commit.
  await unit("D", false);
  await store.transact(async (tx) => {
    for (const [name, next] of [["A", 3], ["B", 1], ["C", 3], ["D", 3]] as const) {
      assert.equal(await tx.getCase(`W ${name}`), undefined);
      assert.equal(await tx.nextNumber(name), next, name);
    }
  });
});

testStores("units of work that change the same case run one after another, even if they wait", async (store) => {
  await store.transact((tx) => tx.putCase(newCase("W C-1", { content: { n: 0 } })));
  await Promise.all(Array.from({ length: 40 }, () =>
    store.transact(async (tx) => {
      const stored = await tx.getCase("W C-1");
      await Promise.resolve();
      if (stored) await tx.putCase({ ...stored, content: { n: Number(stored.content.n) + 1 } });
    })));
  assert.deepEqual((await store.read((tx) => tx.getCase("W C-1")))?.content, { n: 40 });
});

Deno.test("units of work that wait together share a commit, and resolve after it", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path);
    const other = new DatabaseSync(path);
    const count = () => Number(other.prepare("SELECT COUNT(*) AS n FROM cases").get()?.n);
    const seen = await Promise.all(["W C-1", "W C-2", "W C-3"].map((id) =>
      store.transact(async (tx) => {
        await tx.putCase(newCase(id));
        return count();
      }).then((before) => [before, count()])
    ));
    assert.deepEqual(seen, [[0, 3], [0, 3], [0, 3]]);
    other.close();
    await store.close();
  }));

Deno.test("a unit that only reads cannot change data", () =>
  withFile(async (path) => {
    for (const store of [openSqliteStore(path), openSqliteStore(":memory:")]) {
      await checkReadOnly(store);
      await store.close();
    }
    await withPostgresStore(checkReadOnly);
  }));

async function checkReadOnly(store: Store): Promise<void> {
  await assert.rejects(store.read((tx) => tx.putCase(newCase("W C-1"))), /only reads/);
  assert.equal(await store.read((tx) => tx.getCase("W C-1")), undefined);
}

testStores("work that is not awaited cannot use the database after its unit", async (store) => {
  let leaked: Transaction | undefined;
  await store.transact((tx) => Promise.resolve(leaked = tx));
  await assert.rejects(leaked?.putCase(newCase("W C-1")) ?? Promise.resolve(), /has ended/);
  await store.close();
  await assert.rejects(store.read((tx) => tx.getCase("W C-1")), /closed/);
});

testStores(
  "the next assignment is the most urgent, then the oldest, and never one of another operator",
  async (store) => {
    const queue = (id: string) => ({ kind: "queue", id } as const);
    const later = "2026-01-02T03:04:06.000Z";
    await store.transact(async (tx) => {
      await tx.putCase(newCase("W C-1"));
      await tx.putAssignment(
        newAssignment("other", "W C-1", { urgency: 99, assignee: { kind: "operator", id: "bob" } }),
      );
      await tx.putAssignment(newAssignment("other queue", "W C-1", { urgency: 98, assignee: queue("secret") }));
      await tx.putAssignment(newAssignment("late", "W C-1", { urgency: 50, createdAt: later }));
      await tx.putAssignment(newAssignment("queued", "W C-1", { urgency: 50, assignee: queue("q") }));
      await tx.putAssignment(newAssignment("same time", "W C-1", { urgency: 50 }));
      await tx.putCase(newCase("W C-2"));
      await tx.putAssignment(newAssignment("gone", "W C-2", { urgency: 70 }));
      await tx.putAssignment(newAssignment("beside it", "W C-2", { urgency: 60 }));
      await tx.putAssignment(newAssignment("calm", "W C-1", { urgency: 10 }));
    });
    const order: string[] = [];
    await store.transact(async (tx) => {
      const take = () =>
        tx.nextAssignment("ada", ["q", "r"], ({ stored: { typeId }, assignments }) => {
          return typeId === "T" && assignments.every(({ id }) => id !== "gone");
        });
      for (let next = await take(); next; next = await take()) {
        order.push(next.id);
        await tx.deleteAssignment(next.id);
      }
    });
    assert.deepEqual(order, ["queued", "same time", "late", "calm"]);
  },
);

testStores("deleting a case deletes its assignments and its history", async (store) => {
  await store.transact(async (tx) => {
    await tx.putCase(newCase("W C-1"));
    await tx.putAssignment(newAssignment("A", "W C-1"));
    await tx.addEvent({ caseId: "W C-1", at: TIME, by: "ada", kind: "created", text: "", facts: {} });
    await tx.deleteCase("W C-1");
    assert.deepEqual(await tx.listAssignments("W C-1"), []);
    assert.equal(await tx.countRows(HISTORY), 0);
  });
});

testStores("an assignment without a case is refused", async (store) => {
  await assert.rejects(
    store.transact((tx) => tx.putAssignment(newAssignment("A", "nowhere"))),
    /FOREIGN KEY|foreign key/,
  );
});

Deno.test("a database of a newer version is refused with a hint", () =>
  withFile(async (path) => {
    await openSqliteStore(path).close();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 99");
    db.close();
    assert.throws(() => openSqliteStore(path), (error) => {
      assert.ok(error instanceof SvcError);
      assert.equal(error.code, "INVALID_CONFIG");
      assert.match(error.message, /newer version of svc/);
      return true;
    });
  }));

Deno.test("a database of an older version is refused until it is upgraded with its data", () =>
  withFile(async (path) => {
    const db = new DatabaseSync(path);
    db.exec(await Deno.readTextFile(new URL("../../fixtures/formats/service_2.sql", import.meta.url)));
    db.exec(
      `INSERT INTO cases VALUES (1, 'W C-1', 'C-1', 'T', NULL, 'New', 10, 'PRIM0', 'ada', '${TIME}', 'ada', '${TIME}',
      'tag', '{}', '{}')`,
    );
    db.close();
    assert.throws(() => openSqliteStore(path), /older version of svc \(schema 2 instead of \d+\)/);
    await upgradeDatabase(path);
    const store = openSqliteStore(path);
    const body = '{"ä":"\u{1f600}"}';
    const answer = { caller: "ada", key: "k", request: "r", at: TIME, status: 200, headers: { etag: "t" }, body };
    await store.transact((tx) => tx.putResponse(answer));
    await store.read(async (tx) => {
      assert.ok(await tx.getCase("W C-1"));
      assert.deepEqual(await tx.getResponse("ada", "k"), answer);
      assert.equal(await tx.getResponse("bob", "k"), undefined);
    });
    await store.close();
  }));

Deno.test("a file that is not a database is refused and left unchanged", () =>
  withFile(async (path) => {
    await Deno.writeTextFile(path, "this is my diary, not a database".repeat(100));
    assert.throws(() => openSqliteStore(path), /cannot be opened/);
    assert.match(await Deno.readTextFile(path), /^this is my diary/);
  }));

Deno.test("committed changes survive a kill of the process", () =>
  withFile(async (path) => {
    const script = `
      import { openSqliteStore } from ${
      JSON.stringify(import.meta.resolve("../../../service/store/sqlite/sqlite_store.ts"))
    };
      const store = openSqliteStore(${JSON.stringify(path)});
      for (let n = 1;; n++) {
        await store.transact((tx) => tx.putRecord({ classId: "D", key: String(n), tag: "", content: {} }));
        console.log(n);
      }`;
    const child = new LimitedCommand(Deno.execPath(), {
      args: ["run", "--allow-all", "data:application/typescript," + encodeURIComponent(script)],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    let answered = 0;
    let isKilled = false;
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      answered = Math.max(answered, ...text.split("\n").slice(0, -1).map(Number).filter(Number.isInteger));
      if (answered < 100 || isKilled) continue;
      isKilled = true; // What it had printed before is still to be read.
      child.kill("SIGKILL");
    }
    await child.status;
    const store = openSqliteStore(path);
    await store.read(async (tx) => {
      assert.ok(await tx.getRecord("D", String(answered)));
      assert.ok(await tx.getRecord("D", "1"));
    });
    await store.close();
  }));

testStores("a new token deletes only the expired tokens", async (store) => {
  const token = (hash: string, expiresAt: string) => ({ hash, clientId: "c", expiresAt });
  const found = await store.transact(async (tx) => {
    await tx.putClient({ id: "c", secretHash: "h", operator: "ada", createdAt: TIME });
    await tx.putToken(token("old", "2026-01-01T00:00:00.000Z"), "");
    await tx.putToken(token("other", "2026-01-03T00:00:00.000Z"), "");
    await tx.putToken(token("new", "2026-01-04T00:00:00.000Z"), TIME);
    return await Promise.all(["old", "other", "new"].map(async (hash) => (await tx.getToken(hash))?.token.hash));
  });
  assert.deepEqual(found, [undefined, "other", "new"]);
});
