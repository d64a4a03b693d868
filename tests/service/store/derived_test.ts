/** Derived data: searches, counts and recipients give the same rows and numbers as reading all rows. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { SvcError } from "../../../lib/errors.ts";
import { verify } from "../../../service/backup/backup.ts";
import { startService } from "../../../service/mod.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { listRecipients, nameRecipient } from "../../../service/store/derived.ts";
import type { Column, Comparator, Filter, RowQuery } from "../../../service/store/query.ts";
import { MERGE_COUNTS } from "../../../service/store/postgres/derived.ts";
import { openPostgresStore } from "../../../service/store/postgres/postgres_store.ts";
import { encodeRow, insertInto } from "../../../service/store/postgres/rows.ts";
import { STORE_SCHEMA } from "../../../service/store/postgres/schema.ts";
import { FILL_DERIVED } from "../../../service/store/sqlite/derived.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { upgradeDatabase } from "../../../service/store/sqlite/upgrade/upgrade.ts";
import type { Store, StoredItem } from "../../../service/store/store.ts";
import type { RowOf, TableName } from "../../../service/store/tables.ts";
import type { JsonObject } from "../../../utils/json.ts";
import { migrate } from "../../../utils/postgres/migrate.ts";
import { createEarlierStore } from "../../../tasks/soak/earlier_stores.ts";
import { runAll, useTestSchema } from "../../harness/postgres_schema.ts";
import { newStoredCase, testStores } from "../../harness/stores.ts";
import { makeFolder } from "../../harness/svc.ts";

/** A condition that every case meets. With it, the store cannot answer from its counts. */
const EVERY: Filter = { left: { property: "id" }, comparator: "GTE", right: { value: "" } };

const COLUMNS: readonly Column[] = ["id", "createdAt"].map((property) => ({ name: property, field: { property } }));

/** Parts that are hard to fold, to quote or to split. */
const PARTS = [
  "a",
  "B",
  "ab",
  "Σ",
  "ς",
  "İ",
  "ẞ",
  "😀",
  "é",
  " ",
  "\n",
  '"',
  "'",
  "*",
  "a OR",
  "-",
  "(",
  "\u0000",
  "12",
];

const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 7 }).map((parts) => parts.join(""));

function askFor(filter: Filter, isSorted: boolean): RowQuery {
  return {
    source: { kind: "cases", typeIds: ["T", "U"] },
    columns: COLUMNS,
    filter,
    ...(isSorted && { sort: [{ column: "createdAt", descending: true }] }),
  };
}

/** Reads the rows of a filter, and those of its double negation, for which the store does not search. */
async function compareSearch(store: Store, filter: Filter, isSorted: boolean, limit: number): Promise<number> {
  const read = (filter: Filter) =>
    store.read(async (tx) => ({
      rows: await tx.queryRows(askFor(filter, isSorted), { offset: 0, limit }),
      count: await tx.countRows(askFor(filter, isSorted)),
    }));
  const expected = await read({ not: { not: filter } });
  assert.deepEqual(await read(filter), expected, JSON.stringify(filter));
  return expected.count;
}

