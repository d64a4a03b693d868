/** Questions about rows: every name and every value is hostile, and the answer is that of a few lines of plain code. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ExactNumber } from "../../../utils/exact_number.ts";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import {
  type Column,
  type Comparator,
  COMPARATORS,
  type Filter,
  type Page,
  type RowField,
  type RowQuery,
  RowsTooLong,
  type Value,
} from "../../../service/store/query.ts";
import { contains } from "../../../service/store/sqlite/define_functions.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import type { Store } from "../../../service/store/store.ts";
import { testStores } from "../../harness/stores.ts";

const HOSTILE = [
  "'",
  '"',
  "\\",
  "a.b",
  "$",
  "$.x",
  "[0]",
  "#",
  "",
  "__proto__",
  "toString",
  ":p1",
  "?",
  "%",
  "_",
  "ä\u0000",
  "😀",
  "');--",
  '"] || 1',
];

const names = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "grapheme", maxLength: 6 }));
const scalars = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.boolean(),
  fc.constantFrom(...HOSTILE),
  fc.string({ maxLength: 4 }),
);
const content = fc.dictionary(names, scalars, { maxKeys: 5 }).map((members) =>
  Object.fromEntries(Object.entries(members))
);
const comparators = fc.constantFrom(...COMPARATORS);

const filters: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ left: field(), comparator: comparators, right: fc.record({ value: scalars }) }),
    fc.record({ left: field(), comparator: fc.constant<Comparator>("EQ"), right: fc.record({ field: field() }) }),
    fc.record({ field: field(), in: fc.array(scalars, { maxLength: 3 }) }),
    field().map((isNull) => ({ isNull })),
    fc.array(tie("filter"), { maxLength: 3 }).map((and) => ({ and })),
    fc.array(tie("filter"), { maxLength: 3 }).map((or) => ({ or })),
    tie("filter").map((not) => ({ not })),
  ),
})).filter;

function field(): fc.Arbitrary<{ content: string[] }> {
  return names.map((name) => ({ content: [name] }));
}

/** The database knows numbers and text; true and false are 1 and 0. */
function scalar(row: JsonObject, place: RowField): string | number | undefined {
  const [name = ""] = "content" in place ? place.content : [];
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  return typeof value === "boolean"
    ? Number(value)
    : typeof value === "string" || typeof value === "number"
    ? value
    : undefined;
}

function plain(value: Value): string | number {
  return typeof value === "string" ? value : Number(value);
}

