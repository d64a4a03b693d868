/** Pages follow each other: each row is on one page, also if other rows are added, changed or removed between two pages. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { PagePlaces } from "../../../service/store/page_places.ts";
import type { Column, RowQuery } from "../../../service/store/query.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import type { Store } from "../../../service/store/store.ts";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { measureMemory } from "../../harness/memory.ts";
import { testStores } from "../../harness/stores.ts";
import { eventually } from "../../harness/wait.ts";

const COLUMNS: readonly Column[] = [
  { name: "key", field: { property: "key" } },
  ...["a", "b"].map((name) => ({ name, field: { content: [name] } })),
];

const EVERYTHING = { offset: 0, limit: -1 };

const VALUES: readonly JsonValue[] = [
  null,
  true,
  0,
  1,
  -1.5,
  0.1,
  9007199254740991,
  "",
  "1",
  "a\u0000b",
  "a",
  "ä",
  "'); --",
  "😀",
];

const rows = fc.array(fc.record({ a: fc.constantFrom(...VALUES), b: fc.constantFrom(...VALUES.slice(0, 4)) }), {
  maxLength: 25,
});
const sorts = fc.uniqueArray(fc.record({ column: fc.constantFrom("a", "b", "key"), descending: fc.boolean() }), {
  selector: ({ column }) => column,
});

function askFor(sort: RowQuery["sort"]): RowQuery {
  return { source: { kind: "records", classId: "C" }, columns: COLUMNS, ...(sort && { sort }) };
}

async function put(store: Store, contents: readonly JsonObject[], prefix = "r"): Promise<void> {
  await store.transact(async (tx) => {
    for (const [index, content] of contents.entries()) {
      await tx.putRecord({ classId: "C", key: `${prefix}${String(index).padStart(3, "0")}`, tag: "1", content });
    }
  });
}

async function clear(store: Store): Promise<void> {
  await store.transact(async (tx) => {
    for (const { key } of await tx.queryRows(askFor([]), EVERYTHING)) {
      await tx.deleteRecord("C", String(key));
    }
  });
}

/** Reads a page with one row more than it shows, as handlers do. */
async function readPage(store: Store, query: RowQuery, page: number, size: number): Promise<JsonObject[]> {
  const read = await store.read((tx) => tx.queryRows(query, { offset: page * size, limit: size + 1 }), "ada");
  return read.slice(0, size);
}

testStores("pages contain the rows of the whole result, in its order", async (store) => {
  await fc.assert(
    fc.asyncProperty(rows, sorts, fc.integer({ min: 1, max: 5 }), async (contents, sort, size) => {
      await clear(store);
      await put(store, contents);
      const query = askFor(sort);
      const all = await store.read((tx) => tx.queryRows(query, EVERYTHING), "ada");
      for (let page = 0; page * size <= contents.length; page++) {
        const found = await readPage(store, query, page, size);
        assert.deepEqual(found, all.slice(page * size, (page + 1) * size), `page ${page}`);
      }
      const late = await store.read((tx) => tx.queryRows(query, { offset: 7, limit: 3 }), "bob");
      assert.deepEqual(late, all.slice(7, 10));
    }),
    { numRuns: 60 },
  );
});

testStores("rows that are added and removed between pages neither repeat nor hide other rows", async (store) => {
  await fc.assert(
    fc.asyncProperty(rows, sorts, fc.integer({ min: 1, max: 5 }), rows, async (contents, sort, size, added) => {
      await clear(store);
      await put(store, contents);
      const query = askFor(sort);
      const seen: JsonValue[] = [];
      const removed = new Set<JsonValue>();
      for (let page = 0;; page++) {
        const found = await readPage(store, query, page, size);
        seen.push(...found.map(({ key }) => key ?? null));
        if (found.length < size) break;
        const [first] = found;
        if (page % 2 === 0 && typeof first?.key === "string") {
          removed.add(first.key);
          await store.transact((tx) => tx.deleteRecord("C", String(first.key)));
        }
        if (page < 3) await put(store, added, `n${page}`);
      }
      assert.equal(new Set(seen).size, seen.length, "no row is repeated");
      const all = await store.read((tx) => tx.queryRows(query, EVERYTHING), "ada");
      const old = all.map(({ key }) => String(key)).filter((key) => key.startsWith("r"));
      const read = seen.map(String).filter((key) => key.startsWith("r") && !removed.has(key));
      assert.deepEqual(read, old);
    }),
    { numRuns: 60 },
  );
});

Deno.test("the first page forgets the later places, a place expires, and the oldest query is forgotten", () => {
  let now = 0;
  const places = new PagePlaces<string>(() => now);
  places.add("q", 0, [{ offset: 10, place: "a" }]);
  places.add("q", 10, [{ offset: 20, place: "b" }]);
  assert.equal(places.find("q", 25)?.place, "b");
  assert.equal(places.find("q", 19)?.place, "a");
  assert.equal(places.find("other", 25), undefined);
  places.add("q", 0, [{ offset: 10, place: "c" }]);
  assert.equal(places.find("q", 25)?.place, "c");
  now = 300_000;
  assert.equal(places.find("q", 25), undefined);
  for (let n = 0; n < 1001; n++) places.add(`q${n}`, 0, [{ offset: 1, place: "a" }]);
  assert.equal(places.find("q0", 1), undefined);
  assert.notEqual(places.find("q1", 1), undefined);
});

Deno.test("long queries and rows that are sorted by long texts do not fill the memory", async () => {
  const store = openSqliteStore(":memory:");
  const long = "x".repeat(300_000);
  await put(store, [{ a: `${long}1` }, { a: `${long}2` }, { a: `${long}3` }]);
  const read = async (n: number) => {
    const filter = { left: { content: ["a"] }, comparator: "GT", right: { value: `${n} ${long}` } } as const;
    return await readPage(store, { ...askFor([{ column: "a", descending: false }]), filter }, 0, 1);
  };
  await read(0);
  const before = measureMemory();
  for (let n = 0; n < 80; n++) assert.equal((await read(n)).length, 1);
  // A collection may leave what only another one can free.
  await eventually("the memory is free again", () => measureMemory() - before < 10_000_000);
  await store.close();
});