testStores("a text search finds the same cases as a comparison with every case", async (store) => {
  const random = fc.sample(fc.tuple(texts, texts), { numRuns: 400, seed: 1 });
  await store.transact(async (tx) => {
    for (const [n, [a, b]] of random.entries()) {
      await tx.putCase(newStoredCase(n, { content: { A: a, Page: { B: b }, Number: n } }));
    }
  });
  await store.transact(async (tx) => {
    for (let n = 0; n < 40; n++) await tx.putCase(newStoredCase(n, { content: { A: random[399 - n]?.[1] ?? "" } }));
    for (let n = 50; n < 60; n++) await tx.deleteCase(`W P-${n}`);
  });
  const fields = fc.constantFrom({ content: ["A"] }, { content: ["Page", "B"] }, { property: "businessId" });
  const leaf = fc.record({
    left: fields,
    comparator: fc.constantFrom<Comparator>("CONTAINS", "EQ", "STARTS_WITH", "ENDS_WITH"),
    right: fc.record({ value: fc.oneof(texts, fc.constantFrom(...random.map(([a]) => a)), fc.constant("P-1")) }),
    ignoreCase: fc.boolean(),
  });
  const filters: fc.Arbitrary<Filter> = fc.oneof(
    leaf,
    fc.array(leaf, { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
    fc.array(leaf, { minLength: 1, maxLength: 3 }).map((and) => ({ and })),
    fc.record({ field: fields, in: fc.array(texts, { maxLength: 3 }) }),
  );
  let found = 0;
  await fc.assert(
    fc.asyncProperty(filters, fc.boolean(), fc.integer({ min: 1, max: 30 }), async (filter, isSorted, limit) => {
      found += await compareSearch(store, filter, isSorted, limit);
    }),
    { numRuns: 500 },
  );
  assert.ok(found > 100, `${found} cases`);
});

testStores("a frequent text finds the newest cases first, also if their times are not in order", async (store) => {
  await store.transact(async (tx) => {
    for (let n = 0; n < 2500; n++) {
      const createdAt = new Date(Date.UTC(2026, 0, 1) + (n % 500 === 0 ? 1e9 : n) * 1000).toISOString();
      const content = { A: n % 2 === 0 ? "the roof" : "a fence", B: n % 7 === 0 ? "rare" : "" };
      await tx.putCase(newStoredCase(n, { createdAt, content }));
    }
  });
  const roof: Filter = { left: { content: ["A"] }, comparator: "CONTAINS", right: { value: "roof" } };
  const rare: Filter = { left: { content: ["B"] }, comparator: "EQ", right: { value: "rare" } };
  for (const limit of [1, 20, 900, 2000]) {
    assert.equal(await compareSearch(store, roof, true, limit), 1250);
    await compareSearch(store, { and: [roof, rare] }, true, limit);
  }
});

testStores("cases of frequent and rare statuses are listed by their update", async (store) => {
  const statuses = ["Open", "Open", "Open", "Closed"];
  await store.transact(async (tx) => {
    for (let n = 0; n < 400; n++) {
      const updatedAt = new Date(Date.UTC(2026, 1, 1) + (n * 7919 % 97) * 1000).toISOString();
      const status = n % 100 === 0 ? "Rare" : statuses[n % statuses.length] ?? "";
      await tx.putCase(newStoredCase(n, { status, updatedAt, typeId: n % 3 === 0 ? "U" : "V" }));
    }
  });
  for (const status of ["Open", "Closed", "Rare", "None"]) {
    const filter: Filter = { and: [{ left: { property: "status" }, comparator: "EQ", right: { value: status } }] };
    const read = (filter: Filter, offset: number) => {
      const columns = [...COLUMNS, { name: "updatedAt", field: { property: "updatedAt" } }];
      const query = { ...askFor(filter, false), columns, sort: [{ column: "updatedAt", descending: true }] };
      return store.read((tx) => tx.queryRows(query, { offset, limit: 11 }), "ada");
    };
    for (const offset of [0, 10, 30]) {
      assert.deepEqual(await read(filter, offset), await read({ not: { not: filter } }, offset), status);
    }
  }
});

testStores("kept counts equal the number of rows after changes, failed parts and failed units", async (store) => {
  const changes = fc.array(
    fc.record({
      number: fc.integer({ min: 0, max: 8 }),
      kind: fc.constantFrom("put", "put", "put", "delete", "failed part", "failed unit", "rename"),
      status: fc.constantFrom("Open", "Closed", "Resolved-A"),
      stageId: fc.constantFrom("S", "T"),
      tag: fc.constantFrom("red", "green", "'"),
    }),
    { maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(changes, async (steps) => {
      for (let n = 0; n <= 8; n++) await store.transact((tx) => tx.deleteCase(newStoredCase(n).id));
      for (const { number, kind, status, stageId, tag } of steps) {
        const stored = newStoredCase(number, { status, stageId, typeId: number % 2 === 0 ? "T" : "U" });
        const put = async (tx: Parameters<Parameters<Store["transact"]>[0]>[0]) => {
          await tx.putCase(stored);
          await tx.putItem(newMessage(stored.id, tag, number));
          await tx.putItem({ ...newMessage(stored.id, tag, number), kind: "caseTag", content: { name: tag } });
        };
        const fail = () => Promise.reject(new Error("failed"));
        await store.transact(async (tx) => {
          if (kind === "put") await put(tx);
          if (kind === "delete") await tx.deleteCase(stored.id);
          if (kind === "failed part") await tx.attempt(() => put(tx).then(fail)).catch(() => {});
          if (kind === "failed unit") await put(tx).then(fail);
          if (kind === "rename") {
            await tx.rename({ kind: "stage", owner: "T", from: stageId, to: "N" });
            await tx.rename({ kind: "operator", from: "bob", to: "eve" });
          }
        }).catch(() => {});
      }
      await compareCounts(store);
      await compareItems(store);
    }),
    { numRuns: 40 },
  );
});

function newMessage(owner: string, tag: string, number: number): StoredItem {
  const content = { author: "bob", tags: [tag, tag], mentions: number % 2 === 0 ? ["ada"] : [], queue: "Review" };
  return { kind: "message", id: `M-${owner}`, owner, at: `2026-01-0${number + 1}T00:00:00.000Z`, content };
}

/** Compares counts and groups of cases with those of a query that reads the cases. */
async function compareCounts(store: Store): Promise<void> {
  const [status, stage] = ["status", "stageId"].map((property) => ({ name: property, field: { property } }));
  const number: Column = { name: "number", field: { property: "id" }, summary: "COUNT" };
  const filters: Filter[] = [
    { and: [] },
    { left: { property: "status" }, comparator: "STARTS_WITH", right: { value: "re" }, ignoreCase: true },
    { not: { field: { property: "stageId" }, in: ["S"] } },
  ];
  for (const filter of filters) {
    for (const columns of [[status, number], [number], [stage, status], [status, stage, number]]) {
      const query: RowQuery = {
        source: { kind: "cases", typeIds: ["T", "U"] },
        columns: columns.filter((column) => column !== undefined),
        distinct: !columns.includes(number),
        sort: columns.includes(number) ? [{ column: "number", descending: true }] : [],
      };
      const read = (filter: Filter): Promise<[JsonObject[], number, number]> =>
        store.read(async (tx) => [
          await tx.queryRows({ ...query, filter }, { offset: 0, limit: 10 }),
          await tx.countRows({ ...query, filter }),
          await tx.countRows({ ...query, columns: COLUMNS, distinct: false, sort: [], filter }),
        ]);
      assert.deepEqual(await read(filter), await read({ and: [filter, EVERY] }));
    }
  }
}

/** Compares counts of texts and recipients with those of all items. */
async function compareItems(store: Store): Promise<void> {
  await store.read(async (tx) => {
    for (const [kind, member] of [["message", "tags"], ["message", "author"], ["caseTag", "name"]] as const) {
      const byText = (uses: readonly { text: string }[]) => uses.toSorted((a, b) => a.text < b.text ? -1 : 1);
      const kept = byText(await tx.textUses(kind, member, "W P-1"));
      assert.deepEqual(kept, byText(await tx.textUses(kind, member, "W P-1", { and: [] })), `${kind} ${member}`);
    }
    const all = await tx.listItems("message", undefined, { limit: 100 });
    for (
      const name of [nameRecipient("mention", "ada"), nameRecipient("operator", "bob"), nameRecipient("queue", "x")]
    ) {
      const recipients = [name, nameRecipient("operator", "W P-2")];
      const found = await tx.listItems("message", undefined, { limit: 100, recipients });
      assert.deepEqual(found, all.filter((item) => listRecipients(item).some((one) => recipients.includes(one))));
    }
  });
}

Deno.test("an upgrade derives the same as the changes of the current version", async () => {
  await using folder = await makeFolder();
  for (const version of [3, 9]) {
    const data = `${folder.path}/${version}`;
    createEarlierStore(data, version, 30);
    const { database } = locateFiles(data);
    await upgradeDatabase(database);
    const store = openSqliteStore(database);
    await compareCounts(store);
    await compareItems(store);
    const street: Filter = { left: { content: ["Address"] }, comparator: "CONTAINS", right: { value: "Street" } };
    const query = { ...askFor(street, true), source: { kind: "cases", typeIds: ["City-Permit-Work-Permit"] } } as const;
    const found = await store.read((tx) => tx.countRows(query));
    assert.ok(found > 0);
    assert.equal(await store.read((tx) => tx.countRows({ ...query, filter: { not: { not: street } } })), found);
    await store.close();
    using db = new DatabaseSync(database);
    const read = () =>
      ["caseCounts", "textCounts", "itemRecipients"].map((name) => db.prepare(`SELECT * FROM ${name}`).all());
    const kept = read();
    for (const sql of FILL_DERIVED) db.exec(sql);
    assert.deepEqual(read(), kept);
  }
});

Deno.test("an upgrade on PostgreSQL derives the same, and so do processes of the version before it", async () => {
  await using schema = useTestSchema();
  const pool = await schema.open();
  const put = async <T extends TableName>(table: T, row: RowOf<T>) => {
    await pool.use((connection) => connection.run(insertInto(table), encodeRow(table, row)));
  };
  const putAll = async (first: number) => {
    for (let n = first; n < first + 5; n++) {
      const stored = newStoredCase(n, { status: n % 2 === 0 ? "Open" : "Closed" });
      await put("cases", stored);
      await put("items", newMessage(stored.id, "red", n % 5));
      await put("items", { ...newMessage(stored.id, "red", n % 5), kind: "caseTag", content: { name: "it's" } });
    }
  };
  await migrate(pool, schema.parsed, { ...STORE_SCHEMA, steps: STORE_SCHEMA.steps.slice(0, 4) });
  await putAll(0);
  const store = await openPostgresStore(schema.parsed);
  const compare = async (count: number) => {
    await compareCounts(store);
    await compareItems(store);
    assert.equal(await store.read((tx) => tx.countRows(askFor({ and: [] }, false))), count);
  };
  await compare(5);
  await putAll(5);
  await compare(10);
  await runAll(pool, MERGE_COUNTS);
  await compare(10);
  await Promise.all([pool.close(), store.close()]);
});

Deno.test("a damaged message can be replaced, and deleted alone or with its case", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/store.db`;
  const fill = openSqliteStore(path);
  await fill.transact(async (tx) => {
    await tx.putCase(newStoredCase(1));
    for (const id of ["a", "b", "c"]) await tx.putItem({ ...newMessage("W P-1", "new", 0), id });
  });
  await fill.close();
  using db = new DatabaseSync(path);
  assert.equal(db.prepare("UPDATE items SET content = substr(content, 2)").run().changes, 3);
  const store = openSqliteStore(path);
  await store.transact((tx) => tx.putItem({ ...newMessage("W P-1", "newer", 0), id: "a" }));
  await store.transact((tx) => tx.deleteItem("message", "b"));
  await store.transact((tx) => tx.rename({ kind: "stage", owner: "T", from: "S", to: "R" }));
  await store.transact((tx) => tx.deleteCase("W P-1"));
  assert.deepEqual(await store.read((tx) => tx.listItems("message")), []);
  await store.close();
});

/** Damages the JSON of a message. Returns its ID. */
function damageMessage(database: string): string {
  using db = new DatabaseSync(database);
  const first = "(SELECT MIN(seq) FROM items WHERE kind = 'message')";
  return String(
    db.prepare(`UPDATE items SET content = substr(content, 2) WHERE seq = ${first} RETURNING id`).get()?.id,
  );
}

Deno.test("a damaged message does not stop an upgrade", async () => {
  await using folder = await makeFolder();
  createEarlierStore(folder.path, 9, 30);
  const { database } = locateFiles(folder.path);
  const id = damageMessage(database);
  await upgradeDatabase(database);
  const store = openSqliteStore(database);
  await assert.rejects(store.read((tx) => tx.getItem("message", id)), { code: "STORE_DAMAGED" });
  await store.close();
});

testStores("an operator with many queues finds messages", async (store) => {
  const message = newMessage("W P-1", "new", 0);
  await store.transact((tx) => tx.putItem(message));
  const recipients = Array.from({ length: 2000 }, (_, n) => nameRecipient("queue", `Q${n}`));
  recipients.push(nameRecipient("queue", "Review"));
  assert.deepEqual(await store.read((tx) => tx.listItems("message", undefined, { limit: 9, recipients })), [message]);
});

Deno.test("verify finds counts and texts that do not match the cases, and repairs them", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await using _service = await startService({ data, log: () => {} });
  await _service.close();
  const { database } = locateFiles(data);
  const fill = openSqliteStore(database);
  await fill.transact(async (tx) => {
    for (let n = 0; n < 300; n++) await tx.putCase(newStoredCase(n, { content: { A: `roof ${n}` } }));
    await tx.putItem(newMessage("W P-1", "red", 0));
  });
  await fill.close();
  assert.equal((await verify({ data })).cases, 300);
  const damages = [
    ["caseCounts", "UPDATE caseCounts SET number = number + 1"],
    ["textCounts", "DELETE FROM textCounts"],
    ["itemRecipients", "INSERT INTO itemRecipients VALUES ('message', 'operator x', '', 1)"],
    ["caseTexts", "DELETE FROM caseTexts WHERE rowid = 7"],
  ] as const;
  for (const [table, damage] of damages) {
    using db = new DatabaseSync(database);
    assert.equal(db.prepare(damage).run().changes > 0, true, table);
    await assert.rejects(verify({ data }), (error) => {
      assert.ok(error instanceof SvcError && error.code === "STORE_DAMAGED");
      assert.match(error.hint ?? "", /svc service verify --repair/);
      assert.deepEqual(error.details, [{ message: `The rows of ${table} are wrong` }]);
      return true;
    });
    assert.deepEqual((await verify({ data, repair: true })).repaired, [table]);
    assert.equal((await verify({ data })).cases, 300);
  }
  const store = openSqliteStore(database);
  assert.equal(
    await compareSearch(
      store,
      { left: { content: ["A"] }, comparator: "CONTAINS", right: { value: "oof 6" } },
      true,
      5,
    ),
    11,
  );
  await store.close();
  await using _running = await startService({ data, log: () => {} });
  await assert.rejects(
    verify({ data, repair: true }),
    (error) => error instanceof SvcError && error.code === "CONFLICT",
  );
});