/** Numbers come before text, text is compared by its bytes. */
function order(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  const [left, right] = [a, b].map((text) => new TextEncoder().encode(text));
  for (const [index, byte] of left?.entries() ?? []) {
    if (byte !== right?.[index]) return byte - (right?.[index] ?? -1);
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}

function holds(filter: Filter, row: JsonObject): boolean {
  if ("and" in filter) return filter.and.every((part) => holds(part, row));
  if ("or" in filter) return filter.or.some((part) => holds(part, row));
  if ("not" in filter) return !holds(filter.not, row);
  if ("isNull" in filter) return scalar(row, filter.isNull) === undefined;
  if ("in" in filter) return filter.in.some((value) => plain(value) === scalar(row, filter.field));
  const left = scalar(row, filter.left);
  const right = "field" in filter.right ? scalar(row, filter.right.field) : plain(filter.right.value);
  if (left === undefined || right === undefined) return false;
  switch (filter.comparator) {
    case "EQ":
      return left === right;
    case "GT":
      return order(left, right) > 0;
    case "GTE":
      return order(left, right) >= 0;
    case "LT":
      return order(left, right) < 0;
    case "LTE":
      return order(left, right) <= 0;
    default:
      return false;
  }
}

/** Comparisons of texts within texts are for texts only, without what ends a text in C. */
function isPlain(filter: Filter): boolean {
  if ("and" in filter) return filter.and.every(isPlain);
  if ("or" in filter) return filter.or.every(isPlain);
  if ("not" in filter) return isPlain(filter.not);
  return !("comparator" in filter) || !["STARTS_WITH", "ENDS_WITH", "CONTAINS"].includes(filter.comparator);
}

/** Records of a class of their own. */
interface Records {
  readonly store: Store;
  readonly source: { readonly kind: "records"; readonly classId: string };
}

async function fill(store: Store, rows: readonly JsonObject[]): Promise<Records> {
  const classId = crypto.randomUUID();
  await store.transact(async (tx) => {
    for (const [n, row] of rows.entries()) await tx.putRecord({ classId, key: String(n), tag: "", content: row });
    await tx.putRecord({ classId: `${classId} Other`, key: "x", tag: "", content: { secret: true } });
  });
  return { store, source: { kind: "records", classId } };
}

async function ask(
  { store, source }: Records,
  query: Omit<RowQuery, "source">,
  page: Page = { offset: 0, limit: 1000 },
): Promise<JsonObject[]> {
  return await store.read((tx) => tx.queryRows({ source, ...query }, page));
}

const KEY = { name: "key", field: { property: "key" } };

testStores("a filter finds exactly the matching rows, for any names and values", async (store) => {
  await fc.assert(
    fc.asyncProperty(fc.array(content, { maxLength: 8 }), filters.filter(isPlain), async (rows, filter) => {
      const records = await fill(store, rows);
      const expected = rows.flatMap((row, n) => holds(filter, row) ? [{ key: String(n) }] : []);
      assert.deepEqual(await ask(records, { columns: [KEY], filter }), expected);
      const count = await store.read((tx) => tx.countRows({ source: records.source, columns: [KEY], filter }));
      assert.equal(count, expected.length);
    }),
    { numRuns: 150 },
  );
});

testStores("a filter with malicious text neither fails nor finds rows of another class", async (store) => {
  await fc.assert(
    fc.asyncProperty(fc.array(content, { maxLength: 4 }), filters, names, async (rows, filter, name) => {
      const records = await fill(store, rows);
      const columns = [{ name, field: { content: [name] } }];
      for (const row of await ask(records, { columns, filter, sort: [{ column: name, descending: true }] })) {
        // The database writes half a character as the replacement character.
        assert.deepEqual(Object.keys(row), [name.toWellFormed()]);
        assert.notEqual(row.secret, true);
      }
    }),
    { numRuns: 150 },
  );
});

testStores("columns return the values as they were stored", async (store) => {
  const json: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
  await fc.assert(
    fc.asyncProperty(names, names, json, async (name, column, value) => {
      const records = await fill(store, [{ [name]: value }]);
      const [row] = await ask(records, { columns: [{ name: column, field: { content: [name] } }] });
      assert.deepEqual(row && Object.entries(row), [[column.toWellFormed(), value]]);
    }),
    { numRuns: 150 },
  );
});

testStores("text comparisons have no wildcards", async (store) => {
  const records = await fill(
    store,
    ["100%", "100 %", "a_b", "aXb", "Ärger", "ärger", "%", ""].map((text) => ({ text })),
  );
  const find = async (comparator: Comparator, value: string, ignoreCase = false) =>
    (await ask(records, {
      columns: [{ name: "text", field: { content: ["text"] } }],
      filter: { left: { content: ["text"] }, comparator, right: { value }, ignoreCase },
    })).map((row) => row.text);
  assert.deepEqual(await find("CONTAINS", "%"), ["100%", "100 %", "%"]);
  assert.deepEqual(await find("STARTS_WITH", "a_"), ["a_b"]);
  assert.deepEqual(await find("ENDS_WITH", " %"), ["100 %"]);
  assert.deepEqual(await find("EQ", "ÄRGER", true), ["Ärger", "ärger"]);
  assert.deepEqual(await find("ENDS_WITH", "xxxxxxxxxx"), []);
  assert.equal((await find("CONTAINS", "")).length, 8);
});

testStores("rows are sorted, paged, grouped and summed up in the database", async (store) => {
  const records = await fill(store, [
    { City: "Oslo", Fee: 10, Paid: true },
    { City: "Bergen", Fee: 5, Paid: false },
    { City: "Oslo", Fee: 2.5, Paid: true },
    { City: "Bergen", Paid: false },
    { Fee: 1, Paid: true },
  ]);
  const city = { name: "City", field: { content: ["City"] } };
  const fee = (name: string, summary: "SUM" | "AVG" | "MIN" | "MAX" | "COUNT" | "DISTINCT_COUNT") => ({
    name,
    field: { content: ["Fee"] },
    summary,
  });
  assert.deepEqual(
    await ask(records, {
      columns: [city, fee("Sum", "SUM"), fee("N", "COUNT")],
      sort: [{ column: "Sum", descending: true }],
    }),
    [{ City: "Oslo", Sum: 12.5, N: 2 }, { City: "Bergen", Sum: 5, N: 1 }, { City: null, Sum: 1, N: 1 }],
  );
  assert.deepEqual(
    await ask(records, {
      columns: [fee("Min", "MIN"), fee("Max", "MAX"), fee("Avg", "AVG"), fee("Kinds", "DISTINCT_COUNT")],
    }),
    [{ Min: 1, Max: 10, Avg: 4.625, Kinds: 4 }],
  );
  const distinct = { columns: [city, { name: "Paid", field: { content: ["Paid"] } }], distinct: true };
  assert.deepEqual(await ask(records, { ...distinct, sort: [{ column: "City", descending: false }] }), [
    { City: null, Paid: true },
    { City: "Bergen", Paid: false },
    { City: "Oslo", Paid: true },
  ]);
  assert.equal(await store.read((tx) => tx.countRows({ source: records.source, ...distinct })), 3);
  const sorted = { columns: [fee("Fee", "MAX"), KEY], sort: [{ column: "Fee", descending: false }] };
  assert.deepEqual((await ask(records, sorted, { offset: 1, limit: 2 })).map((row) => row.Fee), [1, 2.5]);
});

Deno.test("CONTAINS finds a part of any length at any position", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  fc.assert(
    fc.property(texts, texts, (text, part) => assert.equal(contains(text, part), text.includes(part))),
    { numRuns: 2000 },
  );
});

testStores("a text may contain NULs where it begins or ends with another", async (store) => {
  const values = ["a\0b", "a\0c", "ab", "", 1];
  const records = await fill(store, values.map((value) => ({ value })));
  const find = async (comparator: Comparator, value: string | number) => {
    const filter = { left: { content: ["value"] }, comparator, right: { value } };
    return (await ask(records, { columns: [KEY], filter })).map(({ key }) => values[Number(key)]);
  };
  assert.deepEqual(await find("STARTS_WITH", "a\0"), ["a\0b", "a\0c"]);
  assert.deepEqual(await find("STARTS_WITH", "a\0b"), ["a\0b"]);
  assert.deepEqual(await find("STARTS_WITH", "a\0bc"), []);
  assert.deepEqual(await find("ENDS_WITH", "\0b"), ["a\0b"]);
  assert.deepEqual(await find("ENDS_WITH", "ca\0b"), []);
  for (const comparator of ["STARTS_WITH", "ENDS_WITH"] as const) {
    assert.deepEqual(await find(comparator, ""), values);
    assert.deepEqual(await find(comparator, "1"), [1]);
    assert.deepEqual(await find(comparator, 1), []);
  }
});

testStores("a search finds a text with NULs in a field, and in the whole content", async (store) => {
  const values = ["a\0b", "a\\u0000b", "ab", "A\0B", "\u0001\u0001", "\u0001", "a\0\0b"];
  const records = await fill(store, values.map((value) => ({ value })));
  const find = async (text: string) => {
    const contains = (content: string[], value: string) =>
      ({ left: { content }, comparator: "CONTAINS", right: { value }, ignoreCase: true }) as const;
    const filter = { and: [contains([], JSON.stringify(text).slice(1, -1)), contains(["value"], text)] };
    return (await ask(records, { columns: [KEY], filter })).map(({ key }) => values[Number(key)]);
  };
  assert.deepEqual(await find("\0"), ["a\0b", "A\0B", "a\0\0b"]);
  assert.deepEqual(await find("a\0b"), ["a\0b", "A\0B"]);
  assert.deepEqual(await find("\\u0000"), ["a\\u0000b"]);
  assert.deepEqual(await find("\u0001"), ["\u0001\u0001", "\u0001"]);
  assert.deepEqual(await find("\u0001\u0001"), ["\u0001\u0001"]);
});

testStores("CONTAINS finds a long text from a value or from another field", async (store) => {
  const part = "ab" + "a".repeat(500);
  const records = await fill(store, [{ text: `aa${part}b`, part }, { text: part.toUpperCase(), part }, {
    text: part.slice(1),
    part,
  }, {}]);
  const [left, field] = [{ content: ["text"] }, { content: ["part"] }];
  for (const right of [{ value: part }, { field }]) {
    const find = (ignoreCase: boolean) => {
      return ask(records, { columns: [KEY], filter: { left, comparator: "CONTAINS", right, ignoreCase } });
    };
    assert.deepEqual(await find(false), [{ key: "0" }]);
    assert.deepEqual(await find(true), [{ key: "0" }, { key: "1" }]);
    const not = { not: { left, comparator: "CONTAINS", right } } as const;
    assert.deepEqual(await ask(records, { columns: [KEY], filter: not }), [{ key: "1" }, { key: "2" }, { key: "3" }]);
  }
});

Deno.test("a row may have three thousand columns, and a filter five thousand values", async () => {
  const store = openSqliteStore(":memory:"); // PostgreSQL has no such limits, but takes long.
  const members = Array.from({ length: 3000 }, (_, n) => `F${n}`);
  const records = await fill(store, [Object.fromEntries(members.map((name, n) => [name, n]))]);
  const columns = members.map((name) => ({ name, field: { content: [name] } }));
  const filter = { field: { content: ["F7"] }, in: Array.from({ length: 5000 }, (_, n) => n) };
  for (const distinct of [false, true]) {
    const [row = {}, ...more] = await ask(records, { columns, filter, distinct });
    assert.deepEqual([Object.keys(row), Object.values(row), more], [members, members.map((_, n) => n), []]);
  }
  const counted = { source: records.source, columns, filter, distinct: true } as const;
  assert.equal(await store.read((tx) => tx.countRows(counted)), 1);
  await store.close();
});

testStores("a query reads only the rows that fit the size of a page, and builds no larger row", async (store) => {
  const records = await fill(store, ["x", "y", "z"].map((letter) => ({ a: letter.repeat(10) })));
  const field = { content: ["a"] };
  const all = { columns: [{ name: "a", field }] };
  const page = { offset: 0, limit: 9, size: '[{"a":"xxxxxxxxxx"}]'.length * 3 };
  assert.equal((await ask(records, all, page)).length, 3);
  await assert.rejects(ask(records, all, { ...page, size: page.size - 1 }), RowsTooLong);
  const columns = Array.from({ length: 7 }, (_, n): Column => ({ name: `A${n}`, field, summary: "MAX" }));
  await assert.rejects(ask(records, { columns }, page), RowsTooLong);
  assert.equal((await ask(records, { columns: columns.slice(0, 2) }, page)).length, 1);
});

testStores("a property that a source does not have is a defect, not SQL", async (store) => {
  await assert.rejects(
    ask(await fill(store, []), { columns: [{ name: "x", field: { property: "content; DROP TABLE cases" } }] }),
    /no property/,
  );
});

testStores("summaries have the same digits in every store, however long the numbers are", async (store) => {
  const long = (digits: string) => new ExactNumber(digits);
  const records = await fill(store, [
    { a: long("123456789012345678901234567890"), b: long("9007199254740993"), c: 0.1, d: long("1e400"), e: 1e308 },
    { a: long("123456789012345678901234567891"), b: 1, c: 0.2, d: 1, e: 1e308 },
    { a: 5, b: 0.1, c: 0.7, d: long("0.123456789012345678901234567890"), e: 1e308 },
  ]);
  const columns = ["a", "b", "c", "d", "e"].flatMap((name) =>
    (["MIN", "MAX", "SUM", "AVG"] as const).map((summary) => ({
      name: name + summary,
      field: { content: [name] },
      summary,
    }))
  );
  const [row] = await ask(records, { columns: columns.filter(({ name }) => name !== "eAVG") });
  assert.deepEqual(Object.values(row ?? {}).map((value) => JSON.stringify(value)), [
    ...["5", "1.2345678901234568e+29", "2.4691357802469136e+29", "8.230452600823046e+28"],
    ...["0.1", "9007199254740993", "9007199254740994", "3002399751580331.5"],
    ...["0.1", "0.7", "1", "0.3333333333333333"],
    ...["0.12345678901234568", "9e999", "9e999", "9e999"],
    ...["1e+308", "1e+308", "9e999"],
  ]);
});

testStores("whole numbers are summed even if the sum exceeds 64 bits", async (store) => {
  const rows = await store.transact(async (tx) => {
    for (const key of ["a", "b"]) await tx.putRecord({ classId: "C", key, tag: "", content: { n: 9e18 } });
    const columns = [{ name: "sum", field: { content: ["n"] }, summary: "SUM" }] as const;
    return await tx.queryRows({ source: { kind: "records", classId: "C" }, columns }, { offset: 0, limit: 9 });
  });
  assert.deepEqual(rows, [{ sum: 18e18 }]);
});
